/**
 * The client's terminals as real processes.
 *
 * Output is kept up to the requested byte limit, cut at the front. Each command runs in
 * a process group of its own, so that a kill reaches what it started.
 */
import { spawn, type ChildProcess } from "node:child_process";
import {
  type CreateTerminalRequest,
  type TerminalExitStatus,
  type TerminalOutputResponse,
  type WaitForTerminalExitResponse,
  RequestError,
} from "@agentclientprotocol/sdk";

export interface Terminal {
  readonly request: CreateTerminalRequest;
  readonly child: ChildProcess;
  readonly exited: Promise<WaitForTerminalExitResponse>;
  output: string;
  isCut: boolean;
  isReleased: boolean;
  exitStatus: TerminalExitStatus | undefined;
}

export class Terminals {
  /** Every terminal of this client, by id; a released terminal stays here with its output. */
  readonly all = new Map<string, Terminal>();
  /** False: a command is a program and nothing else, as the protocol may be read too. */
  hasShell = true;
  /** The shell that reads a command line; undefined: the system's /bin/sh. */
  shell: string | undefined;

  create(request: CreateTerminalRequest, environment: Readonly<Record<string, string>>): string {
    const { command, args = [], env = [], cwd } = request;
    const more = Object.fromEntries(env.map(({ name, value }) => [name, value]));
    const child = spawn(command, args, {
      cwd: cwd ?? undefined,
      env: { ...environment, ...more },
      // A command line in one string needs a shell.
      shell: this.hasShell && args.length === 0 && (this.shell ?? true),
      detached: true,
      stdio: ["ignore", "pipe", "pipe"],
    });
    const exited = new Promise<WaitForTerminalExitResponse>((resolve) => {
      child.on("error", () => resolve({ exitCode: 127, signal: null }));
      child.on("close", (exitCode, signal) => resolve({ exitCode, signal }));
    });
    const terminal: Terminal = {
      request,
      child,
      exited,
      output: "",
      isCut: false,
      isReleased: false,
      exitStatus: undefined,
    };
    const take = (text: string): void => keep(terminal, text);
    child.stdout?.setEncoding("utf8").on("data", take);
    child.stderr?.setEncoding("utf8").on("data", take);
    void exited.then(
      ({ exitCode, signal }) => (terminal.exitStatus = { exitCode: exitCode ?? null, signal: signal ?? null }),
    );
    const id = `terminal-${this.all.size + 1}`;
    this.all.set(id, terminal);
    return id;
  }

  output(id: string): TerminalOutputResponse {
    const { output, isCut, exitStatus } = this.#live(id);
    return { output, truncated: isCut, ...(exitStatus && { exitStatus }) };
  }

  waitForExit(id: string): Promise<WaitForTerminalExitResponse> {
    return this.#live(id).exited;
  }

  kill(id: string): void {
    end(this.#live(id));
  }

  release(id: string): void {
    const terminal = this.#live(id);
    end(terminal);
    terminal.isReleased = true;
  }

  /** Ends the client: kills every process it started for the agent. */
  close(): void {
    for (const terminal of this.all.values()) end(terminal);
  }

  #live(id: string): Terminal {
    const terminal = this.all.get(id);
    if (terminal === undefined || terminal.isReleased) throw RequestError.invalidParams({ terminalId: id });
    return terminal;
  }
}

function keep(terminal: Terminal, text: string): void {
  const limit = terminal.request.outputByteLimit ?? Number.POSITIVE_INFINITY;
  const bytes = Buffer.from(terminal.output + text);
  if (bytes.length <= limit) terminal.output += text;
  else {
    // Cut at the front, and never inside a character.
    let from = bytes.length - limit;
    while (from < bytes.length && ((bytes[from] ?? 0) & 0xc0) === 0x80) from++;
    terminal.output = bytes.subarray(from).toString("utf8");
    terminal.isCut = true;
  }
}

function end({ child, exitStatus }: Terminal): void {
  if (child.pid === undefined || exitStatus !== undefined) return;
  try {
    process.kill(-child.pid, "SIGKILL");
  } catch {
    // The process has already exited.
  }
}
