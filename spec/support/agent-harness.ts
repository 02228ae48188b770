/**
 * Runs the whole agent in memory, between a test client and fake CLIs.
 */
import {
  client,
  type ClientConnection,
  type ClientHandlers,
  type ElicitationCapabilities,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "../../lib/acp/index.ts";
import type { Agent, AgentOptions } from "../../lib/agent/index.ts";
import { claudeAgent } from "./claude-agent.ts";
import { emptyStore } from "../../lib/claude/engine/session-store.ts";
import { type Link, memoryPair } from "../../lib/wire/index.ts";
import { type Frame, type FakeCli, type FakeClis, fakeClis } from "./fake-cli.ts";
import { type FakeClock, fakeClock } from "./fake-clock.ts";

export { emptyStore };

export interface AgentHarness {
  readonly agent: Agent;
  readonly editor: ClientConnection;
  readonly cli: FakeClis;
  readonly time: FakeClock;
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  readonly bugs: string[];
  /** A session, and its fake CLI. */
  readonly open: () => Promise<{ readonly sessionId: string; readonly fakeCli: FakeCli }>;
  /** Sends a prompt and returns the frame that the fake CLI received. */
  readonly prompt: (sessionId: string, text: string) => Promise<{ readonly stopReason: string }>;
}

export interface AgentHarnessOptions extends Partial<AgentOptions> {
  readonly permit?:
    | undefined
    | ((request: RequestPermissionRequest) => RequestPermissionResponse | Promise<RequestPermissionResponse>);
  readonly elicit?: (
    request: CreateElicitationRequest,
  ) => CreateElicitationResponse | Promise<CreateElicitationResponse>;
  readonly elicitation?: ElicitationCapabilities;
  /** Receives every update, with its session's id. */
  readonly onUpdate?: (sessionId: string, update: SessionUpdate) => void;
  /** Further client methods that the editor serves. */
  readonly serves?: Partial<ClientHandlers>;
  /** What the CLI answers to `get_settings`. */
  readonly settingsAnswer?: Frame;
  /** The agent's end and the editor's, where a spec wants to hold them. */
  readonly pair?: readonly [Link, Link];
}

export async function agentHarness(given: AgentHarnessOptions = {}): Promise<AgentHarness> {
  const { permit, elicit, elicitation, onUpdate, serves, pair, settingsAnswer, ...options } = given;
  const [near, far] = pair ?? memoryPair();
  const cli = fakeClis();
  if (settingsAnswer !== undefined) cli.settings = settingsAnswer;
  const time = fakeClock();
  const bugs: string[] = [];
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const agent = claudeAgent(near, {
    launcher: cli.launcher,
    after: time.after,
    env: {},
    program: { command: "bowline", args: [] },
    store: emptyStore,
    prewarms: false,
    onBug: (doing) => bugs.push(doing),
    ...options,
  });
  const editor = await client(far, {
    info: { name: "harness", version: "1" },
    ...(elicitation && { elicitation }),
    handlers: () => ({
      "session/update": ({ sessionId, update }) => {
        updates.push(update);
        onUpdate?.(sessionId, update);
      },
      "session/request_permission": (request) => {
        asked.push(request);
        return permit?.(request) ?? { outcome: { outcome: "cancelled" } };
      },
      ...(elicit && { "elicitation/create": elicit }),
      ...serves,
    }),
  });
  return {
    agent,
    editor,
    cli,
    time,
    updates,
    asked,
    bugs,
    open: async () => {
      const { sessionId } = await editor.call("session/new", { cwd: "/", mcpServers: [] });
      const fakeCli = cli.runs.at(-1);
      if (fakeCli === undefined) throw new Error("no CLI was started");
      return { sessionId, fakeCli };
    },
    prompt: (sessionId, text) => editor.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
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
