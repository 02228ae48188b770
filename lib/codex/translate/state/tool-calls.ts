/**
 * Tracks tool calls: each is announced once, changes while it runs, and ends once.
 *
 * Later messages do not reopen a call that has ended. A command or agent that still runs after
 * its turn is announced as background work, and its call ends when it ends.
 */
import { type Meta, type SessionUpdate, type ToolCallContent, toolContent, update } from "../../../acp/index.ts";
import {
  type ClientView,
  outputTail,
  titleLine,
  type Updates,
  visibleContent,
  withoutMiddle,
} from "../../../display/index.ts";
import type { ThreadItem } from "../../protocol/index.ts";
import { type ItemEnd, type CallView, consoleBlock } from "../calls/call-view.ts";
import { CodexOutput } from "./live-output.ts";

/** How many ended calls are remembered, so that nothing late is shown for them. */
const maxEnded = 4096;
const maxMarkedTitleChars = 140;
/** How much of an output is shown at the end of a command: its first and its last characters. */
const maxFirstChars = 32 * 1024;
const maxLastChars = 64 * 1024;
/** Where each update repeats the output, the pause between two is doubled after so many updates, up to `maxPause` ticks. */
const updatesPerPause = 40;
const maxPause = 32;

interface OpenItem {
  readonly id: string;
  readonly threadId: string | undefined;
  readonly view: CallView;
  readonly item: ThreadItem | undefined;
  /** The call of the agent that made this one. */
  readonly parent: string | undefined;
  isPending: boolean;
  isInBackground: boolean;
  /** The client has been asked to show the terminal. */
  hasTerminal: boolean;
  /** Why the model wants to make the call. */
  reason: string | undefined;
  output: CodexOutput;
  /** Output is not shown for so many more ticks. */
  pause: number;
  /** How often output was shown. */
  shownCount: number;
}

export class CodexToolCalls {
  readonly #view: ClientView;
  readonly #open = new Map<string, OpenItem>();
  readonly #ended = new Set<string>();

  constructor(view: ClientView) {
    this.#view = view;
  }

  /** A command or an agent runs. */
  get isRunning(): boolean {
    return [...this.#open.values()].some(isRunning);
  }

  isOpen(id: string): boolean {
    return this.#open.has(id);
  }

  hasEnded(id: string): boolean {
    return this.#ended.has(id);
  }

  /** Calls that have ended may be shown again, from the saved conversation. */
  forgetEnded(): void {
    this.#ended.clear();
  }

  viewOf(id: string): CallView | undefined {
    return this.#open.get(id)?.view;
  }

  /** The items of the open calls. */
  get openItems(): readonly ThreadItem[] {
    return [...this.#open.values()].flatMap(({ item }) => item ?? []);
  }

  itemOf(id: string): ThreadItem | undefined {
    return this.#open.get(id)?.item;
  }

  /** Announces a call. No update for one that is announced or has ended. */
  begin(
    id: string,
    view: CallView,
    from: { readonly threadId: string | undefined; readonly item?: ThreadItem; readonly parent?: string | undefined },
  ): Updates {
    if (this.#open.has(id) || this.#ended.has(id)) return [];
    const call: OpenItem = {
      id,
      threadId: from.threadId,
      view,
      item: from.item,
      parent: from.parent,
      isPending: view.isPending === true,
      isInBackground: false,
      hasTerminal: false,
      reason: undefined,
      output: new CodexOutput(),
      pause: 0,
      shownCount: 0,
    };
    this.#open.set(id, call);
    const content = call.isPending && this.#isTerminal(call) ? [] : this.#content(call);
    return [
      update.toolCall({
        toolCallId: id,
        title: view.title,
        name: view.name,
        kind: view.kind,
        status: call.isPending ? "pending" : "in_progress",
        ...(content.length > 0 && { content: visibleContent(content) }),
        ...(view.locations !== undefined && view.locations.length > 0 && { locations: view.locations }),
        ...(view.rawInput !== undefined && { rawInput: view.rawInput }),
        _meta: this.#meta(call),
      }),
    ];
  }

  /** The user is asked about the call. */
  asked(id: string, reason: string | undefined): void {
    const call = this.#open.get(id);
    if (call === undefined) return;
    call.isPending = true;
    call.reason = reason ?? call.reason;
    // The question replaces the content of the call.
    call.hasTerminal = false;
  }

  /** The call runs. No update when the client knows it. */
  running(id: string): Updates {
    const call = this.#open.get(id);
    if (call === undefined || !call.isPending) return [];
    call.isPending = false;
    return [update.toolCallUpdate({ toolCallId: id, status: "in_progress", ...this.#terminalContent(call) })];
  }

  /** A piece of the output of a command. It is shown at once, or after a pause by `tick`. */
  output(id: string, text: string): Updates {
    const call = this.#open.get(id);
    if (call === undefined || call.view.terminal === undefined || text === "") return [];
    const before = this.running(id);
    call.output.add(text);
    return [...before, ...(call.pause > 0 ? [] : this.#showOutput(call))];
  }

  /** Whether `tick` has to be called. */
  get isPausing(): boolean {
    return [...this.#open.values()].some(({ pause }) => pause > 0);
  }

  /** A moment has passed: output that came meanwhile may be shown. */
  tick(): Updates {
    return [...this.#open.values()].flatMap((call): Updates => {
      if (call.pause === 0) return [];
      call.pause--;
      return call.pause === 0 ? this.#showOutput(call) : [];
    });
  }

  /** Ends a call. No update when it is not open. */
  end(id: string, end: ItemEnd): Updates {
    const call = this.#take(id);
    if (call === undefined) return [];
    if (call.view.terminal !== undefined) return this.#commandEnded(call, end);
    const { status } = end;
    const title = end.mark === undefined ? end.title : markedTitle(call, end.mark);
    const content = end.content ?? this.#unmarked(call, status);
    return [
      update.toolCallUpdate({
        toolCallId: id,
        status,
        ...(title !== undefined && title !== call.view.title && { title }),
        ...(content !== undefined && content.length > 0 && { content }),
      }),
    ];
  }

  /**
   * The turn of a thread has ended: closes its calls. Commands and agents that still run stay
   * open; after a turn that was not cancelled they are announced as background work.
   */
  turnEnded(threadId: string | undefined, why: string, isByItself: boolean): Updates {
    return [...this.#open.values()].flatMap((call): Updates => {
      if (call.threadId !== threadId) return [];
      if (!isRunning(call)) return this.#closed(call, why);
      if (!isByItself || call.isInBackground) return [];
      const output = this.#showOutput(call);
      call.isInBackground = true;
      return [...output, update.toolCallUpdate({ toolCallId: call.id, title: markedTitle(call, "in the background") })];
    });
  }

  /** Closes all calls. */
  closeAll(why: string): Updates {
    return [...this.#open.values()].flatMap((call) => this.#closed(call, why));
  }

  #take(id: string): OpenItem | undefined {
    const call = this.#open.get(id);
    if (call === undefined) return undefined;
    this.#open.delete(id);
    this.#ended.add(id);
    const [oldest] = this.#ended;
    if (this.#ended.size > maxEnded && oldest !== undefined) this.#ended.delete(oldest);
    return call;
  }

  #commandEnded(call: OpenItem, { status, output = "", exitCode = null, note }: ItemEnd): Updates {
    const toolCallId = call.id;
    const hasNotRun = !call.hasTerminal && output === "" && note !== undefined;
    if (!this.#isTerminal(call) || hasNotRun) {
      const content = [
        ...this.#reason(call),
        ...consoleBlock(withoutMiddle(output === "" ? call.output.held : output, maxFirstChars, maxLastChars)),
        ...(note === undefined ? [] : [toolContent.block(note)]),
        ...(exitCode === null || exitCode === 0 ? [] : [toolContent.block(`Exit code ${exitCode}`)]),
      ];
      return [update.toolCallUpdate({ toolCallId, status, ...(content.length > 0 && { content }) })];
    }
    // Nothing was shown: all of it is shown in order.
    if (output !== "" && call.output.isUntaken) call.output = new CodexOutput();
    const { before, after } = call.output.missing(output);
    // The terminal can only be appended to.
    const early = before === "" ? "" : `[The output began with:]\n${withoutMiddle(before, maxLastChars, 0)}`;
    // What came after the last piece that was shown, and what was more than is shown live.
    const last = `${call.output.take()}${withoutMiddle(after, 0, maxLastChars)}`;
    const late = `${lineEnd(last, early)}${early}`;
    const data = note === undefined ? late : `${lineEnd(late, note)}${note}`;
    const exit = { terminal_id: call.id, exit_code: exitCode, signal: null };
    const closing = (content: object): SessionUpdate =>
      update.toolCallUpdate({ toolCallId, status, ...content, _meta: { terminal_exit: exit } });
    const shown = this.#terminalContent(call);
    if (data === "") return [closing(shown)];
    return [
      update.toolCallUpdate({ toolCallId, ...shown, _meta: { terminal_output: { terminal_id: call.id, data } } }),
      closing({}),
    ];
  }

  /** Shows the output that is new: appended in a terminal, elsewhere as content that replaces what was shown. */
  #showOutput(call: OpenItem): Updates {
    const toolCallId = call.id;
    // After its turn only the end of a command is shown, with the rest of its output.
    if (call.isInBackground) return [];
    if (this.#isTerminal(call)) {
      const data = call.output.take();
      if (data === "") return [];
      call.pause = 1;
      const _meta = { terminal_output: { terminal_id: toolCallId, data } };
      // The status distinguishes the output of a running command from its final output.
      return [update.toolCallUpdate({ toolCallId, status: "in_progress", ...this.#terminalContent(call), _meta })];
    }
    const tail = call.output.takeTail();
    if (tail === undefined || tail.trim() === "") return [];
    call.pause = Math.min(maxPause, 2 ** Math.floor(call.shownCount++ / updatesPerPause));
    const content = [...this.#reason(call), ...consoleBlock(outputTail(tail))];
    return [update.toolCallUpdate({ toolCallId, content })];
  }

  #reason({ reason }: OpenItem): readonly ToolCallContent[] {
    return reason === undefined ? [] : [toolContent.block(reason)];
  }

  #closed(call: OpenItem, why: string): Updates {
    if (call.view.terminal !== undefined) return this.end(call.id, { status: "failed", note: why });
    const content = this.#content(call);
    // A diff may be long, so the content with a diff is not sent again.
    const hasDiff = content.some(({ type }) => type === "diff");
    return this.end(call.id, {
      status: "failed",
      ...(hasDiff
        ? { mark: why === "Cancelled." ? "cancelled" : "not finished" }
        : { content: [...visibleContent(content), toolContent.block(why)] }),
    });
  }

  /** After the call has run, content that was shown with marked characters is sent unmarked. */
  #unmarked(call: OpenItem, status: "completed" | "failed"): readonly ToolCallContent[] | undefined {
    if (status === "failed") return undefined;
    const content = this.#content(call);
    return visibleContent(content) === content ? undefined : content;
  }

  #isTerminal({ view }: OpenItem): boolean {
    return view.terminal !== undefined && this.#view.showsTerminals;
  }

  #content(call: OpenItem): readonly ToolCallContent[] {
    if (!this.#isTerminal(call)) return call.view.content ?? [];
    call.hasTerminal = true;
    return [toolContent.terminal(call.id)];
  }

  /** The terminal as content of the call, unless the client shows it. */
  #terminalContent(call: OpenItem): { readonly content?: readonly ToolCallContent[] } {
    return !this.#isTerminal(call) || call.hasTerminal ? {} : { content: this.#content(call) };
  }

  #meta(call: OpenItem): Meta {
    const { name, terminal } = call.view;
    return {
      tool_name: name,
      // Clients of other agents look for the parent of a call here.
      ...(call.parent !== undefined && { claudeCode: { toolName: name, parentToolUseId: call.parent } }),
      ...(terminal !== undefined &&
        this.#view.showsTerminals && { terminal_info: { terminal_id: call.id, cwd: terminal.cwd } }),
    };
  }
}

/** The title is shortened, never the mark behind it. */
function markedTitle({ view }: OpenItem, mark: string): string {
  return `${titleLine(view.title, maxMarkedTitleChars)} (${mark})`;
}

function isRunning({ view, isPending }: OpenItem): boolean {
  return !isPending && (view.terminal !== undefined || view.isAgent === true);
}

/** The text, and a line end when another text follows on it. */
function lineEnd(text: string, next: string): string {
  return text === "" || next === "" || text.endsWith("\n") ? text : `${text}\n`;
}
