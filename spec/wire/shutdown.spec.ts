/**
 * Specs of the shutdown of a process: signals, bugs, and the exit code.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { createInterface } from "node:readline";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { bundledProgram } from "../support/bundled-program.ts";

const program = await bundledProgram(fileURLToPath(new URL("../support/wire/shutdown-program.ts", import.meta.url)));

interface Played {
  readonly child: ChildProcess;
  readonly lines: readonly string[];
  readonly has: (line: string) => Promise<void>;
  readonly exit: Promise<unknown>;
}

async function play(): Promise<Played> {
  const child = spawn(process.execPath, [program], { stdio: ["pipe", "pipe", "ignore"] });
  const lines: string[] = [];
  const exit = once(child, "close").then(([code]: unknown[]) => code);
  const reader = createInterface({ input: child.stdout });
  reader.on("line", (line) => lines.push(line));
  const has = async (line: string): Promise<void> => {
    while (!lines.includes(line)) await once(reader, "line");
  };
  await has("ready");
  return { child, lines, has, exit };
}

describe("Shutdown", { concurrency: 2 }, () => {
  for (const [signal, code] of [["SIGHUP", 129] as const, ["SIGINT", 130] as const, ["SIGTERM", 143] as const]) {
    it(`a process shuts down in order at ${signal}, with its exit code`, async () => {
      const { child, lines, exit } = await play();
      child.kill(signal);
      assert.equal(await exit, code);
      assert.deepEqual(lines, ["ready", `ended by ${signal}`, "left in order"]);
    });
  }

  it("a process exits at once at a second signal", async () => {
    const { child, lines, has, exit } = await play();
    child.kill("SIGTERM");
    await has("ended by SIGTERM");
    child.kill("SIGINT");
    assert.equal(await exit, 143);
    assert.deepEqual(lines, ["ready", "ended by SIGTERM"]);
  });

  it("a process reports an unhandled rejection and goes on, and shuts down at an uncaught exception", async () => {
    const { child, lines, has, exit } = await play();
    child.stdin?.write("drop\n");
    await has("unhandled rejection: RangeError");
    child.stdin?.write("throw\n");
    assert.equal(await exit, 1);
    const [, , ...rest] = lines;
    assert.deepEqual(rest, ["uncaught exception: RangeError", "a bug of ours", "left in order"]);
  });

  it("a process shuts down for the first reason its owner gives", async () => {
    const { child, lines, exit } = await play();
    child.stdin?.write("end\nthrow\n");
    assert.equal(await exit, 7);
    assert.deepEqual(lines, ["ready", "it was told to", "uncaught exception: RangeError", "left in order"]);
  });
});
