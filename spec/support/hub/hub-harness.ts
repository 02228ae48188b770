/**
 * A hub with a scripted agent, and clients that keep what they are sent.
 */
import {
  client,
  type ClientConnection,
  type ClientHandlers,
  type RequestPermissionRequest,
  type SessionNotification,
} from "../../../lib/acp/index.ts";
import { type UpstreamSource, Hub, type HubOptions, type ClientRole } from "../../../lib/hub/index.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import type { ScriptedAgent } from "../serve/scripted-agent.ts";
import { cwd } from "../serve/test-server.ts";

/** A permission request that waits for the spec. */
export interface AskedClient {
  readonly request: RequestPermissionRequest;
  readonly signal: AbortSignal;
  readonly choose: (optionId: string) => void;
}

export interface ConnectOptions {
  readonly role?: ClientRole;
  readonly handlers?: Partial<ClientHandlers>;
  /** Whether the client says that it is a Bowline. */
  readonly isBowline?: boolean;
}

/** One client of the hub. */
export interface TestClient {
  readonly connection: ClientConnection;
  readonly notifications: SessionNotification[];
  readonly asked: AskedClient[];
  /** The notifications of `_bowline/`, as method and params. */
  readonly extras: (readonly [string, any])[];
  /** The texts of a kind of message chunk, joined. */
  readonly text: (kind?: "agent_message_chunk" | "user_message_chunk") => string;
  readonly until: (holds: () => boolean) => Promise<void>;
  readonly prompt: (sessionId: string, text: string, meta?: object) => Promise<string>;
}

export interface HubHarness {
  readonly hub: Hub;
  readonly bugs: unknown[];
  readonly connect: (options?: ConnectOptions) => Promise<TestClient>;
  /** A link whose far end the hub serves. */
  readonly link: (role?: ClientRole) => Link;
  readonly close: () => Promise<void>;
}

export function sourceOf(name: string, player: ScriptedAgent): UpstreamSource {
  return {
    name,
    title: name,
    start: () => {
      const [agentEnd, hubEnd] = memoryPair();
      return { link: hubEnd, stop: player.start(agentEnd).stop };
    },
  };
}

export function hubOf(
  players: ScriptedAgent | readonly UpstreamSource[],
  options: Partial<HubOptions> = {},
): HubHarness {
  const bugs: unknown[] = [];
  const [first, ...rest] = "start" in players ? [sourceOf("scripted", players)] : players;
  if (first === undefined) throw new TypeError("a hub needs an agent");
  const hub = new Hub({ sources: [first, ...rest], onBug: (doing, cause) => bugs.push([doing, cause]), ...options });
  const link = (role: ClientRole = "owner"): Link => {
    const [hubEnd, clientEnd] = memoryPair();
    hub.connect(hubEnd, { role });
    return clientEnd;
  };
  return {
    hub,
    bugs,
    link,
    connect: ({ role, handlers, isBowline } = {}) => testClient(link(role), handlers, isBowline),
    close: () => hub.stop("the spec is over"),
  };
}

export async function testClient(
  link: Link,
  handlers: Partial<ClientHandlers> = {},
  isBowline = false,
): Promise<TestClient> {
  const notifications: SessionNotification[] = [];
  const asked: AskedClient[] = [];
  const extras: (readonly [string, any])[] = [];
  const waiting: (() => void)[] = [];
  const tell = (): void => {
    for (const resolve of waiting.splice(0)) resolve();
  };
  const base: ClientHandlers = {
    "session/update": (notification) => {
      notifications.push(notification);
      tell();
    },
    "session/request_permission": (request, { signal }) =>
      new Promise((resolve) => {
        const choose = (optionId: string): void => resolve({ outcome: { outcome: "selected", optionId } });
        asked.push({ request, signal, choose });
        signal.addEventListener("abort", tell, { once: true });
        tell();
      }),
  };
  const extra = (method: string) => (params: unknown) => {
    extras.push([method, params]);
    tell();
  };
  const connection = await client(link, {
    info: { name: "test-client", version: "1" },
    // A spec that adds one terminal handler adds them all.
    handlers: () => ({ ...base, ...handlers }) as ClientHandlers,
    extensions: () => ({
      "_bowline/turn_ended": extra("turn_ended"),
      "_bowline/session_closed": extra("session_closed"),
    }),
    ...(isBowline && { _meta: { bowline: {} } }),
  });
  return {
    connection,
    notifications,
    asked,
    extras,
    text: (kind = "agent_message_chunk") =>
      notifications
        .map(({ update }) =>
          update.sessionUpdate === kind && "content" in update && "text" in Object(update.content)
            ? String(Object(update.content).text)
            : "",
        )
        .join(""),
    until: async (holds) => {
      while (!holds()) await new Promise<void>((resolve) => waiting.push(resolve));
    },
    prompt: async (sessionId, text, meta) => {
      const params = {
        sessionId,
        prompt: [{ type: "text", text }] as const,
        ...(meta && { _meta: { bowline: meta } }),
      };
      return (await connection.prompt(params)).stopReason;
    },
  };
}

/** Opens a session in a directory that exists. */
export async function open({ connection }: TestClient, meta?: object): Promise<string> {
  const params = { cwd, mcpServers: [], ...(meta && { _meta: { bowline: meta } }) };
  return (await connection.call("session/new", params)).sessionId;
}

/** Loads a session, as a client does that attaches. */
export function load({ connection }: TestClient, sessionId: string, meta?: object): Promise<any> {
  const params = { sessionId, cwd, mcpServers: [], ...(meta && { _meta: { bowline: meta } }) };
  return connection.call("session/load", params);
}

/** The event id of a notification. */
export function eventId(notification: SessionNotification | undefined): string {
  return String(Object(Object(notification?._meta)["bowline"])["eventId"]);
}
