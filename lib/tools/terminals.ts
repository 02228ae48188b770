/**
 * Terminals: the editor's own, and a line for a shell as one of them.
 *
 * Editors differ: most give a command without arguments to a shell, some start it
 * as a program. Which kind this one is shows with the first line that goes well;
 * after one that fails it is found out, once. No line ever runs twice.
 */

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
}

export interface TerminalExit {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
}

export interface TerminalRequest {
  readonly command: string;
  readonly args?: readonly string[];
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** The editor's terminals. All reject when the editor refuses or is gone. */
export interface Terminals {
  readonly create: (request: TerminalRequest) => Promise<string>;
  readonly output: (terminalId: string) => Promise<TerminalOutput>;
  readonly exit: (terminalId: string) => Promise<TerminalExit>;
  readonly kill: (terminalId: string) => Promise<void>;
  readonly release: (terminalId: string) => Promise<void>;
}

/** No program has this name; a shell ends with this code. */
const question = "true && exit 42";
const answerCode = 42;

export class Lines {
  readonly #terminals: Terminals;
  readonly #platform: string;
  /** Undefined until it has shown. */
  #hasShell: boolean | undefined;

  constructor(terminals: Terminals, platform: string) {
    this.#terminals = terminals;
    this.#platform = platform;
  }

  /** Starts a line. Rejects when the editor starts none. */
  async start(request: TerminalRequest): Promise<string> {
    if (this.#hasShell === false) return this.#terminals.create(this.#shelled(request));
    try {
      return await this.#terminals.create(request);
    } catch (cause) {
      // To some it is a mistake to ask for a program that is not there.
      if (!isLine(request.command) || (await this.#findShell(request))) throw cause;
      return this.#terminals.create(this.#shelled(request));
    }
  }

  /** Starts one nobody waits for, so that how it ends says nothing in time. */
  async startBehind(request: TerminalRequest): Promise<string> {
    if (this.#hasShell === undefined) await this.#findShell(request);
    return this.start(request);
  }

  /** How it ended says that it never ran; it has to be started again. */
  async hasFailedToRun(request: TerminalRequest, { exitCode }: TerminalExit): Promise<boolean> {
    if (this.#hasShell !== undefined || !isLine(request.command)) return false;
    if (exitCode === 0) {
      this.#hasShell = true;
      return false;
    }
    return !(await this.#findShell(request));
  }

  async #findShell(request: TerminalRequest): Promise<boolean> {
    if (this.#hasShell !== undefined) return this.#hasShell;
    const { create, exit, release } = this.#terminals;
    const id = await create({ ...request, command: question }).catch(() => undefined);
    const end = id === undefined ? undefined : await exit(id).catch(() => undefined);
    if (id !== undefined) await release(id).catch(() => {});
    return (this.#hasShell = end?.exitCode === answerCode);
  }

  #shelled(request: TerminalRequest): TerminalRequest {
    const { command } = request;
    return this.#platform === "win32"
      ? { ...request, command: "cmd.exe", args: ["/d", "/s", "/c", command] }
      : { ...request, command: "/bin/sh", args: ["-c", command] };
  }
}

/** Not merely the name of a program, which an editor without a shell would have run. */
function isLine(command: string): boolean {
  return !/^[\w./-]+$/.test(command.trim());
}
