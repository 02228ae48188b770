/**
 * Commands of the CLI in the editor's terminals, with the real programs at both ends of
 * the socket. spec/live/tools/terminals.live.ts tests the same with the real CLI.
 */
import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync, statSync } from "node:fs";
import { connect } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { CommandRelay, type Placement } from "../../../lib/editor-tools/commands/command-relay.ts";
import type { EditorTerminals } from "../../../lib/editor-tools/adapters.ts";
import { newRunId, runIdVariable } from "../../../lib/process/index.ts";
import { realTimer } from "../../../lib/wire/index.ts";

const home = mkdtempSync(join(realpathSync(tmpdir()), "bowline-relay-"));
after(() => rmSync(home, { recursive: true, force: true }));

/** The line that the CLI passes to a shell prefix for a command of its Bash tool. */
function bashLine(command: string): string {
  return `eval '${command.replaceAll("'", `'"'"'`)}' < /dev/null && pwd -P >| ${home}/claude-ab12-cwd`;
}

/** Prints the variables that this program has added to the CLI's environment. */
const showsOwn = "env | grep -E '^(BOWLINE_TERMINAL|CLAUDE_CODE_SHELL_PREFIX)'";

interface Ran {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** A relay whose terminals are child processes. */
class RelayHarness {
  readonly terminals: { readonly child: ChildProcess; output: string; isReleased: boolean }[] = [];
  readonly shown: string[] = [];
  placement: Placement = { kind: "terminal", name: "a command" };
  refuses = false;
  createDelayMs = 0;
  creating = 0;
  readonly relay: CommandRelay;

  constructor() {
    const at = (id: string): this["terminals"][number] => this.terminals[Number(id)] ?? assert.fail("no such terminal");
    const terminals: EditorTerminals = {
      create: async (command) => {
        if (this.refuses) throw new Error("no terminals here");
        this.creating++;
        await new Promise((go) => setTimeout(go, this.createDelayMs));
        const child = spawn(command, { cwd: home, stdio: ["ignore", "pipe", "pipe"], shell: true, detached: true });
        const terminal = { child, output: "", isReleased: false };
        child.stdout?.on("data", (text) => (terminal.output += text));
        child.stderr?.on("data", (text) => (terminal.output += text));
        return String(this.terminals.push(terminal) - 1);
      },
      exit: (id) => (at(id).child.exitCode === null ? once(at(id).child, "exit") : Promise.resolve()),
      kill: async (id) => void at(id).child.kill("SIGKILL"),
      release: async (id) => void (at(id).isReleased = true),
    };
    this.relay = new CommandRelay(join(home, "run"), terminals, {
      after: realTimer,
      place: async () => this.placement,
      onTerminal: (line) => this.shown.push(line),
    });
  }

  get prefix(): string {
    return this.relay.environment["CLAUDE_CODE_SHELL_PREFIX"] ?? "";
  }

  /** Starts a line as the CLI does. */
  start(line: string, env: Readonly<Record<string, string>> = {}): ChildProcess {
    const all = { PATH: process.env["PATH"] ?? "", SHELL: "/bin/bash", ...this.relay.environment, ...env };
    return spawn(this.prefix, [line], { cwd: home, env: all, stdio: ["ignore", "pipe", "pipe"] });
  }

  async run(line: string, env: Readonly<Record<string, string>> = {}): Promise<Ran> {
    return ended(this.start(line, env));
  }
}

async function ended(child: ChildProcess): Promise<Ran> {
  let [stdout, stderr] = ["", ""];
  child.stdout?.on("data", (text) => (stdout += text));
  child.stderr?.on("data", (text) => (stderr += text));
  const [code] = await once(child, "close");
  return { code, stdout, stderr };
}

async function withRelay(test: (harness: RelayHarness) => Promise<void>): Promise<void> {
  const harness = new RelayHarness();
  try {
    await test(harness);
  } finally {
    await harness.relay.close();
  }
}

async function until(isTrue: () => boolean): Promise<void> {
  while (!isTrue()) await new Promise((go) => setTimeout(go, 10));
}

describe("CommandRelay", () => {
  it("a command of the Bash tool runs in a terminal, and the CLI gets its output and exit code", () =>
    withRelay(async (harness) => {
      const ran = await harness.run(bashLine("echo out; echo err >&2; printenv ONLY_HERE; (exit 3)"), {
        ONLY_HERE: "yes",
      });
      assert.deepEqual(ran, { code: 3, stdout: "out\nyes\n", stderr: "err\n" });
      assert.equal(harness.terminals.length, 1);
      await until(() => harness.terminals[0]?.isReleased === true);
      // The lines of the two streams of a command may come in any order.
      assert.deepEqual(harness.terminals[0]?.output.split("\n").sort(), ["", "err", "out", "yes"]);
      assert.equal(harness.shown.length, 1);
    }));

  it("the working directory file, binary output and the order of a long output are kept", () =>
    withRelay(async (harness) => {
      const { stdout, code } = await harness.run(bashLine("cd / && seq 1 50000 && printf '\\377\\000'"));
      assert.equal(code, 0);
      assert.equal(
        stdout.split("\n").slice(0, -1).join("\n"),
        Array.from({ length: 50_000 }, (_, i) => i + 1).join("\n"),
      );
      assert.equal(readFileSync(join(home, "claude-ab12-cwd"), "utf8"), "/\n");
    }));

  it("hooks, MCP servers and sandboxed commands run in place, without the secret", () =>
    withRelay(async (harness) => {
      for (const line of [`${showsOwn}; echo here`, `echo here && pwd -P >| ${home}/cwd-ab12`]) {
        assert.equal((await harness.run(line)).stdout, "here\n");
      }
      const inSandbox = await harness.run(bashLine(`${showsOwn}; echo here`), {
        SANDBOX_RUNTIME: "1",
      });
      assert.equal(inSandbox.stdout, "here\n");
      assert.equal(harness.terminals.length, 0);
    }));

  it("no command gets the secret or the shell prefix in its environment", () =>
    withRelay(async (harness) => {
      for (const kind of ["terminal", "here"] as const) {
        harness.placement = { kind, name: "x" };
        assert.equal((await harness.run(bashLine(`${showsOwn}; echo ran`))).stdout, "ran\n");
      }
    }));

  it("the variable of the secret has another name for each relay, which no settings can know", () =>
    withRelay((harness) =>
      withRelay(async ({ relay: { environment } }) => {
        const shared = Object.keys(environment).filter((name) => name in harness.relay.environment);
        assert.deepEqual(shared, ["CLAUDE_CODE_SHELL_PREFIX"]);
        const env = { BOWLINE_TERMINAL_SECRET: "zzz", BOWLINE_TERMINAL: "zzz" };
        assert.equal((await harness.run(bashLine("echo ran"), env)).stdout, "ran\n");
        assert.equal(harness.terminals.length, 1);
      }),
    ));

  it("a command runs exactly once when the editor refuses the terminal or the relay declines the command", () =>
    withRelay(async (harness) => {
      const log = join(home, "log");
      harness.refuses = true;
      await harness.run(bashLine(`echo refused >> ${log}`));
      harness.refuses = false;
      harness.placement = { kind: "here" };
      await harness.run(bashLine(`echo declined >> ${log}`));
      harness.placement = { kind: "terminal", name: "x" };
      await harness.run(bashLine(`echo ran >> ${log}`));
      assert.equal(readFileSync(log, "utf8"), "refused\ndeclined\nran\n");
    }));

  it("signals are forwarded, and a command is killed when the program that submitted it is killed", () =>
    withRelay(async (harness) => {
      const asked = harness.start(bashLine(`trap "echo caught; exit 7" TERM; echo on; while :; do sleep 0.05; done`));
      await once(asked.stdout ?? assert.fail(), "data");
      asked.kill("SIGTERM");
      assert.equal((await ended(asked)).code, 7);
      const killed = harness.start(bashLine("echo on; exec sleep 4711"));
      await once(killed.stdout ?? assert.fail(), "data");
      killed.kill("SIGKILL");
      await until(() => harness.terminals[1]?.isReleased === true);
    }));

  it("a background process of a command can still write to the terminal", () =>
    withRelay(async (harness) => {
      const ran = await harness.run(bashLine("(while [ ! -e go-on ]; do sleep 0.05; done; echo late) & echo early"));
      assert.deepEqual([ran.code, ran.stdout], [0, "early\n"]);
      assert.equal(harness.terminals[0]?.isReleased, false);
      await harness.run(bashLine("touch go-on"));
      await until(() => harness.terminals[0]?.isReleased === true);
      assert.equal(harness.terminals[0]?.output, "early\nlate\n");
    }));

  it("closing the relay ends every command, releases the terminals and removes the directory", async () => {
    const harness = new RelayHarness();
    const directory = dirname(harness.prefix);
    const running = harness.start(bashLine("echo on; sleep 4712"));
    const end = ended(running);
    await once(running.stdout ?? assert.fail(), "data");
    await harness.relay.close();
    assert.equal((await end).code, 129);
    assert.ok(!existsSync(directory));
    assert.ok(harness.terminals[0]?.isReleased);
  });

  it("only this user can connect to the socket, and a connection without the secret is refused", () =>
    withRelay(async (harness) => {
      const directory = dirname(harness.prefix);
      await until(
        () => existsSync(join(directory, "socket")) && (statSync(join(directory, "socket")).mode & 0o777) === 0o600,
      );
      assert.equal(statSync(directory).mode & 0o777, 0o700);
      const line = bashLine("touch taken");
      for (const hello of [{ line }, { line, secret: "" }, { line, secret: "x".repeat(36) }, { token: "" }, 7, "x"]) {
        const socket = connect(join(directory, "socket"));
        socket.write(`${JSON.stringify(hello)}\n`);
        let answer = "";
        socket.on("data", (text) => (answer += text));
        await once(socket, "close");
        assert.equal(answer, "");
      }
      assert.equal(harness.terminals.length, 0);
      assert.ok(!existsSync(join(home, "taken")));
    }));

  it("a command is ended when its terminal is killed, and its program says so", () =>
    withRelay(async (scene) => {
      const started = scene.start(bashLine("echo on; while :; do sleep 0.05; touch alive; done"), {
        [runIdVariable]: newRunId(),
      });
      await once(started.stdout ?? assert.fail(), "data");
      process.kill(-(scene.terminals[0]?.child.pid ?? assert.fail()), "SIGKILL");
      const { code, stderr } = await ended(started);
      assert.deepEqual([code, stderr], [129, "The editor closed the terminal this command ran in.\n"]);
      rmSync(join(home, "alive"), { force: true });
      await new Promise((go) => setTimeout(go, 300));
      assert.ok(!existsSync(join(home, "alive")), "the command does not run on");
    }));

  it("a command that is cancelled while its terminal starts does not run, and the terminal is released", () =>
    withRelay(async (scene) => {
      scene.createDelayMs = 300;
      const started = scene.start(bashLine("touch cancelled"));
      await until(() => scene.creating > 0);
      started.kill("SIGTERM");
      assert.equal((await ended(started)).code, 143);
      await until(() => scene.terminals[0]?.isReleased === true);
      assert.ok(!existsSync(join(home, "cancelled")));
    }));

  it("closing the relay releases a terminal that the editor has yet to start", async () => {
    const scene = new RelayHarness();
    scene.createDelayMs = 300;
    const running = ended(scene.start(bashLine("touch late")));
    await until(() => scene.creating > 0);
    await scene.relay.close();
    assert.equal(scene.terminals[0]?.isReleased, true);
    await running;
    assert.ok(!existsSync(join(home, "late")));
  });

  it("options for Node reach the command and not the program that starts it", () =>
    withRelay(async (scene) => {
      const NODE_OPTIONS = `--require=${join(home, "not-there.cjs")}`;
      const ran = await scene.run(bashLine("echo $NODE_OPTIONS"), { NODE_OPTIONS });
      assert.deepEqual([ran.code, ran.stdout], [0, `${NODE_OPTIONS}\n`]);
    }));

  it("a shell that does not exist is not used", () =>
    withRelay(async (scene) => {
      const ran = await scene.run(bashLine("echo ran"), { CLAUDE_CODE_SHELL: "/no/such/bash", SHELL: "/no/such/zsh" });
      assert.deepEqual([ran.code, ran.stdout], [0, "ran\n"]);
    }));
});
