/**
 * Commands: every terminal ends and is released, and the model hears how.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Commands, type TerminalExit, type Terminals } from "../../lib/tools/commands.ts";
import { open, told } from "./support/desk.ts";

interface Row {
  readonly command: string;
  output: string;
  readonly end: (exit: TerminalExit) => void;
  readonly exited: Promise<TerminalExit>;
}

class Screen {
  readonly rows: Row[] = [];
  readonly log: string[] = [];
  readonly shown: string[] = [];
  readonly commands: Commands;
  #due: (() => void)[] = [];
  isRefusing = false;

  constructor() {
    const row = (id: string): Row => this.rows[Number(id)] ?? assert.fail(`no terminal ${id}`);
    const terminals: Terminals = {
      create: async (command) => {
        if (this.isRefusing) throw new Error("no terminals today");
        let end: (exit: TerminalExit) => void = () => {};
        const exited = new Promise<TerminalExit>((resolve) => (end = resolve));
        this.rows.push({ command, output: "", end, exited });
        return String(this.rows.length - 1);
      },
      output: async (id) => ({ output: row(id).output, truncated: false }),
      exit: (id) => row(id).exited,
      kill: async (id) => {
        this.log.push(`kill ${id}`);
        row(id).end({ exitCode: null, signal: "SIGKILL" });
      },
      release: async (id) => void this.log.push(`release ${id}`),
    };
    this.commands = new Commands({
      terminals,
      onTerminal: (call, terminal) => void this.shown.push(`${call} ${terminal}`),
      after: (_ms, then) => {
        this.#due.push(then);
        return () => (this.#due = this.#due.filter((one) => one !== then));
      },
    });
  }

  /** Runs a command and does something once it is there. */
  async run(input: object, then: (row: Row) => void, signal = open()): Promise<string> {
    const running = this.commands.run({ command: "x", ...input }, "call", signal);
    await new Promise(setImmediate);
    then(this.rows.at(-1) ?? assert.fail("no terminal"));
    return told(await running);
  }

  timeIsUp(): void {
    for (const due of this.#due) due();
  }

  get waiting(): number {
    return this.#due.length;
  }
}

function ends(output: string, exit: TerminalExit): (row: Row) => void {
  return (row) => {
    row.output = output;
    row.end(exit);
  };
}

describe("Commands", () => {
  it("tells output and exit code, shows the terminal and releases it", async () => {
    const screen = new Screen();
    assert.equal(await screen.run({}, ends("out\n", { exitCode: 0 })), "out");
    assert.equal(await screen.run({}, ends("", { exitCode: 0 })), "(Bash completed with no output)");
    assert.equal(await screen.run({}, ends("bad\n", { exitCode: 3 })), "failed: Exit code 3\nbad");
    assert.equal(await screen.run({}, ends("", { exitCode: null, signal: "SIGTERM" })), "failed: Ended by SIGTERM");
    assert.deepEqual(screen.log, ["release 0", "release 1", "release 2", "release 3"]);
    assert.deepEqual(screen.shown, ["call 0", "call 1", "call 2", "call 3"]);
    assert.equal(screen.waiting, 0);
  });

  it("kills a command past its time and then asks what it said", async () => {
    const screen = new Screen();
    const late = await screen.run({ timeout: 1500 }, (row) => {
      row.output = "so far";
      screen.timeIsUp();
    });
    assert.equal(late, "failed: Command timed out after 1.5s\nso far");
    assert.deepEqual(screen.log, ["kill 0", "release 0"]);
  });

  it("kills a command that is cancelled, and starts none after a cancel", async () => {
    const screen = new Screen();
    const controller = new AbortController();
    const cancelled = await screen.run({}, () => controller.abort(), controller.signal);
    assert.equal(cancelled, "failed: The command was cancelled.");
    assert.deepEqual(screen.log, ["kill 0", "release 0"]);
    await screen.commands.run({ command: "x" }, "call", controller.signal);
    assert.equal(screen.rows.length, 1);
  });

  it("cuts long output in the middle", async () => {
    const screen = new Screen();
    const long = await screen.run({}, ends("x".repeat(100_000), { exitCode: 0 }));
    assert.ok(long.length < 31_000);
    assert.match(long, /70000 characters left out/);
  });

  it("looks after commands in the background: new output each time, their end, and a stop", async () => {
    const screen = new Screen();
    const { commands } = screen;
    const begun = await screen.run({ run_in_background: true }, () => {});
    assert.match(begun, /^Command running in background with ID: bash_1\./);
    assert.ok(commands.hasShells);
    const [row] = screen.rows;
    assert.ok(row);
    row.output = "one\n";
    assert.equal(
      told(await commands.output({ bash_id: "bash_1" })),
      "<status>running</status>\n<output>\none\n\n</output>",
    );
    row.output = "one\ntwo\n";
    assert.match(told(await commands.output({ bash_id: "bash_1" })), /<output>\ntwo\n\n<\/output>$/);
    row.end({ exitCode: 0 });
    await new Promise(setImmediate);
    assert.match(told(await commands.output({ bash_id: "bash_1" })), /completed.*\n<exit_code>0</);
    assert.deepEqual(screen.log, ["release 0"]);
    assert.ok(!commands.hasShells);
    await screen.run({ run_in_background: true }, () => {});
    assert.equal(told(await commands.kill({ shell_id: "bash_2" })), "The command was stopped.");
    await new Promise(setImmediate);
    assert.match(told(await commands.output({ bash_id: "bash_2" })), /<status>killed</);
    assert.deepEqual(screen.log, ["release 0", "kill 1", "release 1"]);
    assert.match(told(await commands.kill({ shell_id: "none" })), /^failed: The id must be one of bash_1, bash_2/);
  });

  it("ends and releases everything when the session does", async () => {
    const screen = new Screen();
    await screen.run({ run_in_background: true }, () => {});
    const running = screen.commands.run({ command: "y" }, "call", open());
    await new Promise(setImmediate);
    await screen.commands.close();
    await running;
    for (const id of [0, 1]) {
      assert.ok(screen.log.includes(`kill ${id}`));
      assert.ok(screen.log.includes(`release ${id}`));
    }
  });

  it("says why no terminal came", async () => {
    const screen = new Screen();
    screen.isRefusing = true;
    const answer = await screen.commands.run({ command: "x" }, "call", open());
    assert.equal(told(answer), "failed: The editor did not start a terminal: no terminals today");
  });
});
