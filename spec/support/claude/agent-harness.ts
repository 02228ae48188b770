/**
 * Runs the whole agent in memory, between a test client and fake Claude CLIs.
 */
import { emptyStore } from "../../../lib/claude/engine/saved/session-store.ts";
import { claudeAgent } from "./claude-agent.ts";
import { type ConnectedAgent, connectAgent, type EditorOptions } from "../agent/connected-agent.ts";
import { type Frame, type FakeCli, type FakeClis, fakeClis } from "./fake-cli.ts";

export { emptyStore };

export interface AgentHarness extends ConnectedAgent {
  readonly cli: FakeClis;
  /** A session, and its fake CLI. */
  readonly open: () => Promise<{ readonly sessionId: string; readonly fakeCli: FakeCli }>;
}

export interface AgentHarnessOptions extends EditorOptions {
  /** What the CLI answers to `get_settings`. */
  readonly settingsAnswer?: Frame;
}

export async function agentHarness(given: AgentHarnessOptions = {}): Promise<AgentHarness> {
  const { settingsAnswer, ...options } = given;
  const cli = fakeClis();
  if (settingsAnswer !== undefined) cli.settings = settingsAnswer;
  const connected = await connectAgent(options, (link, shared) =>
    claudeAgent(link, { launcher: cli.launcher, store: emptyStore, ...shared }),
  );
  return {
    ...connected,
    cli,
    open: async () => {
      const { sessionId } = await connected.editor.call("session/new", { cwd: "/", mcpServers: [] });
      const fakeCli = cli.runs.at(-1);
      if (fakeCli === undefined) throw new Error("no CLI was started");
      return { sessionId, fakeCli };
    },
  };
}

/** The event with which a CLI acknowledges a prompt. */
export function takes({ uuid }: Frame, session_id = "cli-1"): readonly Frame[] {
  return [
    { type: "command_lifecycle", command_uuid: uuid, state: "queued" },
    { type: "command_lifecycle", command_uuid: uuid, state: "started" },
    { type: "system", subtype: "session_state_changed", state: "running" },
    { type: "system", subtype: "init", session_id, model: "opus-5", permissionMode: "default" },
  ];
}

/** The event with which a CLI ends a turn. */
export function ends({ uuid }: Frame, more: Frame = {}): readonly Frame[] {
  const result = { type: "result", subtype: "success", is_error: false, stop_reason: "end_turn" };
  return [
    { ...result, terminal_reason: "completed", user_message_uuids: [uuid], ...more },
    { type: "system", subtype: "session_state_changed", state: "idle" },
  ];
}

export function says(text: string, id = "msg_1"): Frame {
  return { type: "assistant", message: { id, role: "assistant", content: [{ type: "text", text }] } };
}

export function wants(name: string, input: Frame, id = "toolu_1"): Frame {
  return {
    type: "assistant",
    message: { id: "msg_2", role: "assistant", content: [{ type: "tool_use", id, name, input }] },
  };
}

export function mayI(tool_name: string, input: Frame, more: Frame = {}): Frame {
  const request = { subtype: "can_use_tool", tool_name, input, tool_use_id: "toolu_1", ...more };
  return { type: "control_request", request_id: "ask-1", request };
}
