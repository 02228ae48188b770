/**
 * Tracks tool calls and emits their updates, from the first field of the input to the end.
 *
 * A call is announced once, as soon as its input is enough for a meaningful title. It is
 * `in_progress` when its input is complete. Every announced call ends as `completed` or
 * `failed`. Updates contain only what changed.
 */
import { type Meta, type SessionUpdate, type ToolCallContent, toolContent, update } from "../../../acp/index.ts";
import { type ToolResultBlock, type ToolResultMeta } from "../../index.ts";
import { isRecord } from "../../../schema/index.ts";
import { PartialInput } from "../partial-input.ts";
import { beforeDiff } from "../tools/tool-family.ts";
import { CommandOutput } from "./command-output.ts";
import { type Outcome, readOutcome } from "../tool-outcome.ts";
import {
  type CallEnd,
  type CallStart,
  familyOf,
  plainEnd,
  rawInputOf,
  type ToolFamily,
  type ToolInput,
  visibleStart,
} from "../tools/index.ts";
import type { ClientView } from "../../../display/index.ts";
import { fenced, outputTail, visibleContent } from "../../../display/index.ts";

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly family: ToolFamily;
  /** The call that started the subagent which made this call. */
  readonly parent: string | undefined;
  input: ToolInput;
  start: CallStart | undefined;
  /** The parser of the unfinished input; undefined once the call is announced. */
  fields: PartialInput | undefined;
  /** The call continues in the background after its result, until its task ends. */
  isOngoing: boolean;
  /** The last text of the subagent that this call started. */
  report: string | undefined;
  /** The terminal of the client in which the command runs. */
  terminalId: string | undefined;
  /** What the client was shown of the command's output while it ran. */
  output: CommandOutput | undefined;
  /** The output that was last shown as content; it stays when the command is cancelled. */
  shownOutput: readonly ToolCallContent[];
}

/** A call that has ended, with what the plan tracker needs to know of it. */
export interface EndedToolCall {
  readonly name: string;
  readonly input: ToolInput;
  readonly parent: string | undefined;
  readonly outcome: Outcome;
  readonly updates: readonly SessionUpdate[];
}

/** How many background commands are remembered until the client creates a terminal for them. */
const maxInBackground = 16;

export class ToolCalls {
  readonly #view: ClientView;
  readonly #open = new Map<string, OpenCall>();
  /** Commands that continue in the background after their call ended, by the id of the call. */
  readonly #inBackground = new Map<string, string>();

  constructor(view: ClientView) {
    this.#view = view;
  }

  /** The model starts to write a call. */
  begin(id: string, name: string): void {
    if (!this.#open.has(id)) this.#open.set(id, this.#newCall(id, name, undefined, new PartialInput()));
  }

  /** A fragment of the input arrived. Announces the call when the input is enough for a title. */
  appendInput(id: string, fragment: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    if (call?.fields === undefined) return [];
    call.fields.push(fragment);
    const { complete } = call.fields;
    if (!call.family.titleFields.some((field) => complete.has(field))) return [];
    const input = Object.fromEntries(complete);
    // No content yet: a diff of an incomplete input would be wrong.
    const { title, locations, isTerminal } = call.family.open(input, this.#view, call.name);
    return [this.#announce(call, { title, ...(locations && { locations }), ...(isTerminal && { isTerminal }) })];
  }

  /** The input is complete. The call runs as soon as it is allowed. */
  complete(id: string, name: string, given: unknown, parent: string | undefined): readonly SessionUpdate[] {
    const input = isRecord(given) ? given : {};
    const call = this.#open.get(id) ?? this.#newCall(id, name, parent, undefined);
    this.#open.set(id, call);
    call.input = input;
    const before = call.start;
    const start = call.family.open(input, this.#view, name);
    if (before === undefined) return [this.#announce(call, start), this.#progress(call)];
    call.start = start;
    const shown = visibleStart(start, input);
    const content = this.#content(call, shown);
    const changed = update.toolCallUpdate({
      toolCallId: id,
      ...(start.title !== before.title && { title: shown.title }),
      status: "in_progress",
      // A terminal was sent with the announcement and stays.
      ...(content.length > 0 && content[0]?.type !== "terminal" && { content }),
      ...(!isSame(start.locations, before.locations) && { locations: start.locations ?? [] }),
      ...rawInputOf(shown, input, this.#view),
    });
    return [changed];
  }

  /** The user allowed the call. No update for a call that is not announced or has ended. */
  allowed(id: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    return call?.start === undefined ? [] : [this.#progress(call)];
  }

  /** The user approved a plan that another conversation carries out: the call ends here, whatever its result says. */
  approved(id: string): readonly SessionUpdate[] {
    if (!this.#open.delete(id)) return [];
    return [update.toolCallUpdate({ toolCallId: id, status: "completed", title: "Plan approved" })];
  }

  /** The call whose command this shell command line of the CLI runs: the newest one without a terminal. */
  ofCommandLine(line: string): { readonly id: string; readonly command: string } | undefined {
    const running = withoutQuoting(line);
    const started = [...this.#open.values()].flatMap(({ id, input: { command }, terminalId }) =>
      terminalId === undefined && typeof command === "string" ? [{ id, command }] : [],
    );
    const left = [...this.#inBackground].map(([id, command]) => ({ id, command }));
    return [...left, ...started].findLast(({ command }) => running.includes(withoutQuoting(command)));
  }

  /** The call runs in a terminal of the client. The call shows that terminal from now on. */
  embed(id: string, terminalId: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    const content = [toolContent.terminal(terminalId)];
    if (this.#inBackground.delete(id)) return [update.toolCallUpdate({ toolCallId: id, content })];
    if (call === undefined) return [];
    call.terminalId = terminalId;
    const announced =
      call.start === undefined ? [this.#announce(call, call.family.open(call.input, this.#view, call.name))] : [];
    return [...announced, update.toolCallUpdate({ toolCallId: id, status: "in_progress", content })];
  }

  /** A command runs in the foreground, and its output is shown here. */
  showsOutput(id: string): boolean {
    const call = this.#open.get(id);
    return call?.start?.isTerminal === true && call.terminalId === undefined && !call.isOngoing;
  }

  /** A running command has printed: `tail` is the end of its output, `totalBytes` the length of all of it. */
  printed(id: string, tail: string, totalBytes: number): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    if (call?.start === undefined || !this.showsOutput(id)) return [];
    call.output ??= new CommandOutput();
    const data = call.output.take(tail, totalBytes);
    if (data === "") return [];
    if (this.#view.showsTerminals) {
      // The status distinguishes the output of a running command from its final output.
      const _meta = { terminal_output: { terminal_id: id, data } };
      return [update.toolCallUpdate({ toolCallId: id, status: "in_progress", _meta })];
    }
    call.shownOutput = [toolContent.block(fenced(outputTail(tail), "console"))];
    return [update.toolCallUpdate({ toolCallId: id, content: [...(call.start.content ?? []), ...call.shownOutput] })];
  }

  /** A tool result arrived. Undefined when there is no open call for it. */
  end(result: ToolResultBlock, structured: unknown, meta: ToolResultMeta | undefined): EndedToolCall | undefined {
    const call = this.#open.get(result.tool_use_id);
    if (call === undefined) return undefined;
    const outcome = readOutcome(result, structured, meta);
    const { name, input, start } = call;
    const shown = start ?? call.family.open(input, this.#view, name);
    const callEnd = withOutput(
      (call.family.end ?? plainEnd)({ name, input, shown }, outcome, this.#view),
      call,
      outcome,
    );
    const ended = { name, input, parent: call.parent, outcome };
    // The event that would have announced the call was lost.
    const announced = start === undefined ? [this.#announce(call, shown)] : [];
    if (callEnd.isOngoing) {
      call.isOngoing = true;
      return { ...ended, updates: announced };
    }
    this.#open.delete(call.id);
    this.#rememberBackground(call, outcome);
    const status = outcome.isError ? "failed" : "completed";
    const rawOutput = this.#view.wantsRaw === true ? (outcome.structured ?? structured) : undefined;
    const updates = this.#ended(call, this.#unmarked(call, shown, callEnd, status), status, rawOutput);
    return { ...ended, updates: [...announced, ...updates] };
  }

  /** Keeps the latest text of a subagent, and shows it to clients that ask for it. The last one is its report. */
  setReport(parent: string, text: string): readonly SessionUpdate[] {
    const call = this.#open.get(parent);
    if (call === undefined) return [];
    call.report = text;
    if (this.#view.wantsSubagentText !== true || call.start === undefined || text.trim() === "") return [];
    return [update.toolCallUpdate({ toolCallId: parent, content: [toolContent.block(outputTail(text))] })];
  }

  /** The last text of the subagent that a call has started. */
  reportOf(id: string): string | undefined {
    return this.#open.get(id)?.report;
  }

  /** A background task has ended: ends the call that started it. */
  taskEnded(id: string, isOk: boolean, summary: string | undefined): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    if (call === undefined || !call.isOngoing) return [];
    this.#open.delete(id);
    const text = call.report ?? summary;
    const callEnd: CallEnd = text === undefined ? {} : { content: [toolContent.block(text)] };
    const children = [...this.#open.values()].filter(({ parent }) => parent === id);
    return [
      ...children.flatMap((child) => this.fail(child.id, "It did not run to its end.")),
      ...this.#ended(call, callEnd, isOk ? "completed" : "failed"),
    ];
  }

  /** Ends a call that will get no result. */
  fail(id: string, why: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    if (call === undefined) return [];
    this.#open.delete(id);
    return this.#closed(call, why);
  }

  /** The turn has ended: closes all calls, except those that continue in the background unless `alsoOngoing`. */
  closeAll(why: string, alsoOngoing = false): readonly SessionUpdate[] {
    const closing = [...this.#open.values()].filter((call) => alsoOngoing || !this.#isOngoing(call));
    for (const call of closing) this.#open.delete(call.id);
    return closing.flatMap((call) => this.#closed(call, why));
  }

  /** The client's terminal for a background command may start after the call has ended. */
  #rememberBackground({ id, input: { command }, terminalId }: OpenCall, { structured }: Outcome): void {
    if (terminalId !== undefined || typeof command !== "string" || structured?.["backgroundTaskId"] === undefined)
      return;
    this.#inBackground.set(id, command);
    const [oldest] = this.#inBackground.keys();
    if (this.#inBackground.size > maxInBackground && oldest !== undefined) this.#inBackground.delete(oldest);
  }

  /** Whether the call, or one of its ancestors, continues in the background. */
  #isOngoing(call: OpenCall): boolean {
    const seen = new Set<OpenCall>();
    // `seen` guards against a cycle of parents.
    for (let one: OpenCall | undefined = call; one !== undefined && !seen.has(one);) {
      if (one.isOngoing) return true;
      seen.add(one);
      one = one.parent === undefined ? undefined : this.#open.get(one.parent);
    }
    return false;
  }

  #newCall(id: string, name: string, parent: string | undefined, fields: PartialInput | undefined): OpenCall {
    return {
      id,
      name,
      family: familyOf(name),
      parent,
      input: {},
      start: undefined,
      fields,
      isOngoing: false,
      report: undefined,
      terminalId: undefined,
      output: undefined,
      shownOutput: [],
    };
  }

  #announce(call: OpenCall, start: CallStart): SessionUpdate {
    call.start = start;
    call.fields = undefined;
    const shown = visibleStart(start, call.input);
    const content = this.#content(call, shown);
    return update.toolCall({
      toolCallId: call.id,
      title: shown.title,
      name: call.name,
      kind: call.family.kind,
      status: "pending",
      ...(content.length > 0 && { content }),
      ...(start.locations !== undefined && start.locations.length > 0 && { locations: start.locations }),
      ...rawInputOf(shown, call.input, this.#view),
      _meta: this.#meta(call, start),
    });
  }

  #progress(call: OpenCall): SessionUpdate {
    return update.toolCallUpdate({ toolCallId: call.id, status: "in_progress" });
  }

  #ended(
    call: OpenCall,
    callEnd: CallEnd,
    status: "completed" | "failed",
    rawOutput?: unknown,
  ): readonly SessionUpdate[] {
    const raw = rawOutput === undefined ? {} : { rawOutput };
    if (call.terminalId !== undefined) return [update.toolCallUpdate({ toolCallId: call.id, status, ...raw })];
    const { locations, terminal } = callEnd;
    const hasMoved = locations !== undefined && !isSame(locations, call.start?.locations);
    const end = {
      toolCallId: call.id,
      status,
      ...(callEnd.title !== undefined && { title: callEnd.title }),
      ...(callEnd.content !== undefined && { content: callEnd.content }),
      ...(hasMoved && { locations }),
      ...raw,
    };
    if (terminal === undefined) return [update.toolCallUpdate(end)];
    const exit = { terminal_id: call.id, exit_code: terminal.exitCode, signal: null };
    const closing = update.toolCallUpdate({ ...end, _meta: { terminal_exit: exit } });
    const rest = call.output?.rest(terminal.output) ?? terminal.output;
    if (rest === "") return [closing];
    const output = { terminal_id: call.id, data: rest };
    return [update.toolCallUpdate({ toolCallId: call.id, _meta: { terminal_output: output } }), closing];
  }

  #closed(call: OpenCall, why: string): readonly SessionUpdate[] {
    // The client does not know a call that was never announced.
    if (call.start === undefined) return [];
    if (call.terminalId !== undefined) return this.#ended(call, {}, "failed");
    if (call.start.isTerminal && this.#view.showsTerminals) {
      return this.#ended(call, { terminal: { output: why, exitCode: null } }, "failed");
    }
    const content = this.#content(call, visibleStart(call.start, call.input));
    const note = [toolContent.block(why)];
    const hasDiff = content.some(({ type }) => type === "diff");
    return [
      update.toolCallUpdate({
        toolCallId: call.id,
        status: "failed",
        content: hasDiff ? beforeDiff(note, content) : [...content, ...call.shownOutput, ...note],
      }),
    ];
  }

  /** After the call has run, content that was shown with marked characters is sent unmarked. */
  #unmarked(call: OpenCall, shown: CallStart, callEnd: CallEnd, status: "completed" | "failed"): CallEnd {
    if (status === "failed" || callEnd.content !== undefined || callEnd.terminal !== undefined) return callEnd;
    const content = this.#content(call, shown);
    return visibleContent(content) === content ? callEnd : { ...callEnd, content };
  }

  #content(call: OpenCall, start: CallStart): readonly ToolCallContent[] {
    if (start.isTerminal && this.#view.showsTerminals) return [toolContent.terminal(call.id)];
    return start.content ?? [];
  }

  #meta(call: OpenCall, start: CallStart): Meta {
    const parent = call.parent === undefined ? {} : { parentToolUseId: call.parent };
    const terminal = start.isTerminal && this.#view.showsTerminals;
    return {
      tool_name: call.name,
      claudeCode: { toolName: call.name, ...parent },
      ...(terminal && { terminal_info: { terminal_id: call.id, cwd: this.#view.cwd } }),
    };
  }
}

/** A command without white space, quotes and backslashes, which differ when it is quoted for a shell. */
function withoutQuoting(command: string): string {
  return command.replaceAll(/[\s'"\\]+/g, "");
}

function isSame(left: CallStart["locations"], right: CallStart["locations"]): boolean {
  return JSON.stringify(left ?? []) === JSON.stringify(right ?? []);
}

/** A command that was cancelled keeps what it had printed. */
function withOutput(end: CallEnd, { shownOutput }: OpenCall, { notRun }: Outcome): CallEnd {
  if (notRun === undefined || shownOutput.length === 0) return end;
  return { ...end, content: [...shownOutput, ...(end.content ?? [])] };
}
