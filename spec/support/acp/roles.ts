/**
 * An agent and a client connected in memory, or one of them with a far end that sends
 * raw messages.
 */
import {
  agent,
  type AgentConnection,
  type AgentDefinition,
  type AgentHandlers,
  client,
  type ClientConnection,
  type ClientDefinition,
  type ClientHandlers,
  type ConnectionOptions,
} from "../../../lib/acp/index.ts";
import { type LinkLimits, memoryPair } from "../../../lib/wire/index.ts";
import { RawPeer } from "../rpc/raw-peer.ts";

/** A JSON-RPC message as received, not checked. */
export interface RawMessage {
  readonly jsonrpc?: unknown;
  readonly id?: unknown;
  readonly method?: string;
  readonly params?: unknown;
  readonly result?: unknown;
  readonly error?: { readonly code: number; readonly message: string; readonly data?: unknown };
}

/** A raw far end that sends and receives messages. */
export class RawRole extends RawPeer {
  #lastId = 0;

  tell(message: RawMessage): void {
    this.say(JSON.stringify({ jsonrpc: "2.0", ...message }));
  }

  async hear(): Promise<RawMessage> {
    const { jsonrpc: _, ...message }: RawMessage = JSON.parse(await this.next());
    return message;
  }

  /** Sends a request and returns the next message, without the id. */
  async ask(method: string, params?: unknown): Promise<RawMessage> {
    const id = `raw-${++this.#lastId}`;
    this.tell({ id, method, params });
    const { id: answered, ...message } = await this.hear();
    if (answered !== id) throw new Error(`something came before the answer: ${JSON.stringify(message)}`);
    return message;
  }
}

export type AgentParts = Partial<Omit<AgentDefinition, "handlers">> & {
  readonly handlers?: ((client: AgentConnection) => Partial<AgentHandlers>) | undefined;
};
export type ClientParts = Partial<Omit<ClientDefinition, "handlers">> & {
  readonly handlers?: ((agent: ClientConnection) => Partial<ClientHandlers>) | undefined;
};

/** An agent with two handlers that do nothing, and whatever else is given. */
function agentWith({ handlers, ...more }: AgentParts = {}): AgentDefinition {
  return {
    info: { name: "test-agent", version: "1" },
    ...more,
    handlers: (connection) => ({
      "session/new": () => ({ sessionId: "new" }),
      "session/prompt": () => ({ stopReason: "end_turn" }),
      ...handlers?.(connection),
    }),
  };
}

/** A client with two handlers that do nothing, and whatever else is given. */
export function clientWith({ handlers, ...more }: ClientParts = {}): ClientDefinition {
  return {
    info: { name: "test-client", version: "1" },
    ...more,
    handlers: (connection) => {
      const given = handlers?.(connection);
      const update = given?.["session/update"] ?? (() => {});
      const ask = given?.["session/request_permission"] ?? (() => ({ outcome: { outcome: "cancelled" } }));
      // Terminals come whole or not at all, and the parts given are spread as they are.
      return { ...given, "session/update": update, "session/request_permission": ask } as ClientHandlers;
    },
  };
}

export interface RawAndAgent {
  /** The client as the agent sees it. */
  readonly toClient: AgentConnection;
  readonly far: RawRole;
}

/** An agent facing raw messages, not initialized yet. */
export function freshAgent(parts?: AgentParts, options?: ConnectionOptions, limits?: LinkLimits): RawAndAgent {
  const [near, far] = memoryPair(limits);
  return { toClient: agent(near, agentWith(parts), options), far: new RawRole(far) };
}

/** An agent connected to a raw far end, initialized with these client capabilities. */
export async function agentOverRaw(
  parts?: AgentParts,
  clientCapabilities: unknown = {},
  options?: ConnectionOptions,
  limits?: LinkLimits,
): Promise<RawAndAgent> {
  const made = freshAgent(parts, options, limits);
  await made.far.ask("initialize", { protocolVersion: 1, clientCapabilities });
  return made;
}

export interface RawAndClient {
  /** The agent as the client sees it. */
  readonly toAgent: ClientConnection;
  readonly far: RawRole;
}

/** A client connected to a raw far end, initialized with these agent capabilities. */
export async function clientOverRaw(
  parts?: ClientParts,
  response: object = {},
  options?: ConnectionOptions,
): Promise<RawAndClient> {
  const [near, far] = memoryPair();
  const raw = new RawRole(far);
  const connecting = client(near, clientWith(parts), options);
  const { id } = await raw.hear();
  raw.tell({ id, result: { protocolVersion: 1, ...response } });
  return { toAgent: await connecting, far: raw };
}

export interface RolePair {
  readonly toClient: AgentConnection;
  readonly toAgent: ClientConnection;
}

/** An agent and a client, initialized. */
export async function rolePair(
  agentParts?: AgentParts,
  clientParts?: ClientParts,
  options?: ConnectionOptions,
  limits?: LinkLimits,
): Promise<RolePair> {
  const [agentEnd, clientEnd] = memoryPair(limits);
  const toClient = agent(agentEnd, agentWith(agentParts), options);
  return { toClient, toAgent: await client(clientEnd, clientWith(clientParts), options) };
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
