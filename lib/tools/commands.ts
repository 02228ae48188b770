/**
 * Commands: Bash, BashOutput and KillShell, in the editor's own terminals.
 *
 * The person sees the output as it comes; the model is told at the end. Every
 * terminal that was created is released: after its command, after a time limit or
 * a cancel that killed it, at the latest with the session.
 */
import { done, failed, type ToolAnswer } from "./answer.ts";
import { shorten } from "./text.ts";

type Input = Readonly<Record<string, unknown>>;

export interface TerminalOutput {
  readonly output: string;
  readonly truncated: boolean;
}

export interface TerminalExit {
  readonly exitCode?: number | null | undefined;
  readonly signal?: string | null | undefined;
}

/** The editor's terminals. All reject when the editor refuses or is gone. */
export interface Terminals {
  readonly create: (command: string, outputByteLimit: number) => Promise<string>;
  readonly output: (terminalId: string) => Promise<TerminalOutput>;
  readonly exit: (terminalId: string) => Promise<TerminalExit>;
  readonly kill: (terminalId: string) => Promise<void>;
  readonly release: (terminalId: string) => Promise<void>;
}

export interface CommandsEnds {
  readonly terminals: Terminals;
  /** A tool call shows this terminal from now on. */
  readonly onTerminal: (toolCallId: string, terminalId: string) => void;
  /** Calls back after a time; what it returns calls that off. */
  readonly after: (ms: number, then: () => void) => () => void;
}

/** The CLI's own limits. */
export const defaultTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;
/** What the model is told of a command's output. */
export const maxOutputChars = 30_000;
/** What the editor keeps of it. */
export const outputByteLimit = 1024 * 1024;

interface Shell {
  readonly terminalId: string;
  /** Set once it has ended: what it said, and how. */
  ended: { readonly said: TerminalOutput; readonly exit: TerminalExit } | undefined;
  isKilled: boolean;
  /** What the model has been told already. */
  told: string;
}

export class Commands {
  readonly #ends: CommandsEnds;
  readonly #shells = new Map<string, Shell>();
  /** Terminals whose command runs in the foreground. */
  readonly #busy = new Set<string>();

  constructor(ends: CommandsEnds) {
    this.#ends = ends;
  }

  /** Commands run in the background. */
  get hasShells(): boolean {
    return [...this.#shells.values()].some(({ ended }) => ended === undefined);
  }

  async run(input: Input, toolCallId: string | undefined, signal: AbortSignal): Promise<ToolAnswer> {
    const { command, timeout } = input;
    if (typeof command !== "string" || command.trim() === "") return failed("command must be text.");
    if (signal.aborted) return failed("The call was cancelled; nothing was run.");
    const { terminals, onTerminal } = this.#ends;
    const terminalId = await terminals.create(command, outputByteLimit).catch((cause: unknown) => reasonOf(cause));
    if (typeof terminalId !== "string") return failed(`The editor did not start a terminal: ${terminalId.why}`);
    if (toolCallId !== undefined) onTerminal(toolCallId, terminalId);
    if (input["run_in_background"] === true) return this.#leave(terminalId);
    const limitMs = typeof timeout === "number" && timeout > 0 ? Math.min(timeout, maxTimeoutMs) : defaultTimeoutMs;
    this.#busy.add(terminalId);
    try {
      return await this.#finish(terminalId, limitMs, signal);
    } finally {
      this.#busy.delete(terminalId);
      await this.#release(terminalId);
    }
  }

  /** What a command in the background has said since the last look. */
  async output(input: Input): Promise<ToolAnswer> {
    const shell = this.#named(input);
    if (shell === undefined) return failed(this.#unknown());
    const { output } = shell.ended?.said ?? (await this.#said(shell.terminalId));
    const isMore = output.startsWith(shell.told);
    const fresh = isMore ? output.slice(shell.told.length) : output;
    shell.told = output;
    const status = shell.ended === undefined ? "running" : shell.isKilled ? "killed" : "completed";
    const how = shell.ended === undefined ? "" : `\n<exit_code>${exitWord(shell.ended.exit)}</exit_code>`;
    return done(`<status>${status}</status>${how}\n<output>\n${shorten(fresh, maxOutputChars)}\n</output>`);
  }

  async kill(input: Input): Promise<ToolAnswer> {
    const shell = this.#named(input);
    if (shell === undefined) return failed(this.#unknown());
    if (shell.ended !== undefined) return failed("The command has ended already.");
    shell.isKilled = true;
    await this.#kill(shell.terminalId);
    return done("The command was stopped.");
  }

  /** Ends and releases everything. */
  async close(): Promise<void> {
    const running = [...this.#shells.values()].filter(({ ended }) => ended === undefined);
    const ids = [...this.#busy, ...running.map(({ terminalId }) => terminalId)];
    await Promise.all(ids.map((id) => this.#kill(id).then(() => this.#release(id))));
  }

  /** Waits for the end of a command, or brings it about. */
  async #finish(terminalId: string, limitMs: number, signal: AbortSignal): Promise<ToolAnswer> {
    const end = await this.#end(terminalId, limitMs, signal);
    if (end === "late" || end === "cancelled") await this.#kill(terminalId);
    const said = await this.#said(terminalId);
    const output = toldOutput(said);
    if (end === "cancelled") return failed(`The command was cancelled.\n${output}`.trimEnd());
    if (end === "late") return failed(`Command timed out after ${duration(limitMs)}\n${output}`.trimEnd());
    if (end === "lost") return failed("The editor lost the terminal of this command.");
    if (end.exitCode == null || end.exitCode !== 0) {
      const how = end.exitCode == null ? `Ended by ${end.signal ?? "a signal"}` : `Exit code ${end.exitCode}`;
      return failed(`${how}\n${output}`.trimEnd());
    }
    return done(output === "" ? "(Bash completed with no output)" : output);
  }

  #end(
    terminalId: string,
    limitMs: number,
    signal: AbortSignal,
  ): Promise<TerminalExit | "late" | "cancelled" | "lost"> {
    return new Promise((resolve) => {
      const callOff = this.#ends.after(limitMs, () => resolve("late"));
      const cancel = (): void => resolve("cancelled");
      signal.addEventListener("abort", cancel, { once: true });
      if (signal.aborted) cancel();
      const settle = (end: TerminalExit | "lost"): void => {
        callOff();
        signal.removeEventListener("abort", cancel);
        resolve(end);
      };
      this.#ends.terminals.exit(terminalId).then(settle, () => settle("lost"));
    });
  }

  #leave(terminalId: string): ToolAnswer {
    const id = `bash_${this.#shells.size + 1}`;
    const shell: Shell = { terminalId, ended: undefined, isKilled: false, told: "" };
    this.#shells.set(id, shell);
    void this.#ends.terminals.exit(terminalId).then(
      (exit) => this.#shellEnded(shell, exit),
      () => this.#shellEnded(shell, {}),
    );
    const how = "Use BashOutput to see its output and KillShell to stop it.";
    return done(`Command running in background with ID: ${id}. ${how}`, { backgroundTaskId: id });
  }

  async #shellEnded(shell: Shell, exit: TerminalExit): Promise<void> {
    const said = await this.#said(shell.terminalId);
    shell.ended = { said, exit };
    await this.#release(shell.terminalId);
  }

  #named(input: Input): Shell | undefined {
    const id = input["bash_id"] ?? input["shell_id"] ?? input["task_id"];
    return typeof id === "string" ? this.#shells.get(id) : undefined;
  }

  #unknown(): string {
    const ids = [...this.#shells.keys()];
    return ids.length === 0 ? "No command runs in the background." : `The id must be one of ${ids.join(", ")}.`;
  }

  async #said(terminalId: string): Promise<TerminalOutput> {
    return this.#ends.terminals.output(terminalId).catch(() => ({ output: "", truncated: false }));
  }

  /** An editor that is gone has ended its terminals itself. */
  async #kill(terminalId: string): Promise<void> {
    await this.#ends.terminals.kill(terminalId).catch(() => {});
  }

  async #release(terminalId: string): Promise<void> {
    await this.#ends.terminals.release(terminalId).catch(() => {});
  }
}

function toldOutput({ output, truncated }: TerminalOutput): string {
  const text = shorten(output.replaceAll("\r\n", "\n").trimEnd(), maxOutputChars);
  return truncated ? `[the beginning of the output was cut]\n${text}` : text;
}

function exitWord({ exitCode, signal }: TerminalExit): string {
  return exitCode == null ? (signal ?? "unknown") : String(exitCode);
}

function duration(ms: number): string {
  return ms < 60_000 ? `${ms / 1000}s` : `${Math.round(ms / 6000) / 10}m`;
}

function reasonOf(cause: unknown): { readonly why: string } {
  return { why: cause instanceof Error ? cause.message : "it gave no reason" };
}
