/**
 * Connects a hub to another hub, to show the sessions that are open there.
 *
 * The other hub reports which of its sessions are open, and this hub attaches to each of them
 * once. A session that was closed here stays hidden until it is closed there and opened again.
 */
import { protocolVersion } from "../acp/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { Fault, nullable, object, optional, string } from "../schema/index.ts";
import type { ClientProfile } from "./client/client-profile.ts";
import { type UpstreamSource, Upstream } from "./upstream/upstream.ts";

/** An open session of another hub. */
export interface SessionElsewhere {
  readonly id: string;
  readonly cwd: string;
  readonly title: string | null;
}

export interface JoinOptions {
  /** A session is open there. Rejects with an `RpcError` when it cannot be shown. */
  readonly onOpened: (session: SessionElsewhere, upstream: Upstream) => Promise<void>;
  readonly onClosed: (id: string, upstream: Upstream) => void;
  readonly onBug: (doing: string, cause: unknown) => void;
}

const Change = object({
  opened: optional(object({ id: string, cwd: string, title: nullable(string) })),
  closed: optional(string),
});

/** Sessions of one other hub that are attached to. */
const maxJoinedSessions = 256;

/** A hub shows every update to its own clients and asks them every question. */
const joiningProfile: ClientProfile = {
  key: "joined",
  request: {
    protocolVersion,
    clientInfo: { name: "bowline-hub", version: "1" },
    clientCapabilities: {
      elicitation: { form: {}, url: {} },
      session: { notices: {}, compaction: {}, configOptions: { boolean: {} } },
      _meta: { bowline: { followsSessions: true } },
    },
  },
};

/** Resolves when the other hub has answered `initialize`. */
export async function joinHub(source: UpstreamSource, { onOpened, onClosed, onBug }: JoinOptions): Promise<Upstream> {
  const shown = new Set<string>();
  let upstream: Upstream | undefined;
  /** Messages that arrived before `initialize` was answered here. */
  const early: unknown[] = [];
  const take = (params: unknown): void => {
    if (upstream === undefined) return void (early.length < maxJoinedSessions && early.push(params));
    const change = Change.read(params);
    if (change instanceof Fault) return;
    const { opened, closed } = change;
    if (closed !== undefined) {
      shown.delete(closed);
      onClosed(closed, upstream);
    }
    if (opened === undefined || shown.has(opened.id) || shown.size >= maxJoinedSessions) return;
    shown.add(opened.id);
    onOpened(opened, upstream).catch((cause: unknown) => {
      shown.delete(opened.id);
      if (!(cause instanceof RpcError)) onBug("join", cause);
    });
  };
  upstream = await Upstream.start({
    source: startedOnce(source),
    profile: joiningProfile,
    onBug,
    onStray: (method, params) => {
      if (method === "_bowline/sessions_changed") take(params);
    },
  });
  for (const params of early) take(params);
  return upstream;
}

/** The other hub's process is not ours to start again, for example for a fork of one of its sessions. */
function startedOnce(source: UpstreamSource): UpstreamSource {
  let isStarted = false;
  return {
    ...source,
    start: () => {
      if (isStarted)
        throw new RpcError(errorCodes.invalidRequest, `${source.title} opens no sessions for other clients`);
      isStarted = true;
      return source.start();
    },
  };
}
