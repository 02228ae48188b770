/**
 * Runs commands of the Claude CLI in the editor's terminals.
 *
 * The CLI has allowed each command and starts `terminal-client.cjs` in its place, which
 * connects to a socket only this user can open. The relay has the editor start the same
 * program in a terminal and joins the two connections: the command line goes one way,
 * output and exit code the other. A command that the relay declines runs where the CLI
 * started it. Every terminal is released, at the latest when the relay is closed.
 */
import { randomUUID, timingSafeEqual } from "node:crypto";
import { chmodSync, readFileSync } from "node:fs";
import { createServer, type Server, type Socket } from "node:net";
import { programRunId } from "../../process/index.ts";
import { Fault, number, object, optional, type Static, string } from "../../schema/index.ts";
import type { EditorTerminals } from "../adapters.ts";
import { makeShellPrefix, prefixName, type ShellPrefix } from "./shell-prefix.ts";

/** Where a command line runs: in a terminal of the editor under this name, or where the CLI started it. */
export type Placement = { readonly kind: "terminal"; readonly name: string } | { readonly kind: "here" };

export interface CommandRelayCallbacks {
  readonly place: (line: string) => Promise<Placement>;
  /** A command line runs in this terminal from now on. */
  readonly onTerminal: (line: string, terminalId: string) => void;
  /** Starts a timer; the returned function cancels it. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** The longest first line of a connection; a command line is at most 128 KiB. */
const maxHelloBytes = 1024 * 1024;
/** How long a connection has for its first line, and an editor for starting a terminal. */
const helloLimitMs = 5000;
const startLimitMs = 10_000;
/** How long the editor has to show the last output before a terminal is released. */
const releaseDelayMs = 1000;
/** The same, when the session is closed. */
const closeDelayMs = 300;
/** How long a relay that is closed waits for terminals that the editor has yet to start. */
const closeStartMs = 1000;

const hello = object({ secret: optional(string), line: optional(string), token: optional(string) });

/** A command in a terminal. */
interface Job {
  /** Its connection stays open until it has the command's exit code. */
  readonly submitter: Socket;
  /** The command's process group, once the program in the terminal has said it. */
  pid: number | undefined;
}

export class CommandRelay {
  readonly #prefix: ShellPrefix;
  readonly #server: Server;
  readonly #terminals: EditorTerminals;
  readonly #callbacks: CommandRelayCallbacks;
  readonly #secret = randomUUID();
  readonly #sockets = new Set<Socket>();
  /** Commands that wait for the program in their terminal, by their one-time token. */
  readonly #waiting = new Map<string, (runner: Socket) => void>();
  /** Terminals that are not released yet, and when their programs have ended. */
  readonly #open = new Map<string, Promise<unknown>>();
  /** Terminals that the editor has yet to start. */
  readonly #starting = new Set<Promise<void>>();
  readonly #jobs = new Set<Job>();
  #isClosed = false;

  /** `directory` is the parent of its files. Throws when no private directory can be made. */
  constructor(directory: string, terminals: EditorTerminals, callbacks: CommandRelayCallbacks) {
    this.#terminals = terminals;
    this.#callbacks = callbacks;
    this.#prefix = makeShellPrefix(directory);
    this.#server = createServer((socket) => this.#accept(socket));
    this.#server.on("error", () => this.#server.close());
    // An open session alone does not keep the program running; a command that runs does.
    this.#server.unref();
    this.#server.listen(this.#prefix.socketPath, () => chmodSync(this.#prefix.socketPath, 0o600));
  }

  /** The environment variables to start the CLI with. */
  get environment(): Readonly<Record<string, string>> {
    return { [prefixName]: this.#prefix.path, [this.#prefix.secretName]: this.#secret };
  }

  /** Ends every command that still runs and releases its terminal. */
  async close(): Promise<void> {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#server.close();
    for (const job of this.#jobs) endJob(job);
    for (const socket of this.#sockets) socket.destroy();
    await Promise.all([
      ...[...this.#open].map(([id, exited]) => this.#discard(id, exited)),
      this.#within(closeStartMs, Promise.all(this.#starting)),
    ]);
    this.#prefix.remove();
  }

  #accept(socket: Socket): void {
    this.#sockets.add(socket);
    socket.on("error", () => socket.destroy());
    socket.on("close", () => this.#sockets.delete(socket));
    const cancel = this.#callbacks.after(helloLimitMs, () => socket.destroy());
    firstLine(socket, (text) => {
      cancel();
      const { secret, line, token } = readHello(text) ?? {};
      const onRunner = token === undefined ? undefined : this.#waiting.get(token);
      if (onRunner !== undefined) onRunner(socket);
      else if (line !== undefined && secret !== undefined && this.#isSecret(secret)) void this.#submit(socket, line);
      else socket.destroy();
    });
    socket.on("close", cancel);
  }

  /** Waits for `done`, but no longer than `ms`. */
  #within(ms: number, done: Promise<unknown>): Promise<void> {
    return new Promise<void>((resolve) => {
      const cancel = this.#callbacks.after(ms, resolve);
      void done.then(() => {
        cancel();
        resolve();
      });
    });
  }

  #isSecret(given: string): boolean {
    const [left, right] = [Buffer.from(given), Buffer.from(this.#secret)];
    return left.length === right.length && timingSafeEqual(left, right);
  }

  async #submit(submitter: Socket, line: string): Promise<void> {
    // It says nothing until it is told where the command runs, but its end has to be seen.
    submitter.resume();
    const placement = await this.#callbacks.place(line).catch((): Placement => ({ kind: "here" }));
    if (placement.kind === "here" || this.#isClosed || submitter.destroyed) return decline(submitter);
    const runner = await this.#start(submitter, line, placement.name);
    if (runner === undefined || submitter.destroyed) {
      runner?.destroy();
      return decline(submitter);
    }
    const job: Job = { submitter, pid: undefined };
    this.#jobs.add(job);
    submitter.pipe(runner, { end: false });
    submitter.write(`${JSON.stringify({ place: "terminal" })}\n`);
    firstLine(runner, (text) => {
      job.pid = readPid(text);
      runner.pipe(submitter);
      if (submitter.destroyed) runner.resume();
    });
    runner.resume();
    submitter.on("close", () => {
      runner.write(`${JSON.stringify({ gone: true })}\n`);
      // Background processes of the command may still write. The runner is read on, so that its close is noticed.
      runner.unpipe(submitter);
      runner.resume();
    });
    runner.on("close", () => {
      this.#jobs.delete(job);
      endJob(job);
      submitter.destroy();
    });
  }

  /** Has the editor start the program that runs a command. Undefined when the program does not connect. */
  async #start(submitter: Socket, line: string, name: string): Promise<Socket | undefined> {
    const token = randomUUID();
    let settle: (socket: Socket | undefined) => void = () => {};
    const runner = new Promise<Socket | undefined>((resolve) => {
      settle = (socket) => {
        // The token is used up: a program that connects later runs nothing.
        this.#waiting.delete(token);
        resolve(socket);
      };
    });
    this.#waiting.set(token, settle);
    const cancel = this.#callbacks.after(startLimitMs, () => settle(undefined));
    submitter.on("close", () => settle(undefined));
    try {
      const program = this.#prefix.runner(token, name);
      const starting = this.#terminals.create(program.path).then(
        (terminalId) => this.#follow(terminalId, runner, settle, () => this.#callbacks.onTerminal(line, terminalId)),
        () => settle(undefined),
      );
      this.#starting.add(starting);
      void starting.finally(() => this.#starting.delete(starting));
      const socket = await runner;
      program.remove();
      return socket;
    } catch {
      settle(undefined);
      return undefined;
    } finally {
      cancel();
    }
  }

  /** A terminal was created, perhaps too late. It is released when its program has ended. */
  async #follow(
    terminalId: string,
    runner: Promise<Socket | undefined>,
    settle: (socket: undefined) => void,
    onInUse: () => void,
  ): Promise<void> {
    const exited = this.#terminals.exit(terminalId).catch(() => {});
    if (this.#isClosed) return this.#discard(terminalId, exited);
    this.#open.set(terminalId, exited);
    void exited.then(() => settle(undefined));
    onInUse();
    void runner.then((socket) => {
      if (socket === undefined) void this.#release(terminalId, exited);
      else socket.on("close", () => void this.#release(terminalId, exited));
    });
  }

  /** Releases a terminal when its program has ended, so that the editor has shown all of its output. */
  async #release(terminalId: string, exited: Promise<unknown>): Promise<void> {
    if (this.#isClosed) return;
    await this.#within(releaseDelayMs, exited);
    this.#open.delete(terminalId);
    await this.#terminals.release(terminalId).catch(() => {});
  }

  /** Ends the program of a terminal and releases the terminal, when the relay is closed. */
  async #discard(terminalId: string, exited: Promise<unknown>): Promise<void> {
    const { kill, release } = this.#terminals;
    // An editor that has exited has ended its terminals itself.
    await kill(terminalId).catch(() => {});
    await this.#within(closeDelayMs, exited);
    await release(terminalId).catch(() => {});
  }
}

/** Ends a command whose program in the terminal has gone without an exit code. */
function endJob({ submitter, pid }: Job): void {
  if (pid === undefined || submitter.destroyed) return;
  try {
    // An editor in another process namespace would name another process.
    if (!readFileSync(`/proc/${pid}/environ`, "utf8").includes(programRunId)) return;
    process.kill(-pid, "SIGKILL");
  } catch {
    // The command has ended, or the system does not say what runs.
  }
}

const started = object({ pid: number });

function readPid(text: string): number | undefined {
  try {
    const read = started.read(JSON.parse(text));
    return read instanceof Fault || read.pid <= 1 ? undefined : read.pid;
  } catch {
    return undefined;
  }
}

function decline(submitter: Socket): void {
  if (!submitter.destroyed) submitter.end(`${JSON.stringify({ place: "here" })}\n`);
}

function readHello(text: string): Static<typeof hello> | undefined {
  try {
    const read = hello.read(JSON.parse(text));
    return read instanceof Fault ? undefined : read;
  } catch {
    return undefined;
  }
}

/** Calls back with the first line and leaves the rest in the stream, paused. */
function firstLine(socket: Socket, then: (line: string) => void): void {
  const chunks: Buffer[] = [];
  let bytes = 0;
  const take = (chunk: Buffer): void => {
    const end = chunk.indexOf(0x0a);
    chunks.push(end < 0 ? chunk : chunk.subarray(0, end));
    bytes += chunk.length;
    if (end < 0) {
      if (bytes > maxHelloBytes) socket.destroy();
      return;
    }
    socket.off("data", take);
    socket.pause();
    const rest = chunk.subarray(end + 1);
    if (rest.length > 0) socket.unshift(rest);
    then(Buffer.concat(chunks).toString("utf8"));
  };
  socket.on("data", take);
}
