/**
 * Shells: commands that run on in the background, and what BashOutput and
 * KillShell say of them.
 *
 * Each terminal is released when its command ends. Whoever started it is told of
 * an end that nobody asked for.
 */
import { done, failed, type ToolAnswer } from "./answer.ts";
import type { Input } from "./mcp.ts";
import type { TerminalExit, TerminalOutput, Terminals } from "./terminals.ts";
import { shorten } from "./text.ts";

/** What the model is told of a command's output. */
export const maxOutputChars = 30_000;
/** How many that have ended are remembered, with what they said. */
export const maxEndedShells = 16;

interface Shell {
  readonly terminalId: string;
  /** Set once it has ended: what it said, and how. */
  ended: { readonly said: TerminalOutput; readonly exit: TerminalExit } | undefined;
  isKilled: boolean;
  /** What the model has been told already. */
  told: string;
}

export interface ShellsEnds {
  readonly terminals: Terminals;
  /** A command in the background ended by itself; in the words the model knows from the CLI. */
  readonly onNews: (text: string) => void;
}

export class Shells {
  readonly #ends: ShellsEnds;
  readonly #shells = new Map<string, Shell>();
  #count = 0;
  #isClosed = false;

  constructor(ends: ShellsEnds) {
    this.#ends = ends;
  }

  /** Commands still run. */
  get isBusy(): boolean {
    return [...this.#shells.values()].some(({ ended }) => ended === undefined);
  }

  /** Leaves a command to run on. */
  take(terminalId: string, name: string, toolCallId: string | undefined): ToolAnswer {
    const id = `bash_${++this.#count}`;
    const shell: Shell = { terminalId, ended: undefined, isKilled: false, told: "" };
    this.#shells.set(id, shell);
    const end = (exit: TerminalExit): Promise<void> => this.#end(id, shell, exit, name, toolCallId);
    void this.#ends.terminals.exit(terminalId).then(end, () => end({}));
    const how = "You will be told when it ends. BashOutput shows its output, KillShell stops it.";
    return done(`Command running in background with ID: ${id}. ${how}`, { backgroundTaskId: id });
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
    await this.#ends.terminals.kill(shell.terminalId).catch(() => {});
    return done("The command was stopped.");
  }

  /** Ends and releases everything. */
  async close(): Promise<void> {
    this.#isClosed = true;
    const { kill, release } = this.#ends.terminals;
    const running = [...this.#shells.values()].filter(({ ended }) => ended === undefined);
    await Promise.all(
      running.map(async ({ terminalId }) => {
        // An editor that is gone has ended its terminals itself.
        await kill(terminalId).catch(() => {});
        await release(terminalId).catch(() => {});
      }),
    );
  }

  async #end(
    id: string,
    shell: Shell,
    exit: TerminalExit,
    name: string,
    toolCallId: string | undefined,
  ): Promise<void> {
    const said = await this.#said(shell.terminalId);
    shell.ended = { said, exit };
    await this.#ends.terminals.release(shell.terminalId).catch(() => {});
    this.#forget();
    if (!shell.isKilled && !this.#isClosed) this.#ends.onNews(news(id, exit, name, toolCallId));
  }

  #forget(): void {
    const ended = [...this.#shells].filter(([, shell]) => shell.ended !== undefined);
    for (const [id] of ended.slice(0, -maxEndedShells)) this.#shells.delete(id);
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
}

function news(id: string, exit: TerminalExit, name: string, toolCallId: string | undefined): string {
  const status = exit.exitCode === 0 ? "completed" : "failed";
  const call = toolCallId === undefined ? [] : [`<tool-use-id>${toolCallId}</tool-use-id>`];
  return [
    "<task-notification>",
    `<task-id>${id}</task-id>`,
    ...call,
    `<status>${status}</status>`,
    `<summary>The background command "${name}" has ended (${exitSentence(exit)}). BashOutput shows its output.</summary>`,
    "</task-notification>",
  ].join("\n");
}

function exitSentence({ exitCode, signal }: TerminalExit): string {
  return exitCode == null ? `by ${signal ?? "a signal"}` : `exit code ${exitCode}`;
}

function exitWord({ exitCode, signal }: TerminalExit): string {
  return exitCode == null ? (signal ?? "unknown") : String(exitCode);
}
