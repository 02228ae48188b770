/**
 * Specs of batches between an ACP client and an agent. ACP's messages are single, and a
 * connection still answers the batches of a JSON-RPC client, unless its options refuse them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { agent, type ConnectionOptions, update } from "../../lib/acp/index.ts";
import { memoryPair } from "../../lib/wire/index.ts";
import { RawPeer } from "../support/rpc/raw-peer.ts";

const initialize = '{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}';
const open = '{"jsonrpc":"2.0","id":2,"method":"session/new","params":{"cwd":"/","mcpServers":[]}}';
const prompt = '{"jsonrpc":"2.0","id":3,"method":"session/prompt","params":{"sessionId":"s","prompt":[]}}';
const cancel = '{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"s"}}';

function serve(options: ConnectionOptions = {}): RawPeer {
  const [near, far] = memoryPair();
  agent(
    near,
    {
      info: { name: "spec", version: "1" },
      handlers: (client) => ({
        "session/new": () => ({ sessionId: "s" }),
        "session/prompt": async (_params, { signal }) => {
          const aborted = new Promise((resolve) => signal.addEventListener("abort", resolve));
          await client.update("s", update.agentMessage("working"));
          await aborted;
          return { stopReason: "end_turn" };
        },
      }),
    },
    options,
  );
  return new RawPeer(far);
}

describe("a batch for an ACP agent", () => {
  it("a batch that begins with initialize may open a session and run a turn: updates come first, then one array", async () => {
    const far = serve();
    far.say(`[${initialize},${open},${prompt},${cancel}]`);
    assert.match(await far.next(), /"method":"session\/update"/);
    const answers: readonly { readonly id: number; readonly result: Readonly<Record<string, unknown>> }[] = JSON.parse(
      await far.next(),
    );
    assert.deepEqual(
      answers.map(({ id }) => id),
      [1, 2, 3],
    );
    assert.equal(answers[1]?.result["sessionId"], "s");
  });

  it("a batch before initialize is answered with -32600 for each of its requests", async () => {
    const far = serve();
    far.say(`[${open},${cancel},${open}]`);
    const answers: readonly { readonly error: { readonly code: number } }[] = JSON.parse(await far.next());
    assert.deepEqual(
      answers.map(({ error }) => error.code),
      [-32600, -32600],
    );
  });

  it("an agent with maxBatchLength 0 refuses a batch with one error and answers the next line", async () => {
    const far = serve({ maxBatchLength: 0 });
    far.say(`[${initialize},${open}]`);
    far.say(initialize);
    assert.equal(
      await far.next(),
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"batches are not supported"}}',
    );
    assert.match(await far.next(), /^{"jsonrpc":"2.0","id":1,"result":/);
  });
});
