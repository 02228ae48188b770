/**
 * Specs of the link to a real child process, and of the output it writes just before it
 * exits.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { childLink, type LineFault } from "../../../lib/wire/index.ts";
import { LinkLog, settle } from "../../support/wire/link-log.ts";
import { endProgram, isRunning, openProgram, program } from "../../support/wire/programs.ts";

const echo = "process.stdin.pipe(process.stdout)";

describe("childLink", { concurrency: true }, () => {
  it("a child link carries lines both ways, and the child exits when its input ends", async () => {
    const { link, log } = openProgram(echo);
    assert.ok(link.pid !== undefined);
    for (const line of ["a", "é", "{}"]) link.send(line);
    await log.has("line {}");
    assert.deepEqual(log.lines, ["a", "é", "{}"]);
    link.close("done");
    assert.equal(await log.closed, "done");
  });

  it("a child link passes arguments, folder and environment unchanged", async () => {
    const code = "say(JSON.stringify([process.argv.slice(1), process.cwd(), process.env.MARK, process.env.HOME]))";
    const args = ["$(echo x)", "a b", "*", "; exit 1", "'\"", "--flag"];
    const { log } = openProgram(code, { cwd: "/", env: { MARK: "1" } }, args);
    await log.closed;
    assert.deepEqual(JSON.parse(log.lines[0] ?? ""), [args, "/", "1", null]);
  });

  it("a child link calls callbacks that are methods of an object", async () => {
    const reported: string[] = [];
    class Callbacks {
      readonly name = "ends";
      tell(what: string): void {
        reported.push(`${this.name} ${what}`);
      }
      onLine(line: string): void {
        this.tell(line);
      }
      onFault({ kind }: LineFault): void {
        this.tell(kind);
      }
      onDrain(): void {}
      onEnd(): void {
        this.tell("end");
      }
      onClose(): void {
        this.tell("close");
        closed();
      }
    }
    let closed = (): void => {};
    const closing = new Promise<void>((resolve) => (closed = resolve));
    const link = program("say('a'); fs.writeSync(1, Buffer.from([0xff, 10])); fs.closeSync(1); process.stdin.resume()");
    link.open(new Callbacks());
    while (!reported.includes("ends end")) await new Promise(setImmediate);
    link.close("done");
    await closing;
    assert.deepEqual(reported, ["ends a", "ends invalid-utf8", "ends end", "ends close"]);
  });

  it("a child link reports the exit code of a program that exits by itself", async () => {
    const { log } = openProgram("process.exit(7)");
    assert.equal(await log.closed, "the program exited with code 7");
  });

  it("a child link reports the signal that ended a program", async () => {
    const { log } = openProgram("process.kill(process.pid, 'SIGKILL'); setInterval(() => {}, 1000)");
    assert.equal(await log.closed, "the program was ended by SIGKILL");
  });

  it("a child link refuses lines once the program has exited", async () => {
    const { link, log } = openProgram("");
    await log.closed;
    assert.equal(link.send("anyone?"), false);
    link.close("late");
    await settle();
    assert.deepEqual(
      log.events.filter((event) => event !== "end"),
      ["close the program exited with code 0"],
    );
  });

  it("a child link reports the end of the output when the program closes it and goes on reading", async () => {
    const code = "fs.closeSync(1); process.stdin.on('data', (text) => process.stderr.write('heard ' + text))";
    let received: (text: string) => void = () => {};
    const hearing = new Promise<string>((resolve) => (received = resolve));
    const { link, log } = openProgram(code, { onStderr: (text) => received(text) });
    await log.has("end");
    link.send("still there?");
    assert.equal(await hearing, "heard still there?\n");
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(log.events, ["end", "close done"]);
  });

  it("a child link that is opened after the program exited reports the exit", async () => {
    const link = program("process.exit(3)");
    while (isRunning(link.pid ?? 0)) await settle();
    let log = new LinkLog();
    link.open(log);
    assert.equal(await log.closed, "the program exited with code 3");
    const closedFirst = program(echo);
    closedFirst.close("before it was open");
    log = new LinkLog();
    closedFirst.open(log);
    assert.equal(await log.closed, "before it was open");
  });
});

describe("a program that cannot be started", { concurrency: true }, () => {
  async function whyNot(command: string, args: readonly string[] = [], cwd?: string): Promise<string> {
    const link = childLink(command, args, { cwd });
    const log = new LinkLog();
    link.open(log);
    assert.equal(link.send("anyone?"), false);
    link.pause();
    link.resume();
    link.close("never mind");
    const reason = await log.closed;
    await settle();
    assert.deepEqual(log.events, [`close ${reason}`]);
    assert.equal(link.pid, undefined);
    assert.equal(link.stderrTail(), "");
    return reason;
  }

  it("a program that cannot be started is reported with the error code, whether Node throws or emits it", async () => {
    assert.equal(await whyNot("no-such-program"), "could not start no-such-program: ENOENT");
    assert.equal(await whyNot("/"), "could not start /: EACCES");
    assert.equal(await whyNot(process.execPath, [], "/no/such/folder"), `could not start ${process.execPath}: ENOENT`);
    assert.equal(await whyNot(`${process.execPath}/x`), `could not start ${process.execPath}/x: ENOTDIR`);
    assert.equal(await whyNot("true", ["x".repeat(4_000_000)]), "could not start true: E2BIG");
    assert.equal(await whyNot("true", ["a\0b"]), "could not start true: ERR_INVALID_ARG_VALUE");
  });

  it("a program that cannot be started is reported to a link that is opened later, and nothing is thrown before", async () => {
    const link = childLink("no-such-program");
    await settle();
    const log = new LinkLog();
    link.open(log);
    assert.equal(await log.closed, "could not start no-such-program: ENOENT");
  });
});

describe("the last output of a program", { concurrency: true }, () => {
  // In one write, and no more than a pipe and a stream's buffer hold, so that the program need not wait for a reader.
  // A pipe of Windows holds less.
  const lineCount = process.platform === "win32" ? 500 : 1500;
  const lastWords = `say(Array.from({ length: ${lineCount} }, (_, i) => String(i).padEnd(99, 'x')).join('\\n')); process.exit(3)`;
  const exit = "the program exited with code 3";

  it("the last output of a program arrives complete, before the exit is reported", async () => {
    const { log } = openProgram(lastWords);
    assert.equal(await log.closed, exit);
    assert.equal(log.lines.length, lineCount);
    assert.equal(log.events.at(-1), `close ${exit}`);
  });

  it("the last output of a program arrives complete when the reader is paused", async () => {
    const { link, log } = openProgram(lastWords);
    link.pause();
    assert.equal(await log.closed, exit);
    assert.equal(log.lines.length, lineCount);
  });

  it("the last output of a program arrives complete when the reader was paused for longer than the drain timeout", async () => {
    const link = program(lastWords);
    const log = new LinkLog(() => {
      if (log.lines.length === 1) Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);
    });
    link.open(log);
    link.pause();
    assert.equal(await log.closed, exit);
    assert.equal(log.lines.length, lineCount);
  });

  it("the last output of a program arrives when we write to it after it stopped reading", async () => {
    const code =
      "process.stdin.destroy(); fs.closeSync(0); say('deaf'); setTimeout(() => { say('bye'); process.exit(3) }, 100)";
    const { link, log } = openProgram(code);
    await log.has("line deaf");
    link.send("anyone?");
    assert.equal(await log.closed, exit);
    assert.deepEqual(log.lines, ["deaf", "bye"]);
  });

  it("the last output of a program arrives after we closed the link", async () => {
    const code = "process.stdin.on('data', () => {}).on('end', () => { say('saved'); console.log('bye') })";
    const { link, log } = openProgram(code);
    link.send("a");
    link.close("done");
    assert.equal(await log.closed, "done");
    assert.deepEqual(log.lines, ["saved", "bye"]);
    assert.equal(link.stderrTail(), "");
  });

  it("the last output of a program arrives though a descendant holds the pipes, without the descendant's later output", async () => {
    const descendant = "setInterval(() => process.stdout.write('noise\\\\n'), 5000)";
    const code = `const { spawn } = require('child_process');
      const { pid } = spawn(process.execPath, ['-e', "${descendant}"], { stdio: 'inherit', detached: true });
      say(pid); say('bye'); process.exit(3)`;
    const { log } = openProgram(code);
    assert.equal(await log.closed, exit);
    assert.deepEqual(log.lines.slice(1), ["bye"]);
    endProgram(Number(log.lines[0]));
  });

  it("the last output of a program is not awaited for ever when a descendant keeps writing", async () => {
    const descendant = "setInterval(() => process.stdout.write('noise\\\\n'), 20)";
    const code = `const { spawn } = require('child_process');
      const { pid } = spawn(process.execPath, ['-e', "${descendant}"], { stdio: 'inherit', detached: true });
      say(pid); process.exit(3)`;
    const { log } = openProgram(code);
    assert.equal(await log.closed, exit);
    const reported = log.events.length;
    await settle();
    assert.equal(log.events.length, reported);
    endProgram(Number(log.lines[0]));
  });
});
