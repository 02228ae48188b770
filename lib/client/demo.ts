/**
 * Demo: the example agent and a client over the real codec, told as text.
 */
import { exampleAgent } from "../agent/index.ts";
import { block, client, type SessionUpdate } from "../acp/index.ts";
import { version } from "../version.ts";
import { memoryPair } from "../wire/index.ts";

/** Plays one turn; every line it has to say goes to `print`. */
export async function demo(print: (text: string) => void): Promise<void> {
  const [agentEnd, clientEnd] = memoryPair();
  exampleAgent(agentEnd);
  const agent = await client(clientEnd, {
    info: { name: "bowline-demo", version },
    handlers: () => ({
      "session/update": ({ update }) => print(tell(update)),
      "session/request_permission": ({ toolCall, options }) => {
        const allow = options.find(({ kind }) => kind === "allow_once");
        print(`permission  ${toolCall.title ?? toolCall.toolCallId}? ${allow?.name ?? "no"}\n`);
        return { outcome: allow ? { outcome: "selected", optionId: allow.optionId } : { outcome: "cancelled" } };
      },
    }),
  });
  print(`connected   ${agent.agentInfo?.title ?? "agent"} ${agent.agentInfo?.version ?? ""}\n`);
  const { sessionId } = await agent.call("session/new", { cwd: process.cwd(), mcpServers: [] });
  const { stopReason } = await agent.prompt({ sessionId, prompt: [block.text("Is the README all right?")] });
  print(`stopped     ${stopReason}\n`);
  agent.close("the demo is over");
  await agent.settled;
}

function tell(update: SessionUpdate): string {
  switch (update.sessionUpdate) {
    case "agent_message_chunk":
      return `message     ${update.content.type === "text" ? update.content.text.trim() : update.content.type}\n`;
    case "agent_thought_chunk":
      return `thought     ${update.content.type === "text" ? update.content.text.trim() : update.content.type}\n`;
    case "plan":
      return update.entries.map(({ status, content }) => `plan        ${marks[status]} ${content}\n`).join("");
    case "tool_call":
      return `tool call   ${update.title} (${update.status ?? "pending"})\n`;
    case "tool_call_update":
      return `tool call   ${update.status ?? "changed"}\n`;
    case "user_message_chunk":
    case "available_commands_update":
    case "current_mode_update":
    case "config_option_update":
    case "session_info_update":
    case "usage_update":
    case "notice":
    case "compaction_update":
    case "compaction_summary_chunk":
      return `${update.sessionUpdate}\n`;
  }
}

const marks = { pending: "[ ]", in_progress: "[~]", completed: "[x]" } as const;
