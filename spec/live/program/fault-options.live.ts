/**
 * Every fault option in every command that has them, with the built program: `play`, `replay` of
 * a tape of the same session, and `tap` before the same agent.
 *
 * The agent answers initialize, sends twelve numbered updates and answers session/new: fourteen
 * messages. What arrives is compared, so the same seed must hit the same messages everywhere.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";

const built = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
const place = mkdtempSync(join(tmpdir(), "bowline-faults-"));
const script = join(place, "script.json");
const tape = join(place, "tape.ndjson");
const say = Array.from({ length: 12 }, (_, i) => ({ say: `number ${i + 3};` }));
const asked = [
  { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } },
  { jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: place, mcpServers: [] } },
];
const messages = 14;

/** The commands, each with the same session. */
const commands: Readonly<Record<string, (flags: readonly string[]) => readonly string[]>> = {
  play: (flags) => ["play", ...flags, script],
  replay: (flags) => ["replay", ...flags, tape],
  tap: (flags) => ["tap", ...flags, "-o", join(place, "again.ndjson"), "--", process.execPath, built, "play", script],
};

interface Outcome {
  /** What arrived: 1 for initialize, 2 for session/new, and the numbers of updates; "part" for half a message. */
  readonly seen: readonly (number | "part")[];
  readonly signal: string | null;
  readonly stderr: string;
}

/** How long a run with lost messages is observed: nothing tells that the last message was lost. */
const lossyMs = 5000;

/** Runs a command until it has sent so many lines, has ended, or `limitMs` have passed; then `moreMs` longer. */
async function outcome(
  words: readonly string[],
  lines: number,
  { limitMs = 60_000, moreMs = 0 }: { readonly limitMs?: number; readonly moreMs?: number } = {},
): Promise<Outcome> {
  const child = spawn(process.execPath, [built, ...words], { cwd: place });
  let [out, stderr] = ["", ""];
  const closed = once(child, "close");
  const heard = new Promise<void>((resolve) =>
    child.stdout.setEncoding("utf8").on("data", (text: string) => {
      out += text;
      if (out.split("\n").length > lines) resolve();
    }),
  );
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  for (const message of asked) child.stdin.write(`${JSON.stringify(message)}\n`);
  child.stdin.on("error", () => {});
  const timeout = new AbortController();
  await Promise.race([heard, closed, pause(limitMs, undefined, timeout).catch(() => {})]);
  timeout.abort();
  if (moreMs > 0) await pause(moreMs);
  child.stdin.end();
  const [, signal] = (await closed) as [unknown, string | null];
  const parts = out.split("\n");
  const last = parts.pop();
  const seen = parts.map((line) => {
    const { id, params } = JSON.parse(line);
    return id ?? Number(/\d+/.exec(params.update.content.text)?.[0]);
  });
  return { seen: last === "" ? seen : [...seen, "part"], signal, stderr };
}

/** The same outcome of all three commands. */
async function everywhere(
  flags: readonly string[],
  lines: number,
  times?: Parameters<typeof outcome>[2],
): Promise<Outcome> {
  const [first, ...others] = await Promise.all(
    Object.values(commands).map((words) => outcome(words(flags), lines, times)),
  );
  assert.ok(first !== undefined);
  for (const other of others) {
    assert.deepEqual(other.seen, first.seen, other.stderr);
    assert.equal(other.signal, first.signal);
  }
  return first;
}

const lossy = { limitMs: lossyMs };
const all = [1, ...say.map((_, i) => i + 3), 2];

describe("the fault options of play, replay and tap, live", () => {
  before(async () => {
    writeFileSync(script, JSON.stringify({ open: say, turns: [{ do: [{ say: "x" }] }] }));
    await outcome(["tap", "-o", tape, "--", process.execPath, built, "play", script], messages);
  });
  after(() => rmSync(place, { recursive: true, force: true }));

  it("without faults every message arrives once and in order", async () => {
    assert.deepEqual((await everywhere([], messages)).seen, all);
  });

  it("--delay and --jitter keep every message and the order", async () => {
    const late = await everywhere(["--delay", "100", "--jitter", "200", "--seed", "3"], messages);
    assert.deepEqual(late.seen, all);
    assert.match(late.stderr, /faults with --seed 3/);
  });

  it("--drop loses the same messages for the same seed, and others for another seed", async () => {
    const { seen } = await everywhere(["--drop", "50%", "--seed", "7"], messages, lossy);
    assert.ok(seen.length > 2 && seen.length < messages, String(seen));
    assert.deepEqual((await everywhere(["--drop", "0.5", "--seed", "7"], messages, lossy)).seen, seen);
    assert.notDeepEqual((await everywhere(["--drop", "50%", "--seed", "8"], messages, lossy)).seen, seen);
    assert.deepEqual((await everywhere(["--drop", "100%"], messages, lossy)).seen, []);
  });

  it("--duplicate sends messages twice", async () => {
    const { seen } = await everywhere(["--duplicate", "1"], 2 * messages);
    assert.deepEqual(
      seen,
      all.flatMap((one) => [one, one]),
    );
  });

  it("--reorder changes the order and loses nothing", async () => {
    const { seen } = await everywhere(["--reorder", "50%", "--seed", "5"], messages);
    assert.notDeepEqual(seen, all);
    assert.deepEqual(new Set(seen), new Set(all));
    assert.equal(seen.length, messages);
  });

  it("--cut-after sends half of the next message and closes the connection", async () => {
    const { seen, signal } = await everywhere(["--cut-after", "4"], messages);
    assert.deepEqual(seen, [...all.slice(0, 4), "part"]);
    assert.equal(signal, null);
  });

  it("--die-after kills the agent after so many messages", async () => {
    const { seen, signal } = await everywhere(["--die-after", "4"], messages);
    assert.deepEqual(seen, all.slice(0, 4));
    assert.equal(signal, "SIGKILL");
  });

  it("--stall sends nothing more and stays connected until the client leaves", async () => {
    const { seen, signal } = await everywhere(["--stall", "4"], 4, { moreMs: 1000 });
    assert.deepEqual(seen, all.slice(0, 4));
    assert.equal(signal, null);
  });
});
