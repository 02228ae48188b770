/**
 * Connects an agent to a test client in memory, with a fake clock. agent-harness.ts runs
 * it on fake Claude CLIs, scripted-harness.ts on the scripted engine.
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
} from "../../../lib/acp/index.ts";
import type { Agent, AgentOptions } from "../../../lib/agent/index.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import { type FakeClock, fakeClock } from "../fake-clock.ts";

export interface ConnectedAgent {
  readonly agent: Agent;
  readonly editor: ClientConnection;
  readonly time: FakeClock;
  readonly updates: SessionUpdate[];
  readonly asked: RequestPermissionRequest[];
  readonly bugs: string[];
  readonly prompt: (sessionId: string, text: string) => Promise<{ readonly stopReason: string }>;
}

export interface EditorOptions extends Partial<AgentOptions> {
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
  /** The agent's end and the editor's, where a spec wants to hold them. */
  readonly pair?: readonly [Link, Link];
}

/** `create` makes the agent with the shared options. */
export async function connectAgent(
  given: EditorOptions,
  create: (link: Link, shared: AgentOptions) => Agent,
): Promise<ConnectedAgent> {
  const { permit, elicit, elicitation, onUpdate, serves, pair, ...options } = given;
  const [near, far] = pair ?? memoryPair();
  const time = fakeClock();
  const bugs: string[] = [];
  const updates: SessionUpdate[] = [];
  const asked: RequestPermissionRequest[] = [];
  const agent = create(near, {
    after: time.after,
    env: {},
    program: { command: "bowline", args: [] },
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
    time,
    updates,
    asked,
    bugs,
    prompt: (sessionId, text) => editor.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] }),
  };
}

/** The text of the agent's messages. */
export function messageText(updates: readonly SessionUpdate[]): string {
  return updates
    .map((one) => (one.sessionUpdate === "agent_message_chunk" && one.content.type === "text" ? one.content.text : ""))
    .join("");
}
