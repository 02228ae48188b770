/**
 * Commands: Bash, in the editor's own terminals.
 *
 * The person sees the output as it comes; the model is told at the end. Every
 * terminal that was created is released: after its command, after a time limit or
 * a cancel that killed it, at the latest with the session.
 */
import { done, failed, reasonOf, type ToolAnswer } from "./answer.ts";
import type { Input } from "./mcp.ts";
import { maxOutputChars, Shells } from "./shells.ts";
import { Lines, type TerminalExit, type TerminalOutput, type TerminalRequest, type Terminals } from "./terminals.ts";
import { shorten } from "./text.ts";
import { type Begun, WorkingDirectory, type WorkingDirectoryEnds } from "./working-directory.ts";

export interface CommandsEnds {
  readonly terminals: Terminals;
  /** A tool call shows this terminal from now on. */
  readonly onTerminal: (toolCallId: string, terminalId: string) => void;
  /** See `ShellsEnds`. */
  readonly onNews: (text: string) => void;
  /** Calls back after a time; what it returns calls that off. */
  readonly after: (ms: number, then: () => void) => () => void;
  readonly directory: WorkingDirectoryEnds;
  readonly platform: string;
}

/** Who runs a command. */
export interface Caller {
  readonly toolCallId: string | undefined;
  /** A subagent does not move the session's directory. */
  readonly isSubagent: boolean;
}

/** The CLI's own limits. */
const defaultTimeoutMs = 120_000;
export const maxTimeoutMs = 600_000;

export class Commands {
  readonly shells: Shells;
  readonly #ends: CommandsEnds;
  readonly #lines: Lines;
  readonly #directory: WorkingDirectory;
  /** There was a command. */
  #isUsed = false;
  /** Terminals whose command runs in the foreground. */
  readonly #busy = new Set<string>();

  constructor(ends: CommandsEnds) {
    this.#ends = ends;
    this.#lines = new Lines(ends.terminals, ends.platform);
    this.#directory = new WorkingDirectory(ends.directory);
    this.shells = new Shells(ends);
  }

  get isUsed(): boolean {
    return this.#isUsed;
  }

  /** Where the next command begins. */
  get cwd(): string {
    return this.#directory.current;
  }

  async run(input: Input, caller: Caller, signal: AbortSignal): Promise<ToolAnswer> {
    const { command, timeout } = input;
    if (typeof command !== "string" || command.trim() === "") return failed("command must be text.");
    if (signal.aborted) return failed("The call was cancelled; nothing was run.");
    this.#isUsed = true;
    const isBehind = input["run_in_background"] === true;
    const begun = await this.#directory.begin(command, !isBehind && !caller.isSubagent);
    try {
      if (isBehind) return await this.#leave(begun, input, caller);
      const limitMs = typeof timeout === "number" && timeout > 0 ? Math.min(timeout, maxTimeoutMs) : defaultTimeoutMs;
      return await this.#finish(begun, caller, limitMs, signal);
    } catch (cause) {
      return failed(`The editor did not start a terminal: ${reasonOf(cause)}`);
    }
  }

  /** Ends and releases everything. */
  async close(): Promise<void> {
    const busy = [...this.#busy].map((id) => this.#kill(id).then(() => this.#release(id)));
    await Promise.all([...busy, this.shells.close()]);
  }

  async #leave(request: TerminalRequest, input: Input, { toolCallId }: Caller): Promise<ToolAnswer> {
    const terminalId = await this.#lines.startBehind(request);
    this.#show(terminalId, toolCallId);
    const { description } = input;
    const name = typeof description === "string" && description !== "" ? description : request.command;
    return this.shells.take(terminalId, shorten(name, maxNameChars), toolCallId);
  }

  /** Waits for the end of a command, or brings it about. */
  async #finish(begun: Begun, caller: Caller, limitMs: number, signal: AbortSignal): Promise<ToolAnswer> {
    const first = await this.#runOnce(begun, caller, limitMs, signal);
    const isOver = typeof first.end === "string" || !(await this.#lines.hasFailedToRun(begun, first.end));
    const { end, said } = isOver ? first : await this.#runOnce(begun, caller, limitMs, signal);
    const remark = await begun.end(typeof end !== "string" && end.exitCode === 0);
    const output = [toldOutput(said), ...(remark === undefined ? [] : [remark])].filter((one) => one !== "").join("\n");
    if (end === "cancelled") return failed(`The command was cancelled.\n${output}`.trimEnd());
    if (end === "late") return failed(`Command timed out after ${duration(limitMs)}\n${output}`.trimEnd());
    if (end === "lost") return failed("The editor lost the terminal of this command.");
    if (end.exitCode == null || end.exitCode !== 0) {
      const how = end.exitCode == null ? `Ended by ${end.signal ?? "a signal"}` : `Exit code ${end.exitCode}`;
      return failed(`${how}\n${output}`.trimEnd());
    }
    return done(output === "" ? "(Bash completed with no output)" : output);
  }

  async #runOnce(request: TerminalRequest, { toolCallId }: Caller, limitMs: number, signal: AbortSignal): Promise<Run> {
    const terminalId = await this.#lines.start(request);
    this.#busy.add(terminalId);
    try {
      this.#show(terminalId, toolCallId);
      const end = await this.#end(terminalId, limitMs, signal);
      if (end === "late" || end === "cancelled") await this.#kill(terminalId);
      return { end, said: await this.#said(terminalId) };
    } finally {
      this.#busy.delete(terminalId);
      await this.#release(terminalId);
    }
  }

  #show(terminalId: string, toolCallId: string | undefined): void {
    if (toolCallId !== undefined) this.#ends.onTerminal(toolCallId, terminalId);
  }

  #end(terminalId: string, limitMs: number, signal: AbortSignal): Promise<Run["end"]> {
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

interface Run {
  readonly end: TerminalExit | "late" | "cancelled" | "lost";
  readonly said: TerminalOutput;
}

/** What a command in the background is called when it ends. */
const maxNameChars = 200;

function toldOutput({ output, truncated }: TerminalOutput): string {
  const text = shorten(output.replaceAll("\r\n", "\n").trimEnd(), maxOutputChars);
  return truncated ? `[the beginning of the output was cut]\n${text}` : text;
}

function duration(ms: number): string {
  return ms < 60_000 ? `${ms / 1000}s` : `${Math.round(ms / 6000) / 10}m`;
}
