/**
 * Tool calls: each call from its first field to its end.
 *
 * A call is announced once, with a title that says what it does, as soon as its
 * input says enough; it is `in_progress` when its input is whole, and every call
 * that was announced ends. Only what changed is sent again.
 */
import { type Meta, type SessionUpdate, type ToolCallContent, toolContent, update } from "../../../acp/index.ts";
import { plainToolName, type ToolResultBlock, type ToolResultMeta } from "../../index.ts";
import { isRecord } from "../../../schema/index.ts";
import { PartialInput } from "../partial-input.ts";
import { type Outcome, readOutcome } from "../tool-outcome.ts";
import { type CallEnd, familyOf, type ToolInput, type CallStart, plainEnd, type ToolFamily } from "../tools/index.ts";
import type { ClientView } from "../client-view.ts";
import { visibleContent, visibleOpening } from "../visible-content.ts";

interface OpenCall {
  readonly id: string;
  readonly name: string;
  readonly family: ToolFamily;
  /** The subagent's call this one belongs to. */
  readonly parent: string | undefined;
  input: ToolInput;
  opening: CallStart | undefined;
  /** The input while it is being written; gone once a title is known. */
  fields: PartialInput | undefined;
  /** It goes on after its result, until its task ends. */
  isOngoing: boolean;
  /** What its subagent said last. */
  report: string | undefined;
  /** The editor's own terminal it runs in. */
  terminalId: string | undefined;
}

/** What ended, for whoever keeps the plan. */
export interface Ended {
  readonly name: string;
  readonly input: ToolInput;
  readonly parent: string | undefined;
  readonly outcome: Outcome;
  readonly updates: readonly SessionUpdate[];
}

/** Commands in the background that may still get a terminal of the editor. */
const maxInBackground = 16;

export class ToolCalls {
  readonly #view: ClientView;
  readonly #open = new Map<string, OpenCall>();
  /** Commands that went on in the background when their call ended, by the call's id. */
  readonly #inBackground = new Map<string, string>();

  constructor(view: ClientView) {
    this.#view = view;
  }

  /** The model begins to write a call. */
  begin(id: string, name: string): void {
    if (!this.#open.has(id)) this.#open.set(id, this.#newCall(id, name, undefined, new PartialInput()));
  }

  /** A piece of its input. */
  written(id: string, fragment: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    if (call?.fields === undefined) return [];
    call.fields.push(fragment);
    const { complete } = call.fields;
    if (!call.family.titleFields.some((field) => complete.has(field))) return [];
    const input = Object.fromEntries(complete);
    // Only what is certain by now: a diff from half an input would be wrong.
    const { title, locations, isTerminal } = call.family.open(input, this.#view, call.name);
    return [this.#announce(call, { title, ...(locations && { locations }), ...(isTerminal && { isTerminal }) })];
  }

  /** The call's input is whole, and it runs as soon as it may. */
  complete(id: string, name: string, given: unknown, parent: string | undefined): readonly SessionUpdate[] {
    const input = isRecord(given) ? given : {};
    const call = this.#open.get(id) ?? this.#newCall(id, name, parent, undefined);
    this.#open.set(id, call);
    call.input = input;
    const before = call.opening;
    const opening = call.family.open(input, this.#view, name);
    if (before === undefined) return [this.#announce(call, opening), this.#progress(call)];
    call.opening = opening;
    const shown = visibleOpening(opening, input);
    const content = this.#content(call, shown);
    const changed = update.toolCallUpdate({
      toolCallId: id,
      ...(opening.title !== before.title && { title: shown.title }),
      status: "in_progress",
      // A terminal was shown with the announcement and stays.
      ...(content.length > 0 && content[0]?.type !== "terminal" && { content }),
      ...(!isSame(opening.locations, before.locations) && { locations: opening.locations ?? [] }),
      ...(shown.rawInput !== undefined && { rawInput: shown.rawInput }),
    });
    return [changed];
  }

  /** A person let it run. Of one that is not shown, or over by now, there is nothing to say. */
  allowed(id: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    return call?.opening === undefined ? [] : [this.#progress(call)];
  }

  /** The call whose command this line of the CLI's shell runs: the newest that shows no terminal yet. */
  ofCommandLine(line: string): { readonly id: string; readonly command: string } | undefined {
    const running = bare(line);
    const started = [...this.#open.values()].flatMap(({ id, input: { command }, terminalId }) =>
      terminalId === undefined && typeof command === "string" ? [{ id, command }] : [],
    );
    const left = [...this.#inBackground].map(([id, command]) => ({ id, command }));
    return [...left, ...started].findLast(({ command }) => running.includes(bare(command)));
  }

  /** A call runs in a terminal of the editor, and shows it to its end. */
  embed(id: string, terminalId: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    const content = [toolContent.terminal(terminalId)];
    if (this.#inBackground.delete(id)) return [update.toolCallUpdate({ toolCallId: id, content })];
    if (call === undefined) return [];
    call.terminalId = terminalId;
    const announced =
      call.opening === undefined ? [this.#announce(call, call.family.open(call.input, this.#view, call.name))] : [];
    return [...announced, update.toolCallUpdate({ toolCallId: id, status: "in_progress", content })];
  }

  /** A result came back. Undefined when no open call waits for it. */
  end(result: ToolResultBlock, structured: unknown, meta: ToolResultMeta | undefined): Ended | undefined {
    const call = this.#open.get(result.tool_use_id);
    if (call === undefined) return undefined;
    const outcome = readOutcome(result, structured, meta);
    const { name, input, opening } = call;
    const shown = opening ?? call.family.open(input, this.#view, name);
    const shutdown = (call.family.end ?? plainEnd)({ name, input, shown }, outcome, this.#view);
    const ended = { name, input, parent: call.parent, outcome };
    // The line that would have announced it was lost.
    const announced = opening === undefined ? [this.#announce(call, shown)] : [];
    if (shutdown.isOngoing) {
      call.isOngoing = true;
      return { ...ended, updates: announced };
    }
    this.#open.delete(call.id);
    this.#rememberBackground(call, outcome);
    const status = outcome.isError ? "failed" : "completed";
    const updates = this.#ended(call, this.#unmarked(call, shown, shutdown, status), status);
    return { ...ended, updates: [...announced, ...updates] };
  }

  /** A subagent spoke; its last words are its report. */
  heard(parent: string, text: string): void {
    const call = this.#open.get(parent);
    if (call !== undefined) call.report = text;
  }

  /** A task in the background is over, and the call that began it with it. */
  taskEnded(id: string, isOk: boolean, summary: string | undefined): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    if (call === undefined || !call.isOngoing) return [];
    this.#open.delete(id);
    const text = call.report ?? summary;
    const shutdown: CallEnd = text === undefined ? {} : { content: [toolContent.block(text)] };
    const children = [...this.#open.values()].filter(({ parent }) => parent === id);
    return [
      ...children.flatMap((child) => this.fail(child.id, "It did not run to its end.")),
      ...this.#ended(call, shutdown, isOk ? "completed" : "failed"),
    ];
  }

  /** A call that will not come back says so. */
  fail(id: string, why: string): readonly SessionUpdate[] {
    const call = this.#open.get(id);
    if (call === undefined) return [];
    this.#open.delete(id);
    return this.#closed(call, why);
  }

  /** The turn is over: nothing it began stays open, but what goes on in the background. */
  closeAll(why: string, alsoOngoing = false): readonly SessionUpdate[] {
    const closing = [...this.#open.values()].filter((call) => alsoOngoing || !this.#isOngoing(call));
    for (const call of closing) this.#open.delete(call.id);
    return closing.flatMap((call) => this.#closed(call, why));
  }

  /** The editor's terminal for a command in the background may start after the call's end. */
  #rememberBackground({ id, input: { command }, terminalId }: OpenCall, { structured }: Outcome): void {
    if (terminalId !== undefined || typeof command !== "string" || structured?.["backgroundTaskId"] === undefined)
      return;
    this.#inBackground.set(id, command);
    const [oldest] = this.#inBackground.keys();
    if (this.#inBackground.size > maxInBackground && oldest !== undefined) this.#inBackground.delete(oldest);
  }

  /** It, or a call it belongs to, runs in the background. */
  #isOngoing(call: OpenCall): boolean {
    const seen = new Set<OpenCall>();
    // A call that claims to be its own ancestor has none.
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
      name: plainToolName(name),
      family: familyOf(name),
      parent,
      input: {},
      opening: undefined,
      fields,
      isOngoing: false,
      report: undefined,
      terminalId: undefined,
    };
  }

  #announce(call: OpenCall, opening: CallStart): SessionUpdate {
    call.opening = opening;
    call.fields = undefined;
    const shown = visibleOpening(opening, call.input);
    const content = this.#content(call, shown);
    return update.toolCall({
      toolCallId: call.id,
      title: shown.title,
      name: call.name,
      kind: call.family.kind,
      status: "pending",
      ...(content.length > 0 && { content }),
      ...(opening.locations !== undefined && opening.locations.length > 0 && { locations: opening.locations }),
      ...(shown.rawInput !== undefined && { rawInput: shown.rawInput }),
      _meta: this.#meta(call, opening),
    });
  }

  #progress(call: OpenCall): SessionUpdate {
    return update.toolCallUpdate({ toolCallId: call.id, status: "in_progress" });
  }

  #ended(call: OpenCall, shutdown: CallEnd, status: "completed" | "failed"): readonly SessionUpdate[] {
    if (call.terminalId !== undefined) return [update.toolCallUpdate({ toolCallId: call.id, status })];
    const { terminal } = shutdown;
    const end = {
      toolCallId: call.id,
      status,
      ...(shutdown.title !== undefined && { title: shutdown.title }),
      ...(shutdown.content !== undefined && { content: shutdown.content }),
      ...(shutdown.locations !== undefined && { locations: shutdown.locations }),
    };
    if (terminal === undefined) return [update.toolCallUpdate(end)];
    const exit = { terminal_id: call.id, exit_code: terminal.exitCode, signal: null };
    const closing = update.toolCallUpdate({ ...end, _meta: { terminal_exit: exit } });
    if (terminal.output === "") return [closing];
    const output = { terminal_id: call.id, data: terminal.output };
    return [update.toolCallUpdate({ toolCallId: call.id, _meta: { terminal_output: output } }), closing];
  }

  #closed(call: OpenCall, why: string): readonly SessionUpdate[] {
    // Never announced: nobody has seen it, so nobody needs to see it end.
    if (call.opening === undefined) return [];
    if (call.terminalId !== undefined) return this.#ended(call, {}, "failed");
    if (call.opening.isTerminal && this.#view.showsTerminals) {
      return this.#ended(call, { terminal: { output: why, exitCode: null } }, "failed");
    }
    const content = this.#content(call, visibleOpening(call.opening, call.input));
    // A diff may be long and stands as it is.
    const hasDiff = content.some(({ type }) => type === "diff");
    return [
      update.toolCallUpdate({
        toolCallId: call.id,
        status: "failed",
        ...(!hasDiff && { content: [...content, toolContent.block(why)] }),
      }),
    ];
  }

  /** Once the call has run, content that was shown with marks is sent as it is. */
  #unmarked(call: OpenCall, shown: CallStart, shutdown: CallEnd, status: "completed" | "failed"): CallEnd {
    if (status === "failed" || shutdown.content !== undefined || shutdown.terminal !== undefined) return shutdown;
    const content = this.#content(call, shown);
    return visibleContent(content) === content ? shutdown : { ...shutdown, content };
  }

  #content(call: OpenCall, opening: CallStart): readonly ToolCallContent[] {
    if (opening.isTerminal && this.#view.showsTerminals) return [toolContent.terminal(call.id)];
    return opening.content ?? [];
  }

  #meta(call: OpenCall, opening: CallStart): Meta {
    const parent = call.parent === undefined ? {} : { parentToolUseId: call.parent };
    const terminal = opening.isTerminal && this.#view.showsTerminals;
    return {
      tool_name: call.name,
      claudeCode: { toolName: call.name, ...parent },
      ...(terminal && { terminal_info: { terminal_id: call.id, cwd: this.#view.cwd } }),
    };
  }
}

/** A command without what quoting it for a shell adds. */
function bare(command: string): string {
  return command.replaceAll(/[\s'"\\]+/g, "");
}

function isSame(left: CallStart["locations"], right: CallStart["locations"]): boolean {
  return JSON.stringify(left ?? []) === JSON.stringify(right ?? []);
}
