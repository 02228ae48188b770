/**
 * `ClaudeProcess` with small scripts that play the CLI.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { describe, it } from "node:test";
import { ClaudeExit, ClaudeProcess, type ProcessLaunch } from "../../../lib/claude/index.ts";
import { runIdVariable } from "../../../lib/process/index.ts";
import type { LineFault } from "../../../lib/wire/index.ts";
import { bundledProgram } from "../../support/bundled-program.ts";

interface LinkHarness {
  readonly link: ClaudeProcess;
  readonly lines: string[];
  readonly faults: LineFault[];
  /** Resolves with the n-th line; fails when the link closes first. */
  readonly line: (n: number) => Promise<string>;
  readonly closed: Promise<string>;
  readonly closings: () => number;
}

function run(script: string, options: Partial<ProcessLaunch> = {}): LinkHarness {
  const link = new ClaudeProcess({
    command: process.execPath,
    args: ["-e", script],
    cwd: tmpdir(),
    env: { PATH: process.env["PATH"] ?? "" },
    endGraceMs: patientMs,
    termGraceMs: patientMs,
    ...options,
  });
  const lines: string[] = [];
  const faults: LineFault[] = [];
  let closings = 0;
  let wake = (): void => {};
  let resolveClosed: (reason: string) => void = () => {};
  const closed = new Promise<string>((resolve) => (resolveClosed = resolve));
  link.open({
    onLine(line) {
      lines.push(line);
      wake();
    },
    onFault: (fault) => faults.push(fault),
    onDrain() {},
    onEnd() {},
    onClose(reason) {
      closings++;
      resolveClosed(reason);
      wake();
    },
  });
  const line = async (n: number): Promise<string> => {
    for (;;) {
      const found = lines[n];
      if (found !== undefined) return found;
      if (closings > 0) assert.fail(`closed before line ${n}`);
      await new Promise<void>((resolve) => (wake = resolve));
    }
  };
  return { link, lines, faults, line, closed, closings: () => closings };
}

function exitOf({ link }: LinkHarness): ClaudeExit {
  return link.exit() ?? assert.fail("the link has not closed");
}

/** Whether the process runs and is not a zombie. */
function isAlive(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3) !== "Z";
  } catch {
    return false;
  }
}

/** Resolves when the process has exited. The time limit of the suite ends an endless wait. */
async function gone(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise((resolve) => setTimeout(resolve, 10));
}

/** A grace period that never runs out, even on a busy machine: the CLI must exit without a signal. */
const patientMs = 15_000;
/** A short grace period, for tests in which it must run out. */
const brief = { endGraceMs: 50, termGraceMs: 500 };
const asked = { endGraceMs: 50 };

const echo = `process.stdin.on("data", (d) => process.stdout.write(d));`;
/** Starts a sleeping process in a session of its own, as the CLI starts Bash, and prints its pid. */
const startSleeper = `
  const sleeper = require("node:child_process").spawn("sleep", ["60"], { detached: true, stdio: "ignore" });
  console.log(JSON.stringify({ pid: sleeper.pid }));`;
const pidIn = (line: string): number => JSON.parse(line).pid;

// Bundled before the tests, which kill and watch child processes of this one.
const claudeModule = JSON.stringify(
  join(import.meta.dirname, `../../../lib/claude/index${extname(import.meta.filename)}`),
);
// The CLI ignores SIGTERM and runs a command in a session of its own: the worst case.
const stubbornCli = `process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); ${startSleeper}`;
const hostOfStubbornCli = await bundledProgram({
  code: `
    import { ClaudeProcess } from ${claudeModule};
    const link = new ClaudeProcess({ command: process.execPath, args: ["-e", ${JSON.stringify(stubbornCli)}], cwd: "/", env: process.env });
    const none = () => {};
    link.open({ onFault: none, onDrain: none, onEnd: none, onClose: none,
      onLine: (line) => console.log(JSON.stringify({ cli: link.pid, sleeper: JSON.parse(line).pid })) });`,
});
const hostOfCli = await bundledProgram({
  code: `
    import { ClaudeProcess } from ${claudeModule};
    const link = new ClaudeProcess({ command: process.execPath, args: ["-e", "setInterval(() => {}, 1000)"], cwd: "/", env: process.env });
    console.log(link.pid);`,
});
const guardHolder = await bundledProgram({
  code: `
    import { orphanGuard } from "./lib/process/orphan-guard${extname(import.meta.filename)}";
    orphanGuard(Number(process.argv[2]), process.argv[3], process.argv[4] !== "leaves-nothing"); console.log("held"); setInterval(() => {}, 1000);`,
});

describe("ClaudeProcess", { timeout: 60_000 }, () => {
  it("the CLI process carries lines both ways and closes when its input ends", async () => {
    const harness = run(echo);
    harness.link.send('{"a":"é"}');
    assert.equal(await harness.line(0), '{"a":"é"}');
    harness.link.close("done");
    assert.equal(await harness.closed, "done");
    assert.deepEqual([exitOf(harness).code, exitOf(harness).signal], [0, null]);
    assert.equal(harness.closings(), 1);
  });

  it("close sends queued lines before it ends the input and still delivers later output", async () => {
    const harness = run(`
      let all = "";
      process.stdin.on("data", (d) => (all += d));
      process.stdin.on("end", () => console.log(JSON.stringify({ got: all.length })));`);
    const big = JSON.stringify({ text: "x".repeat(1_000_000) });
    harness.link.send(big);
    harness.link.send("{}");
    harness.link.close("done");
    await harness.closed;
    assert.deepEqual(harness.lines, [JSON.stringify({ got: big.length + 4 })]);
  });

  it("send refuses a line that is not one JSON object", async () => {
    const harness = run(echo);
    for (const line of ["", "x", "[]", "null", "{", '{"a":1}\n{"b":2}', '{"a":1} trailing', "{'a':1}"]) {
      assert.throws(() => harness.link.send(line), TypeError);
    }
    harness.link.send('{"only":1}');
    assert.equal(await harness.line(0), '{"only":1}');
    harness.link.close("done");
    await harness.closed;
    assert.deepEqual(harness.lines, ['{"only":1}']);
    assert.equal(harness.link.send("{}"), false);
  });

  it("the CLI process delivers garbage as lines and reads on", async () => {
    const harness = run(`
      process.stdout.write("warning\\n\\n\\xff\\n", "latin1");
      process.stdout.write('{"ok":1}\\n');
      ${echo}`);
    assert.equal(await harness.line(1), '{"ok":1}');
    assert.equal(harness.lines[0], "warning");
    assert.deepEqual(harness.faults, [{ kind: "invalid-utf8" }]);
    harness.link.close("done");
    await harness.closed;
  });

  it("the CLI process delivers a huge line and skips one beyond the limit", async () => {
    const harness = run(
      `
      process.stdout.write('"' + "x".repeat(900_000) + '"\\n');
      process.stdout.write('"' + "x".repeat(1_100_000) + '"\\n');
      process.stdout.write('{"ok":1}\\n');
      ${echo}`,
      { maxLineBytes: 1_000_000 },
    );
    assert.equal((await harness.line(0)).length, 900_002);
    assert.equal(await harness.line(1), '{"ok":1}');
    assert.deepEqual(harness.faults, [{ kind: "too-long", maxLineBytes: 1_000_000 }]);
    harness.link.close("done");
    await harness.closed;
  });

  it("the CLI process delivers a line of 50 MB and skips one of 70 MB without buffering it", async () => {
    const harness = run(`
      const mega = "x".repeat(1_000_000);
      const write = (text) => new Promise((done) => process.stdout.write(text, done));
      const line = async (megas) => {
        await write('{"text":"');
        for (let i = 0; i < megas; i++) await write(mega);
        await write('"}\\n');
      };
      line(50).then(() => line(70)).then(() => write('{"ok":1}\\n'));
      ${echo}`);
    assert.equal((await harness.line(0)).length, 50_000_011);
    assert.equal(await harness.line(1), '{"ok":1}');
    assert.deepEqual(harness.faults, [{ kind: "too-long", maxLineBytes: 64 * 1024 * 1024 }]);
    harness.link.close("done");
    await harness.closed;
  });

  it("the exit of a CLI that dies within a line carries its exit code and stderr", async () => {
    const harness = run(`
      process.stdout.write('{"whole":1}\\n{"half":');
      process.stderr.write("Error: out of luck\\n");
      setImmediate(() => process.exit(7));`);
    assert.equal(await harness.closed, "the Claude CLI exited with code 7");
    const exit = exitOf(harness);
    assert.ok(exit instanceof ClaudeExit);
    assert.deepEqual([exit.code, exit.signal, exit.stderr], [7, null, ["Error: out of luck"]]);
    assert.equal(harness.lines[0], '{"whole":1}');
  });

  it("the exit names the signal that ended the CLI", async () => {
    const harness = run(`process.kill(process.pid, "SIGKILL")`);
    assert.equal(await harness.closed, "the Claude CLI was ended by SIGKILL");
    assert.equal(exitOf(harness).signal, "SIGKILL");
  });

  it("only the tail of a flood on stderr is kept", async () => {
    const harness = run(`
      const text = "noise ".repeat(10_000) + "\\n";
      for (let i = 0; i < 200; i++) process.stderr.write(text);
      process.stderr.write("the last word\\n", () => process.exit(1));`);
    await harness.closed;
    assert.equal(harness.link.stderrTail.length, 8 * 1024);
    assert.equal(exitOf(harness).stderr.at(-1), "the last word");
  });

  it("the kept tail of stderr never begins within a character", async () => {
    const harness = run(`process.stderr.write("\u{1f600}".repeat(10_000) + "x", () => process.exit(1));`);
    await harness.closed;
    const kept = `${"\u{1f600}".repeat(4 * 1024 - 1)}x`;
    assert.equal(harness.link.stderrTail, kept);
    assert.deepEqual(exitOf(harness).stderr, [kept]);
  });

  it("the link closes with a reason when the program cannot be started", async () => {
    for (const launch of [{ command: "/nonexistent/claude" }, { cwd: "/nonexistent" }]) {
      const harness = run("", launch);
      assert.equal(await harness.closed, `could not start ${launch.command ?? process.execPath}: ENOENT`);
      assert.equal(harness.link.pid, undefined);
      harness.link.send("{}");
      await harness.link.kill();
      harness.link.close("again");
      assert.equal(harness.closings(), 1);
    }
  });

  it("the constructor throws ClaudeExit when spawning fails at once", () => {
    assert.throws(() => run("", { args: ["a\0b"] }), ClaudeExit);
  });

  it("close sends SIGTERM to a CLI that does not exit at the end of its input", async () => {
    const harness = run(
      `
      setInterval(() => {}, 1000);
      process.on("SIGTERM", () => process.exit(143));
      console.log("{}");`,
      asked,
    );
    await harness.line(0);
    harness.link.close("done");
    assert.equal(await harness.closed, "done");
    assert.equal(exitOf(harness).code, 143);
  });

  it("close kills a CLI that ignores SIGTERM", async () => {
    const harness = run(
      `
      setInterval(() => {}, 1000);
      process.on("SIGTERM", () => console.log('{"ignored":1}'));
      console.log("{}");`,
      brief,
    );
    await harness.line(0);
    harness.link.close("done");
    assert.equal(await harness.closed, "done");
    assert.equal(exitOf(harness).signal, "SIGKILL");
    assert.equal(harness.lines[1], '{"ignored":1}', "it was asked first");
  });

  it("a grandchild in a session of its own is killed when the CLI has to be killed", async () => {
    const harness = run(`process.on("SIGTERM", () => {}); setInterval(() => {}, 1000); ${startSleeper}`, brief);
    const pid = pidIn(await harness.line(0));
    assert.ok(isAlive(pid));
    harness.link.close("done");
    await harness.closed;
    await gone(pid);
  });

  it("a grandchild that a CLI leaves behind at SIGTERM is killed", async () => {
    const harness = run(
      `setInterval(() => {}, 1000); process.on("SIGTERM", () => process.exit(0)); ${startSleeper}`,
      asked,
    );
    const pid = pidIn(await harness.line(0));
    harness.link.close("done");
    await harness.closed;
    assert.equal(exitOf(harness).code, 0);
    await gone(pid);
  });

  it("kill ends the CLI and its descendants at once", async () => {
    const harness = run(`setInterval(() => {}, 1000); ${startSleeper}`);
    const pid = pidIn(await harness.line(0));
    await harness.link.kill();
    assert.equal(await harness.closed, "the Claude CLI was ended by SIGKILL");
    await gone(pid);
  });

  it("the link closes although another process holds the pipes open", async () => {
    const harness = run(`
      const child = require("node:child_process").spawn("sleep", ["60"], { detached: true, stdio: "inherit" });
      console.log(JSON.stringify({ pid: child.pid }));
      child.unref();
      setTimeout(() => process.exit(5), 50);`);
    const pid = pidIn(await harness.line(0));
    try {
      assert.equal(await harness.closed, "the Claude CLI exited with code 5");
    } finally {
      process.kill(pid, "SIGKILL");
    }
  });

  it("a CLI that closes its output is stopped", async () => {
    const harness = run(`require("node:fs").closeSync(1); setInterval(() => {}, 1000);`, asked);
    assert.equal(await harness.closed, "the Claude CLI closed its output");
    assert.equal(exitOf(harness).signal, "SIGTERM");
  });

  it("a CLI that does not read its input is stopped", async () => {
    const harness = run(`setInterval(() => {}, 1000);`, { ...asked, maxQueuedChars: 1_000_000 });
    const line = JSON.stringify({ text: "x".repeat(400_000) });
    for (let i = 0; i < 4; i++) harness.link.send(line);
    assert.match(await harness.closed, /does not read/);
    assert.equal(harness.closings(), 1);
  });

  it("the link closes once, with the exit status, when writing fails", async () => {
    const harness = run(`process.stdin.destroy(); console.log("{}"); setTimeout(() => process.exit(9), 300);`);
    await harness.line(0);
    for (let i = 0; i < 10; i++) harness.link.send(JSON.stringify({ text: "x".repeat(100_000) }));
    assert.equal(await harness.closed, "the Claude CLI exited with code 9");
    assert.equal(harness.closings(), 1);
  });

  it("the CLI is held back while reading is paused", async () => {
    const harness = run(`
      process.stdout.write('{"n":1}\\n');
      process.stdin.once("data", () => {
        let hasWaited = false;
        const more = (i) => {
          if (i === 200) return console.log(JSON.stringify({ hasWaited }));
          const sent = Date.now();
          process.stdout.write(JSON.stringify({ text: "x".repeat(10_000) }) + "\\n", () => {
            if (Date.now() - sent > 200) hasWaited = true;
            more(i + 1);
          });
        };
        more(0);
      });
      process.stdin.on("end", () => process.exit(0));`);
    await harness.line(0);
    harness.link.pause();
    harness.link.send("{}");
    // There is no event to wait for: the CLI blocks in a write, so the test waits some time.
    await new Promise((resolve) => setTimeout(resolve, 500));
    assert.equal(harness.lines.length, 1);
    harness.link.resume();
    assert.equal(await harness.line(201), '{"hasWaited":true}');
    harness.link.close("done");
    await harness.closed;
  });

  it("the last output of an exited CLI is delivered although reading was paused", async () => {
    const harness = run(`
      process.stdout.write('{"n":1}\\n');
      process.stdin.once("data", () => {
        for (let i = 0; i < 100; i++) process.stdout.write('{"n":2}\\n');
        process.stdout.write("", () => process.exit(0));
      });`);
    await harness.line(0);
    harness.link.pause();
    harness.link.send("{}");
    await harness.closed;
    assert.equal(harness.lines.length, 101);
  });

  it("nothing keeps running when our own process is killed", async () => {
    const child = spawn(process.execPath, [hostOfStubbornCli], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: join(import.meta.dirname, "../../.."),
    });
    const [said] = await once(child.stdout, "data");
    const { cli: cliPid, sleeper } = JSON.parse(String(said));
    assert.ok(isAlive(cliPid) && isAlive(sleeper));
    child.kill("SIGKILL");
    await gone(cliPid);
    await gone(sleeper);
  });

  it("nothing keeps running when the orphan guard is killed and then our own process", async () => {
    const child = spawn(process.execPath, [hostOfCli], {
      stdio: ["ignore", "pipe", "inherit"],
      cwd: join(import.meta.dirname, "../../.."),
    });
    const [said] = await once(child.stdout, "data");
    const [first = assert.fail("no guard")] = orphanGuards(child.pid);
    process.kill(first, "SIGKILL");
    try {
      const limit = performance.now() + 20_000;
      while (orphanGuards(child.pid).every((pid) => pid === first)) {
        assert.ok(performance.now() < limit, "another guard is started");
        await new Promise((resolve) => setTimeout(resolve, 10));
      }
    } finally {
      child.kill("SIGKILL");
    }
    await gone(Number(said));
  });

  it("the orphan guard is released when the CLI exits by itself", async () => {
    const before = orphanGuards();
    const harness = run(echo);
    assert.equal(orphanGuards().length, before.length + 1);
    harness.link.close("done");
    await harness.closed;
    for (const pid of orphanGuards().filter((given) => !before.includes(given))) await gone(pid);
  });

  it("the descendants of a CLI that is a zombie are killed", async () => {
    const runId = "spec-unburied";
    // The parent never waits for its child, so the child stays a zombie.
    const parent = spawn("/bin/sh", ["-c", "setsid true & echo $!; exec sleep 1000"]);
    const [said] = await once(parent.stdout, "data");
    const dead = Number(String(said));
    const command = spawn("sleep", ["1000"], { detached: true, stdio: "ignore", env: { [runIdVariable]: runId } });
    const host = spawn(process.execPath, [guardHolder, String(dead), runId]);
    try {
      await once(host.stdout, "data");
      const ended = once(command, "exit", { signal: AbortSignal.timeout(patientMs) });
      host.kill("SIGKILL");
      assert.deepEqual(await ended, [null, "SIGKILL"]);
    } finally {
      for (const one of [parent, command, host]) one.kill("SIGKILL");
    }
  });

  it("the guard of a CLI that leaves no daemons kills the child of a shell that has exited", async () => {
    const runId = "spec-no-daemons";
    const cli = spawn("true", { detached: true });
    await once(cli, "exit");
    const started = spawn("/bin/sh", ["-c", "sleep 1000 > /dev/null & echo $!"], {
      detached: true,
      stdio: ["ignore", "pipe", "ignore"],
      env: { PATH: process.env["PATH"], [runIdVariable]: runId },
    });
    const [said] = await once(started.stdout, "data");
    const sleeper = Number(String(said));
    // The leader of its session has exited, as that of a daemon.
    await gone(started.pid ?? assert.fail("not started"));
    const host = spawn(process.execPath, [guardHolder, String(cli.pid), runId, "leaves-nothing"]);
    try {
      await once(host.stdout, "data");
      assert.ok(isAlive(sleeper));
      host.kill("SIGKILL");
      await gone(sleeper);
    } finally {
      host.kill("SIGKILL");
      if (isAlive(sleeper)) process.kill(sleeper, "SIGKILL");
    }
  });

  it("the program gets its arguments without interpretation by a shell", async () => {
    const directory = mkdtempSync(join(tmpdir(), "spec-"));
    try {
      const odd = `$(touch ${directory}/made) ; "quoted" *`;
      const harness = run(`console.log(JSON.stringify(process.argv.slice(1)))`, {
        args: ["-e", "console.log(JSON.stringify(process.argv.slice(1)))", odd],
      });
      assert.deepEqual(JSON.parse(await harness.line(0)), [odd]);
      await harness.closed;
      assert.deepEqual(readdirSync(directory), []);
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});

/** The orphan guards of a process; by default of this process. */
function orphanGuards(of: number | undefined = process.pid): readonly number[] {
  return readdirSync("/proc").flatMap((name) => {
    if (!/^\d+$/.test(name)) return [];
    try {
      const stat = readFileSync(`/proc/${name}/stat`, "latin1");
      const parent = Number(stat.slice(stat.lastIndexOf(")") + 2).split(" ")[1]);
      const isOurs = parent === of && readFileSync(`/proc/${name}/cmdline`, "utf8").includes("bowline-orphan-guard");
      return isOurs ? [Number(name)] : [];
    } catch {
      return [];
    }
  });
}
