/**
 * Measures how many bytes of the heap an agent keeps for each turn of three sessions.
 */
import assert from "node:assert/strict";
import { client } from "../../../lib/acp/index.ts";
import type { Link } from "../../../lib/wire/index.ts";
import { heapAfterCollection } from "../heap.ts";

const firstTurns = 500;
const furtherTurns = 4000;
const sessionCount = 3;

/** Counts the turns after the first 500 of each session; every turn must send `updatesPerTurn` updates. */
export async function heapBytesPerTurn(agent: Link, updatesPerTurn: number): Promise<number> {
  let updateCount = 0;
  const editor = await client(agent, {
    info: { name: "endurance", version: "1" },
    handlers: () => ({
      "session/update": () => void updateCount++,
      "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
    }),
  });
  const sessions = await Promise.all(
    Array.from({ length: sessionCount }, () => editor.call("session/new", { cwd: "/", mcpServers: [] })),
  );
  const runTurns = async (count: number): Promise<number> => {
    for (let i = 0; i < count; i++) {
      const prompt = [{ type: "text", text: `prompt ${i}` } as const];
      await Promise.all(sessions.map(({ sessionId }) => editor.call("session/prompt", { sessionId, prompt })));
    }
    return heapAfterCollection();
  };
  const before = await runTurns(firstTurns);
  const after = await runTurns(furtherTurns);
  assert.ok(updateCount >= sessionCount * (firstTurns + furtherTurns) * updatesPerTurn, "every turn was shown");
  editor.close();
  return (after - before) / (sessionCount * furtherTurns);
}
