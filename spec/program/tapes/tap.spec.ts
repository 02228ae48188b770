/**
 * `bowline tap`: forwards without a difference, and records and validates everything.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { readRows, type Row } from "../../../lib/tape/index.ts";
import { bowline, run, type Run, scratch } from "../../support/program/run-program.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { converse } from "../../support/program/official-conversation.ts";

const place = scratch();
const official = await bundledProgram(
  fileURLToPath(new URL("../../support/interop/programs/official-agent.ts", import.meta.url)),
);
let tapes = 0;

interface Tapped extends Run {
  readonly tape: string;
  readonly rows: () => readonly Row[];
}

/** Starts `bowline tap` with an agent of one line of JavaScript. */
function tapped(code: string, output?: string): Tapped {
  const tape = output ?? join(place, `tape-${++tapes}.ndjson`);
  const started = run(["tap", "-o", tape, "--", process.execPath, "-e", code]);
  return { ...started, tape, rows: () => readRows(readFileSync(tape, "utf8")) };
}

const echo = "process.stdin.on('data', (c) => process.stdout.write(c))";

describe("bowline tap", () => {
  it("bowline tap forwards bytes unchanged, whatever they are and however they are split", async () => {
    const { child, ended } = tapped(echo);
    const bytes = Buffer.concat([
      Buffer.from('{"jsonrpc":"2.0","method":"_x"}\r\n\n  \nnot json\n'),
      Buffer.from([0xff, 0xfe, 0x00, 0x0a, 0xc3]),
      Buffer.from("x".repeat(300_000)),
      randomBytes(100_000),
      Buffer.from("\nhalf a line"),
    ]);
    for (let at = 0; at < bytes.length; at += 7777) child.stdin.write(bytes.subarray(at, at + 7777));
    child.stdin.end();
    const { stdout, code } = await ended;
    assert.ok(stdout.equals(bytes));
    assert.equal(code, 0);
  });

  it("bowline tap forwards half a line before the rest has arrived", async () => {
    const { child, says, ended } = tapped(echo);
    child.stdin.write('{"jsonrpc":');
    await says('{"jsonrpc":');
    child.stdin.end();
    await ended;
  });

  it("bowline tap ends with the agent's exit code or signal", async () => {
    const { child, ended, rows } = tapped("process.stdin.resume().on('end', () => process.exit(42))");
    child.stdin.end();
    assert.deepEqual(pick(await ended), [42, null]);
    assert.deepEqual(
      rows().map(({ kind }) => kind),
      ["meta", "eof", "exit"],
    );
    const killed = tapped("process.kill(process.pid, 'SIGKILL')");
    assert.deepEqual(pick(await killed.ended), [null, "SIGKILL"]);
    const last = killed.rows().at(-1);
    assert.equal(last?.kind === "exit" && last.signal, "SIGKILL");
  });

  it("bowline tap with faults doubles, cuts and kills, and marks each fault on the tape", async () => {
    const faulty = (flags: readonly string[]): Tapped => {
      const tape = join(place, `tape-${++tapes}.ndjson`);
      const started = run(["tap", ...flags, "-o", tape, "--", process.execPath, "-e", echo]);
      return { ...started, tape, rows: () => readRows(readFileSync(tape, "utf8")) };
    };
    const doubled = faulty(["--duplicate", "1", "--seed", "4"]);
    doubled.child.stdin.end('{"a":1}\n');
    const { stdout, stderr } = await doubled.ended;
    assert.equal(stdout.toString(), '{"a":1}\n{"a":1}\n');
    assert.match(stderr, /faults with --seed 4/);
    assert.ok(
      doubled.rows().some((row) => row.kind === "problem" && row.about.startsWith("fault: a message is sent twice")),
    );
    const dead = faulty(["--die-after", "1"]);
    dead.child.stdin.write("1\n2\n3\n");
    assert.deepEqual(pick(await dead.ended), [null, "SIGKILL"]);
    const cut = faulty(["--cut-after", "1"]);
    cut.child.stdin.write("1\nabcdef\n3\n");
    assert.equal((await cut.ended).stdout.toString(), "1\nabc");
  });

  it("bowline tap forwards signals to the agent", async () => {
    for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
      const { child, says, ended } = tapped(
        `process.on('${signal}', () => process.exit(9)); console.log('ready'); setInterval(() => {}, 1000)`,
      );
      await says("ready");
      child.kill(signal);
      assert.deepEqual(pick(await ended), [9, null], signal);
    }
    const { child, says, ended } = tapped("console.log('ready'); setInterval(() => {}, 1000)");
    await says("ready");
    child.kill("SIGTERM");
    assert.deepEqual(pick(await ended), [null, "SIGTERM"], "one that does not handle it");
  });

  it("bowline tap forwards stderr and records it", async () => {
    const { child, ended, rows } = tapped("process.stderr.write('a word\\nhalf'); process.stdin.resume()");
    child.stdin.end();
    assert.match((await ended).stderr, /^bowline: recording to .*\na word\nhalf$/);
    assert.deepEqual(
      rows().flatMap((row) => (row.kind === "stderr" ? [row.text] : [])),
      ["a word", "half"],
    );
  });

  it("bowline tap applies backpressure to the agent when the editor does not read", async () => {
    const code = `const line = 'x'.repeat(65535) + '\\n'; let sent = 0;
      (function more() { while (sent < 400) { sent++; if (!process.stdout.write(line)) return process.stdout.once('drain', more); } process.exit(); })();
      setInterval(() => process.stderr.write('sent ' + sent + ';'), 50).unref();
      process.stdin.resume();`;
    const { child, ended, stderr } = tapped(code);
    child.stdout.pause();
    // The agent is blocked when it reports the same number twice.
    for (let last = "", same = 0; same < 5;) {
      // An agent that was never blocked has finished and reports nothing more.
      await Promise.race([once(child.stderr, "data"), new Promise((resolve) => setTimeout(resolve, 3000))]);
      const sent = /sent \d+;(?=[^;]*$)/.exec(stderr())?.[0] ?? "";
      same = sent !== "" && sent === last ? same + 1 : 0;
      last = sent;
    }
    const sent = Number(/sent (\d+);[^;]*$/.exec(stderr())?.[1]);
    assert.ok(sent < 100, `${sent} of 400 lines were taken from it`);
    child.stdout.resume();
    assert.equal((await ended).stdout.length, 400 * 65536);
  });

  it("bowline tap closes the agent's input when the editor has gone", async () => {
    const { child, says, ended } = tapped(
      "process.stdout.on('error', () => process.exit(3)); setInterval(() => console.log('tick'), 5)",
    );
    await says("tick");
    child.stdout.destroy();
    assert.deepEqual(pick(await ended), [3, null]);
  });

  it("bowline tap reports each problem once, without the value, and marks it on the tape", async () => {
    const { child, ended, rows } = tapped(echo);
    const bad = `{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"a"}}\n`;
    child.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":"hunter2"}}\n');
    child.stdin.write(bad.repeat(1000));
    child.stdin.end();
    const { stderr } = await ended;
    assert.deepEqual(stderr.trimEnd().split("\n").slice(1), [
      "bowline tap: the client: initialize: protocolVersion must be an integer",
      'bowline tap: the agent: "initialize": not a method of the protocol for this side',
      'bowline tap: the agent: "session/cancel": not a method of the protocol for this side',
      "bowline tap: 1002 problems in 2002 messages; all are marked on the tape",
    ]);
    assert.ok(!stderr.includes("hunter2"));
    const [, first, problem] = rows();
    assert.equal(first?.kind, "message");
    assert.equal(problem?.kind === "problem" && problem.about, "initialize: protocolVersion must be an integer");
    assert.equal(rows().filter(({ kind }) => kind === "problem").length, 1002);
  });

  it("bowline tap limits the number of problems it prints", async () => {
    const { child, ended } = tapped("process.stdin.resume()");
    for (let i = 0; i < 500; i++) child.stdin.write(`{"jsonrpc":"2.0","id":${i},"method":"unknown/${i}"}\n`);
    child.stdin.end();
    const lines = (await ended).stderr.trimEnd().split("\n");
    assert.equal(lines.length, 1 + 50 + 1);
    assert.match(lines[50] ?? "", /; further problems are only counted$/);
  });

  it("bowline tap goes on when the disk is full, with one warning", { skip: !existsSync("/dev/full") }, async () => {
    const { child, ended } = tapped(echo, "/dev/full");
    const lines = '{"jsonrpc":"2.0","method":"_x"}\n'.repeat(2000);
    child.stdin.end(lines);
    const { stdout, stderr, code } = await ended;
    assert.equal(stdout.toString(), lines);
    assert.equal(code, 0);
    assert.match(
      stderr,
      /^bowline: recording to \/dev\/full; keep it to yourself, .*\nbowline: the recording \/dev\/full stopped \(no space/,
    );
    assert.equal(stderr.trimEnd().split("\n").length, 2);
  });

  it("bowline tap says what to do when the agent cannot be started, and leaves no tape", async () => {
    const tape = join(place, "none.ndjson");
    const { code, stderr } = await run(["tap", "-o", tape, "--", "no-such-agent"]).ended;
    assert.equal(code, 1);
    assert.equal(stderr, "bowline: could not start no-such-agent (ENOENT); is it installed, and on PATH?\n");
    assert.ok(!existsSync(tape));
    assert.equal((await run(["tap"]).ended).code, 2);
  });

  it("bowline tap changes nothing between the official client and the official agent, and finds no problem", async () => {
    const tape = join(place, "official.ndjson");
    const agent = [process.execPath, official];
    const direct = await converse(agent);
    const through = await converse(bowline(["tap", "-o", tape, "--", ...agent]));
    assert.deepEqual(through.told, direct.told);
    assert.ok(direct.told.length > 10);
    assert.match(through.stderr, /^bowline: recording to .*\n$/);
    assert.equal(statSync(tape).mode & 0o777, 0o600);
    const rows = readRows(readFileSync(tape, "utf8"));
    assert.deepEqual(
      rows.filter(({ kind }) => kind === "problem"),
      [],
    );
    assert.ok(rows.filter(({ kind }) => kind === "message").length > 10);
    assert.ok(rows.every(({ atMs }, i) => atMs >= (rows[i - 1]?.atMs ?? 0)));
  });
});

function pick({ code, signal }: { readonly code: number | null; readonly signal: string | null }): readonly unknown[] {
  return [code, signal];
}
