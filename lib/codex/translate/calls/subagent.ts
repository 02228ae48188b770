/**
 * Subagents as tool calls: one call per agent, which ends with the agent's last message.
 */
import { toolContent } from "../../../acp/index.ts";
import { titleLine } from "../../../display/index.ts";
import type { CollabAgentToolCallItem, SubAgentActivityItem } from "../../protocol/index.ts";
import { type ItemEnd, type CallView, endStatus } from "./call-view.ts";

/** The call of an agent that has started: `Agent looker`. */
export function agentView({ agentPath }: SubAgentActivityItem): CallView {
  const name = agentName(agentPath);
  return { name: "spawn_agent", kind: "think", title: titleLine(`Agent ${name}`), isAgent: true };
}

/** The last part of a path such as `/root/looker`. */
export function agentName(path: string | null | undefined): string {
  return /([^/]+)\/?$/.exec(path ?? "")?.[1] ?? "without a name";
}

export function collabView(item: CollabAgentToolCallItem): CallView {
  const { tool, prompt } = item;
  const said = prompt == null || prompt === "" ? {} : { content: [toolContent.block(prompt)] };
  const titles: Readonly<Record<string, string>> = {
    spawnAgent: prompt == null || prompt === "" ? "Agent" : `Agent: ${prompt}`,
    wait: "Wait for the agents",
    sendInput: "Message to an agent",
    resumeAgent: "Resume an agent",
    closeAgent: "Close an agent",
  };
  return {
    name: toolNames.get(tool) ?? tool,
    kind: "think",
    title: titleLine(Object.hasOwn(titles, tool) ? (titles[tool] ?? tool) : tool),
    ...said,
    ...(tool === "spawnAgent" && { isAgent: true }),
  };
}

const toolNames: ReadonlyMap<string, string> = new Map([
  ["spawnAgent", "spawn_agent"],
  ["wait", "wait_agent"],
  ["sendInput", "send_input"],
  ["resumeAgent", "resume_agent"],
  ["closeAgent", "close_agent"],
]);

export function collabEnd({ status }: CollabAgentToolCallItem): ItemEnd {
  return { status: endStatus(status) };
}
