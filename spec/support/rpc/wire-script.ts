/**
 * A conversation as data, played against a peer.
 *
 * `say` is a raw line for the peer, `expect` the exact line that must come back next,
 * `refuse` an error by code and raw id with any message. Every script ends with a probe
 * request, so a superfluous response or a dead connection fails it without waiting for
 * silence.
 */
import assert from "node:assert/strict";
import type { PeerOptions, Router } from "../../../lib/rpc/index.ts";
import { peerOverRaw, testRouter } from "./peer-pair.ts";

export type Row =
  | { readonly say: string }
  | { readonly expect: string }
  | { readonly refuse: number; readonly id: string };

export async function play(
  rows: readonly Row[],
  router: Router = testRouter(),
  options: PeerOptions = {},
): Promise<void> {
  const { far, peer } = peerOverRaw(router, options);
  for (const row of [...rows, ...probe]) {
    if ("say" in row) far.say(row.say);
    else if ("expect" in row) assert.equal(await far.next(), row.expect);
    else assertRefused(await far.next(), row.refuse, row.id);
  }
  assert.equal(peer.isOpen, true);
  assert.deepEqual(far.waiting, []);
  far.close();
  await peer.settled;
}

/** A line is one error response with this code and this id, compared as text: ids may be past 2^53. */
export function assertRefused(line: string, code: number, id: string): void {
  const start = `{"jsonrpc":"2.0","id":${id},"error":{"code":${code},"message":"`;
  assert.equal(line.slice(0, start.length), start);
}

const probe: readonly Row[] = [
  { say: '{"jsonrpc":"2.0","id":"probe","method":"echo","params":["alive"]}' },
  { expect: '{"jsonrpc":"2.0","id":"probe","result":["alive"]}' },
];
