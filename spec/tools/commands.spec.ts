/**
 * Commands: every terminal ends and is released, the model hears how, and the next
 * command begins where the last one ended.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Commands } from "../../lib/tools/commands.ts";
import { maxEndedShells } from "../../lib/tools/shells.ts";
import type { TerminalExit, TerminalRequest, Terminals } from "../../lib/tools/terminals.ts";
import { open, told } from "./support/desk.ts";

interface Row {
  readonly request: TerminalRequest;
  output: string;
  readonly end: (exit: TerminalExit) => void;
  readonly exited: Promise<TerminalExit>;
}

class Screen {
  readonly rows: Row[] = [];
  readonly log: string[] = [];
  readonly shown: string[] = [];
  readonly news: string[] = [];
  /** What a shell notes when it ends. */
  place: string | undefined;
  readonly commands: Commands;
  #due: (() => void)[] = [];
  isRefusing = false;
  hasShell = true;
  refuses: (command: string) => boolean = () => false;

  constructor() {
    const row = (id: string): Row => this.rows[Number(id)] ?? assert.fail(`no terminal ${id}`);
    const terminals: Terminals = {
      create: async (request) => {
        if (this.isRefusing || this.refuses(request.command)) throw new Error("no terminals today");
        let end: (exit: TerminalExit) => void = () => {};
        const exited = new Promise<TerminalExit>((resolve) => (end = resolve));
        this.rows.push({ request, output: "", end, exited });
        if (this.hasShell && request.command.endsWith("exit 42")) end({ exitCode: 42 });
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
      onNews: (text) => void this.news.push(text),
      directory: {
        home: "/project",
        isInside: async (path) => path.startsWith("/project"),
        note: async () => ({ path: "/tmp/note", take: async () => this.place }),
      },
      platform: "linux",
      after: (_ms, then) => {
        this.#due.push(then);
        return () => (this.#due = this.#due.filter((one) => one !== then));
      },
    });
  }

  /** Runs a command and does something once it is there. */
  async run(input: object, then: (row: Row) => void, signal = open(), isSubagent = false): Promise<string> {
    const running = this.commands.run({ command: "x", ...input }, { toolCallId: "call", isSubagent }, signal);
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

const caller = { toolCallId: "call", isSubagent: false };

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
    await screen.commands.run({ command: "x" }, caller, controller.signal);
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
    const { shells } = screen.commands;
    // Once something has gone well, nobody asks the editor how it runs lines.
    await screen.run({ command: "true 1" }, ends("", { exitCode: 0 }));
    screen.rows.length = screen.log.length = 0;
    const begun = await screen.run({ run_in_background: true }, () => {});
    assert.match(begun, /^Command running in background with ID: bash_1\./);
    assert.ok(shells.isBusy);
    const [row] = screen.rows;
    assert.ok(row);
    row.output = "one\n";
    assert.equal(
      told(await shells.output({ bash_id: "bash_1" })),
      "<status>running</status>\n<output>\none\n\n</output>",
    );
    row.output = "one\ntwo\n";
    assert.match(told(await shells.output({ bash_id: "bash_1" })), /<output>\ntwo\n\n<\/output>$/);
    row.end({ exitCode: 0 });
    await new Promise(setImmediate);
    assert.match(told(await shells.output({ bash_id: "bash_1" })), /completed.*\n<exit_code>0</);
    assert.deepEqual(screen.log, ["release 0"]);
    assert.ok(!shells.isBusy);
    await screen.run({ run_in_background: true }, () => {});
    assert.equal(told(await shells.kill({ shell_id: "bash_2" })), "The command was stopped.");
    await new Promise(setImmediate);
    assert.match(told(await shells.output({ bash_id: "bash_2" })), /<status>killed</);
    assert.deepEqual(screen.log, ["release 0", "kill 1", "release 1"]);
    assert.match(told(await shells.kill({ shell_id: "none" })), /^failed: The id must be one of bash_1, bash_2/);
  });

  it("ends and releases everything when the session does", async () => {
    const screen = new Screen();
    await screen.run({ run_in_background: true }, () => {});
    const running = screen.commands.run({ command: "y" }, caller, open());
    await new Promise(setImmediate);
    await screen.commands.close();
    await running;
    // The first was the question how this editor runs lines.
    for (const id of [1, 2]) {
      assert.ok(screen.log.includes(`kill ${id}`));
      assert.ok(screen.log.includes(`release ${id}`));
    }
  });

  it("says why no terminal came", async () => {
    const screen = new Screen();
    screen.isRefusing = true;
    const answer = await screen.commands.run({ command: "x" }, caller, open());
    assert.equal(told(answer), "failed: The editor did not start a terminal: no terminals today");
  });

  it("tells of the end of a command in the background, but not of one that was stopped", async () => {
    const screen = new Screen();
    await screen.run({ command: "true 1" }, ends("", { exitCode: 0 }));
    for (const exit of [{ exitCode: 0 }, { exitCode: 3 }, { signal: "SIGTERM" }]) {
      await screen.run({ run_in_background: true, description: "Serve" }, ends("", exit));
      await new Promise(setImmediate);
    }
    assert.deepEqual(
      screen.news.map((text) => /<status>(\w+)<[^]*"Serve" has ended \(([^)]*)\)/.exec(text)?.slice(1)),
      [
        ["completed", "exit code 0"],
        ["failed", "exit code 3"],
        ["failed", "by SIGTERM"],
      ],
    );
    assert.match(screen.news[0] ?? "", /<task-id>bash_1<[^]*<tool-use-id>call</);
    await screen.run({ run_in_background: true }, () => {});
    await screen.commands.shells.kill({ shell_id: "bash_4" });
    await screen.run({ run_in_background: true }, () => {});
    await screen.commands.close();
    await new Promise(setImmediate);
    assert.equal(screen.news.length, 3);
  });

  it("remembers only so many that have ended", async () => {
    const screen = new Screen();
    const { shells } = screen.commands;
    await screen.run({ command: "true 1" }, ends("", { exitCode: 0 }));
    for (let i = 0; i < maxEndedShells + 2; i++) {
      await screen.run({ run_in_background: true }, ends("", { exitCode: 0 }));
      await new Promise(setImmediate);
    }
    assert.match(told(await shells.output({ bash_id: "bash_2" })), /^failed: The id must be one of bash_3, /);
    assert.match(told(await shells.output({ bash_id: "bash_3" })), /completed/);
  });
});

describe("the directory of commands", () => {
  const begins = (screen: Screen): string | undefined => screen.rows.at(-1)?.request.cwd;

  it("is where the last one that went well had ended, and says when it cannot be", async () => {
    const screen = new Screen();
    screen.place = "/project/sub\n";
    await screen.run({ command: "cd sub" }, ends("", { exitCode: 0 }));
    assert.equal(begins(screen), "/project");
    assert.deepEqual(screen.rows[0]?.request.env, { BOWLINE_CWD: "/tmp/note" });
    assert.equal(screen.rows[0]?.request.command, `trap 'pwd -P >"$BOWLINE_CWD"' EXIT; cd sub`);
    screen.place = "/project/other";
    await screen.run({ command: "cd other; false" }, ends("", { exitCode: 1 }));
    assert.equal(begins(screen), "/project/sub");
    screen.place = "/elsewhere";
    assert.equal(
      await screen.run({ command: "cd /elsewhere" }, ends("there\n", { exitCode: 0 })),
      "there\nShell cwd was reset to /project",
    );
    assert.equal(begins(screen), "/project/sub");
    await screen.run({}, ends("", { exitCode: 0 }));
    assert.equal(begins(screen), "/project");
  });

  it("is not moved by a subagent, a command in the background, or one that leaves it nowhere", async () => {
    const screen = new Screen();
    screen.place = "/project/sub";
    await screen.run({ command: "cd sub" }, ends("", { exitCode: 0 }), open(), true);
    await screen.run({ command: "cd sub", run_in_background: true }, ends("", { exitCode: 0 }));
    await screen.run({ command: "cat cd.txt && abcd x" }, ends("", { exitCode: 0 }));
    assert.deepEqual(
      screen.rows.map(({ request }) => request.command),
      ["cd sub", "cd sub", "cat cd.txt && abcd x"],
    );
    assert.equal(begins(screen), "/project");
  });
});

describe("an editor without a shell", () => {
  /** It starts programs, and knows only these. */
  function bare(screen: Screen, ...programs: readonly string[]): (row: Row) => void {
    return () => {
      for (const { request, end } of screen.rows) end({ exitCode: programs.includes(request.command) ? 0 : 127 });
    };
  }

  it("is given the line with a shell, once it has shown that it has none", async () => {
    const screen = new Screen();
    screen.hasShell = false;
    const first = screen.run({ command: "echo hi; echo ho" }, bare(screen));
    for (let i = 0; i < 20; i++) {
      await new Promise(setImmediate);
      bare(screen, "/bin/sh")(screen.rows[0] ?? assert.fail());
    }
    assert.equal(await first, "(Bash completed with no output)");
    assert.deepEqual(
      screen.rows.map(({ request }) => [request.command, ...(request.args ?? [])].join(" ")),
      ["echo hi; echo ho", "true && exit 42", "/bin/sh -c echo hi; echo ho"],
    );
    assert.deepEqual(screen.shown, ["call 0", "call 2"]);
    assert.deepEqual(screen.log, ["release 0", "release 1", "release 2"]);
    await screen.run({ command: "echo again" }, ends("", { exitCode: 0 }));
    assert.deepEqual(screen.rows.at(-1)?.request.args, ["-c", "echo again"]);
  });

  it("never runs a program twice, and one with a shell is asked once", async () => {
    const screen = new Screen();
    screen.hasShell = false;
    assert.equal(
      await screen.run({ command: "make" }, ends("no rule", { exitCode: 2 })),
      "failed: Exit code 2\nno rule",
    );
    assert.equal(screen.rows.length, 1);
    const other = new Screen();
    assert.equal(await other.run({ command: "make x" }, ends("", { exitCode: 2 })), "failed: Exit code 2");
    assert.equal(await other.run({ command: "make y" }, ends("", { exitCode: 2 })), "failed: Exit code 2");
    assert.deepEqual(
      other.rows.map(({ request }) => request.command),
      ["make x", "true && exit 42", "make y"],
    );
  });

  it("that refuses what is no program is asked too", async () => {
    const screen = new Screen();
    screen.hasShell = false;
    screen.refuses = (command) => command !== "/bin/sh";
    assert.equal(await screen.run({ command: "echo hi" }, ends("hi", { exitCode: 0 })), "hi");
    assert.deepEqual(screen.rows[0]?.request.args, ["-c", "echo hi"]);
  });
});
