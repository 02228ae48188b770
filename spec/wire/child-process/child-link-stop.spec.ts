/**
 * Specs of stopping a child process (EOF, then SIGTERM, then SIGKILL) and of the kept
 * end of its stderr.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxStderrTailChars } from "../../../lib/wire/child-process/stderr-tail.ts";
import { settle } from "../../support/wire/link-log.ts";
import { isRunning, openProgram } from "../../support/wire/programs.ts";

const stays = "setInterval(() => {}, 1000);";

describe("closing a child link", { concurrency: true }, () => {
  it("closing a child link waits for a program that exits when its input ends", async () => {
    const { link, log } = openProgram("process.stdin.resume().on('end', () => setTimeout(() => say('left'), 50))");
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(log.lines, ["left"]);
  });

  it("closing a child link sends the queued lines before it ends the input", async () => {
    const code = "let got = 0; process.stdin.on('data', (part) => (got += part.length)).on('end', () => say(got))";
    const { link, log } = openProgram(code);
    for (let i = 0; i < 100; i++) link.send("x".repeat(9999));
    link.close("done");
    assert.equal(link.send("late"), false);
    await log.closed;
    assert.deepEqual(log.lines, ["1000000"]);
  });

  it("closing a child link sends SIGTERM to a program that ignores the end of its input", async () => {
    const { link, log } = openProgram(
      `process.on('SIGTERM', () => { say('asked'); process.exit() }); ${stays} say('up')`,
      {
        graceMs: 1000,
      },
    );
    await log.has("line up");
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(log.lines, ["up", "asked"]);
  });

  it("closing a child link kills a program that ignores EOF and SIGTERM", async () => {
    const { link, log } = openProgram(`process.on('SIGTERM', () => say('no')); ${stays} say('up')`, { graceMs: 700 });
    await log.has("line up");
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(log.lines, ["up", "no"]);
    assert.ok(!isRunning(link.pid ?? 0));
  });

  it("closing a child link kills a program that neither reads nor exits while many lines are queued", async () => {
    const { link, log } = openProgram(`process.on('SIGTERM', () => {}); ${stays} say('up')`, { graceMs: 50 });
    await log.has("line up");
    for (let i = 0; i < 100; i++) link.send("x".repeat(100_000));
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.ok(!isRunning(link.pid ?? 0));
  });

  it("closing a child link lets a program exit whose output was paused in the middle", async () => {
    const code = "process.stdin.resume().on('end', () => process.exit()); say('x\\n'.repeat(2e6))";
    const { link, log } = openProgram(code);
    link.pause();
    link.close("done");
    link.pause();
    assert.equal(await log.closed, "done");
  });

  it("closing a child link happens once, with the first reason, and is reported last", async () => {
    const { link, log } = openProgram("process.stdin.pipe(process.stdout)");
    link.send("a");
    link.close("first");
    link.close("second");
    await log.closed;
    await settle();
    assert.deepEqual(
      log.events.filter((event) => event !== "end"),
      ["line a", "close first"],
    );
    assert.equal(log.events.at(-1), "close first");
  });

  it("a child link closes when the program does not read and too much is queued", async () => {
    const { link, log } = openProgram(`${stays} say('up')`, { graceMs: 50, maxQueuedChars: 1_000_000 });
    await log.has("line up");
    for (let turn = 0; turn < 100; turn++) {
      link.send("x".repeat(100_000));
      await new Promise(setImmediate);
    }
    assert.equal(await log.closed, "the other side does not read: more than 1000000 characters wait");
    assert.ok(!isRunning(link.pid ?? 0));
  });
});

describe("stderrTail", { concurrency: true }, () => {
  it("stderrTail keeps the end of stderr, and onStderr receives all of it", async () => {
    let seen = "";
    const code = "fs.writeSync(2, 'a'.repeat(50000)); fs.writeSync(2, 'the end'); process.exit(1)";
    const { link, log } = openProgram(code, { onStderr: (text) => (seen += text) });
    let atClose = "";
    void log.closed.then(() => (atClose = link.stderrTail()));
    await log.closed;
    assert.equal(seen, `${"a".repeat(50_000)}the end`);
    assert.equal(atClose.length, maxStderrTailChars);
    assert.ok(atClose.endsWith("aathe end"));
  });

  it("stderrTail is complete before the exit is reported, though stdout ended long before", async () => {
    const code = "fs.closeSync(1); fs.writeSync(2, 'x'.repeat(100000)); fs.writeSync(2, 'why'); process.exit(1)";
    const { link, log } = openProgram(code);
    await log.closed;
    assert.ok(link.stderrTail().endsWith("why"));
  });

  it("stderrTail starts with a whole character", async () => {
    const code = `fs.writeSync(2, '\\u{1f600}'.repeat(${maxStderrTailChars}) + 'x'); process.exit(1)`;
    const { link, log } = openProgram(code);
    await log.closed;
    assert.equal(link.stderrTail(), `${"\u{1f600}".repeat(maxStderrTailChars / 2 - 1)}x`);
  });
});
