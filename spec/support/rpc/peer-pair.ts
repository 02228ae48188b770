/**
 * Peers over memory links, with methods of every kind to call.
 */
import { Peer, type PeerOptions, routeSome, type Router, type SomeHandlers } from "../../../lib/rpc/index.ts";
import { object, optional, string, unknown } from "../../../lib/schema/index.ts";
import { type LinkLimits, memoryPair } from "../../../lib/wire/index.ts";
import { RawPeer } from "./raw-peer.ts";

const Note = object({ session: optional(string), text: optional(string) });
const Greeting = object({ name: string });

/** Methods for specs: three requests and three notifications. */
const methods = {
  echo: { params: unknown, result: unknown },
  work: { params: unknown, result: unknown },
  greet: { params: Greeting, result: Greeting },
  tell: { params: Note },
  stir: { params: unknown },
  hurry: { params: unknown, isUrgent: true },
} as const;

export type TestHandlers = SomeHandlers<typeof methods>;

/** `echo` and whatever else is given. */
export function testRouter(handlers: TestHandlers = {}): Router {
  return routeSome(methods, { echo: (params) => params, ...handlers });
}

export interface PeerOverRaw {
  readonly peer: Peer;
  /** The far end of the peer's link. */
  readonly far: RawPeer;
}

/** A peer, and a raw far end that can send anything to it. */
export function peerOverRaw(
  router: Router = testRouter(),
  options: PeerOptions = {},
  limits: LinkLimits = {},
): PeerOverRaw {
  const [near, far] = memoryPair(limits);
  return { peer: new Peer(near, router, options), far: new RawPeer(far) };
}

/** Two peers, each the other's other side. */
export function peerPair(
  left: TestHandlers = {},
  right: TestHandlers = {},
  options: PeerOptions = {},
  limits: LinkLimits = {},
): readonly [Peer, Peer] {
  const [near, far] = memoryPair(limits);
  return [new Peer(near, testRouter(left), options), new Peer(far, testRouter(right), options)];
}

/** A promise and the functions that settle it. */
export interface HandlerGate<T = void> {
  readonly opened: Promise<T>;
  readonly open: (value: T) => void;
  readonly fail: (reason: unknown) => void;
}

export function gate<T = void>(): HandlerGate<T> {
  let open: (value: T) => void = () => {};
  let fail: (reason: unknown) => void = () => {};
  const opened = new Promise<T>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}
