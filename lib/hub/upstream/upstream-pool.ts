/**
 * The running agents of a hub: one connection for each source and client profile.
 *
 * A connection is made when it is first needed, and stopped when it has had no session
 * and no client for `idleMs`. A source has at most `maxProfiles` connections; further
 * clients share the one with the smallest profile.
 */
import { errorCodes, RpcError } from "../../rpc/index.ts";
import type { Schedule } from "../../wire/index.ts";
import { type ClientProfile, smallestProfile } from "../client/client-profile.ts";
import { type UpstreamSource, Upstream } from "./upstream.ts";

export interface UpstreamPoolOptions {
  readonly after: Schedule;
  readonly onBug: (doing: string, cause: unknown) => void;
  /** Called when an agent is gone, with everything it ran. */
  readonly onClosed: (upstream: Upstream, reason: string) => void;
}

/** Connections to one agent. Each may be a process. */
const maxProfiles = 8;
/** How long a connection without sessions and clients stays. */
const idleMs = 60_000;

interface PooledUpstream {
  readonly source: UpstreamSource;
  readonly starting: Promise<Upstream>;
  upstream: Upstream | undefined;
  /** How many clients and openings use it. */
  userCount: number;
  cancelIdle: () => void;
}

export class UpstreamPool {
  readonly #options: UpstreamPoolOptions;
  readonly #entries = new Map<string, PooledUpstream>();
  #startCount = 0;
  #exitCount = 0;
  #isStopped = false;

  constructor(options: UpstreamPoolOptions) {
    this.#options = options;
  }

  get startCount(): number {
    return this.#startCount;
  }

  /** How many agents have ended without having been stopped. */
  get exitCount(): number {
    return this.#exitCount;
  }

  /** Runs `work` with the connection for this profile, which is not stopped meanwhile. */
  async use<T>(source: UpstreamSource, profile: ClientProfile, work: (upstream: Upstream) => Promise<T>): Promise<T> {
    const entry = this.#entry(source, profile);
    entry.userCount++;
    entry.cancelIdle();
    try {
      return await work(await entry.starting);
    } finally {
      entry.userCount--;
      this.#rest(entry);
    }
  }

  /** Keeps the connection for this profile running until the returned function is called. */
  hold(source: UpstreamSource, profile: ClientProfile): () => void {
    let release = (): void => {};
    const released = new Promise<void>((resolve) => (release = resolve));
    void this.use(source, profile, () => released).catch(() => {});
    return release;
  }

  /** Looks again whether a connection is still needed, after one of its sessions was closed. */
  sessionClosed(upstream: Upstream): void {
    for (const entry of this.#entries.values()) if (entry.upstream === upstream) this.#rest(entry);
  }

  async stop(reason: string): Promise<void> {
    this.#isStopped = true;
    const entries = [...this.#entries.values()];
    this.#entries.clear();
    await Promise.all(
      entries.map(async ({ starting, cancelIdle }) => {
        cancelIdle();
        await starting.then((upstream) => upstream.stop(reason)).catch(() => {});
      }),
    );
  }

  #entry(source: UpstreamSource, profile: ClientProfile): PooledUpstream {
    const wanted = `${source.name}\n${profile.key}`;
    const known = this.#entries.get(wanted);
    if (known !== undefined) return known;
    if (this.#isStopped) throw new RpcError(errorCodes.internalError, "the server is about to end");
    const count = [...this.#entries.values()].filter((entry) => entry.source === source).length;
    if (count >= maxProfiles && profile !== smallestProfile) return this.#entry(source, smallestProfile);
    return this.#start(wanted, source, profile);
  }

  #start(key: string, source: UpstreamSource, profile: ClientProfile): PooledUpstream {
    const { onBug, onClosed } = this.#options;
    this.#startCount++;
    const starting = Upstream.start({ source, profile, onBug });
    const entry: PooledUpstream = { source, starting, upstream: undefined, userCount: 0, cancelIdle: () => {} };
    this.#entries.set(key, entry);
    const forget = (): boolean => this.#entries.get(key) === entry && this.#entries.delete(key);
    starting.then(
      (upstream) => {
        entry.upstream = upstream;
        void upstream.closed.then((reason) => {
          if (forget()) this.#exitCount++;
          entry.cancelIdle();
          onClosed(upstream, reason);
        });
      },
      () => {
        if (forget()) this.#exitCount++;
      },
    );
    return entry;
  }

  /** Stops the connection after `idleMs`, unless it is used again. */
  #rest(entry: PooledUpstream): void {
    entry.cancelIdle();
    const { upstream, userCount } = entry;
    if (upstream === undefined || userCount > 0 || upstream.sessionCount > 0 || this.#isStopped) return;
    entry.cancelIdle = this.#options.after(idleMs, () => {
      if (entry.userCount > 0 || upstream.sessionCount > 0) return;
      for (const [key, one] of this.#entries) if (one === entry) this.#entries.delete(key);
      upstream.stop("no client uses it").catch((cause: unknown) => this.#options.onBug("stop", cause));
    });
  }
}
