/**
 * Renders the updates of a session as terminal lines.
 *
 * Returns lines that are final; `live` gives those that may still change: unfinished
 * text, running tool calls, the plan. Does no IO and reads no clock.
 */
import type { ContentBlock, SessionUpdate, ToolCallUpdate, UsageUpdate } from "../../../acp/index.ts";
import { beginsBlock, engineLabelled, splitLabel } from "./engine-label.ts";
import { PlanView } from "./plan.ts";
import { sanitizeLine } from "./sanitize.ts";
import { glyphs, type Theme } from "./theme.ts";
import { closed, markdownEnd, markdownLine, type MarkdownStep, startOfText } from "./markdown.ts";
import {
  type ShownCall,
  callLines,
  changed,
  isOver,
  isFolded,
  outputTail,
  type Proposal,
  proposalOf,
  titleOf,
  wholeCallLines,
} from "./tool-call.ts";
import { cut, wrap } from "./text-width.ts";

type Section = "text" | "thought" | "call" | "plan" | "notice" | "prompt";

/** A line that grows longer without a newline is printed as it is. */
const maxOpenChars = 8000;
/** How much of a thought is kept, to be shown whole on request. */
const maxThoughtChars = 100_000;
/** How much of the end of a running thought is shown. */
const maxThoughtTailChars = 160;
const maxLiveCalls = 5;
/** Ids of ended calls are remembered, so that a late update does not show a call again. */
const maxEnded = 1000;

export class ConversationRenderer {
  readonly #theme: Theme;
  readonly #calls = new Map<string, ShownCall>();
  readonly #ended = new Set<string>();
  /** Calls whose questions the user has answered in a form. */
  readonly #answered = new Set<string>();
  readonly #plan: PlanView;
  #section: Section | undefined;
  #state = startOfText;
  #open = "";
  #messageId: string | undefined;
  /** No text of the message has been written yet, except perhaps the engine's name. */
  #isStart = true;
  /** The engine's name before a message, until the text that follows it. */
  #label = "";
  #thought = "";
  /** The end of the running thought. */
  #thoughtTail = "";
  #usage: UsageUpdate | undefined;
  /** The last thing that was printed folded, as a function that gives all of it. */
  #folded: (() => readonly string[]) | undefined;

  constructor(theme: Theme) {
    this.#theme = theme;
    this.#plan = new PlanView(theme);
  }

  /** Context usage and cost, if the agent reported them. */
  get usage(): UsageUpdate | undefined {
    return this.#usage;
  }

  /** Applies an update; returns the lines that became final. */
  take(update: SessionUpdate, nowMs: number): readonly string[] {
    switch (update.sessionUpdate) {
      case "agent_message_chunk":
        return this.#appendText(textOf(update.content), update.messageId ?? undefined);
      case "agent_thought_chunk":
        return this.#appendThought(textOf(update.content));
      case "user_message_chunk":
        return [...this.flush(), ...this.#inSection("prompt", this.#promptLines(textOf(update.content)))];
      case "tool_call":
      case "tool_call_update":
        return this.#change(update, nowMs);
      case "plan":
        this.#plan.entries = update.entries;
        if (this.#theme.isLive && !this.#plan.isDone) return [];
        if (this.#plan.isDone) this.#plan.hide();
        return this.#planNews();
      case "usage_update":
        this.#usage = update;
        return [];
      case "notice": {
        const { title, description } = update;
        return this.notice(description == null ? title : `${title}: ${description}`, update.severity === "error");
      }
      case "compaction_update":
        if (update.status === "in_progress") return [];
        return this.notice(
          update.status === "completed" ? "The conversation was made shorter." : `Compaction ${update.status}.`,
        );
      case "compaction_summary_chunk":
      case "available_commands_update":
      case "current_mode_update":
      case "config_option_update":
      case "session_info_update":
        return [];
    }
  }

  /** The prompt that begins a turn. */
  prompt(text: string): readonly string[] {
    return this.#inSection("prompt", this.#promptLines(text));
  }

  /** A warning or error, marked with "!". */
  notice(text: string, isError = false): readonly string[] {
    const { paint, columns } = this.#theme;
    const colour = isError ? paint.red : paint.yellow;
    return [
      ...this.flush(),
      ...this.#inSection("notice", wrap(`${colour("!")} ${sanitizeLine(text)}`, columns(), "  "), true),
    ];
  }

  /** Lines of the program itself. */
  remark(lines: readonly string[]): readonly string[] {
    return [...this.flush(), ...this.#inSection("notice", lines, true)];
  }

  /** The tool call of a permission request. Its content is not printed again when the call ends. */
  propose(update: ToolCallUpdate, nowMs: number, cwd: string): Proposal {
    const call = changed(this.#calls.get(update.toolCallId), update, nowMs);
    this.#calls.set(call.id, { ...call, isShown: true, askedContent: call.content });
    const proposal = proposalOf(call, this.#theme, cwd);
    return { ...proposal, printed: [...this.flush(), ...this.#inSection("call", proposal.printed, true)] };
  }

  /** The user has answered the call's questions in a form, which has printed them: its end is not. */
  answered(toolCallId: string): void {
    this.#answered.add(toolCallId);
  }

  /** Every line of the last output or thought that was printed folded. */
  unfolded(): readonly string[] {
    return this.#folded?.() ?? [];
  }

  /** Ends the text or thought in progress. */
  flush(): readonly string[] {
    return [...this.#endThought(), ...this.#endText()];
  }

  /** Ends the turn: everything live becomes final. */
  end(): readonly string[] {
    const lines = [...this.flush()];
    for (const call of this.#calls.values()) {
      if (!call.isLeft) for (const line of this.#inSection("call", callLines(call, this.#theme))) lines.push(line);
      this.#calls.set(call.id, { ...call, isLeft: true });
    }
    if (this.#theme.isLive) lines.push(...this.#planNews());
    this.#plan.hide();
    return lines;
  }

  /** The lines that may still change. */
  live(frame: string, nowMs: number): readonly string[] {
    const { paint, columns } = this.#theme;
    const running = this.#running.slice(-maxLiveCalls).flatMap((call) => {
      const seconds = Math.floor((nowMs - call.startedAtMs) / 1000);
      const time = seconds < 2 ? "" : ` ${duration(nowMs - call.startedAtMs)}`;
      const title = cut(titleOf(call), columns() - 4 - time.length, glyphs.more);
      const head = `${call.isInner ? "  " : ""}${paint.cyan(frame)} ${title}${paint.dim(time)}`;
      return [head, ...outputTail(call, this.#theme)];
    });
    const text = this.#openLines();
    const thought =
      this.#thought === ""
        ? []
        : wrap(this.#dim(`${glyphs.thought} ${sanitizeLine(this.#thoughtTail)}`), columns(), "  ");
    const before = text.length > 0 && this.#section !== "text" && this.#section !== undefined ? [""] : [];
    return [...before, ...text, ...spaced(thought), ...spaced(running), ...spaced(this.#plan.lines())];
  }

  /** The unfinished line, and the table it may belong to. */
  #openLines(): readonly string[] {
    if (this.#open.trim() === "") return markdownEnd(this.#state, this.#theme);
    const { lines, state } = this.#markdown(closed(this.#open));
    return [...lines, ...markdownEnd(state, this.#theme)];
  }

  /** What the agent is doing, in a word; "" while running calls are shown, which say it better. */
  get doing(): string {
    if (this.#thought === "" && this.#running.length > 0) return "";
    return this.#open === "" ? "Thinking" : "Writing";
  }

  /** Calls that run, without those that wait for a permission. */
  get #running(): readonly ShownCall[] {
    const isRunning = ({ isLeft, isShown, status }: ShownCall): boolean =>
      !isLeft && (!isShown || status === "in_progress");
    return [...this.#calls.values()].filter(isRunning);
  }

  #promptLines(text: string): readonly string[] {
    const { paint, columns } = this.#theme;
    const lines = text.trimEnd().split("\n").map(sanitizeLine);
    return lines.flatMap((line, i) =>
      wrap(`${i === 0 ? paint.cyan(glyphs.prompt) : " "} ${paint.bold(line)}`, columns(), "  "),
    );
  }

  #appendText(text: string, messageId: string | undefined): readonly string[] {
    const lines = [...this.#endThought()];
    if (messageId !== this.#messageId) for (const line of this.#endText()) lines.push(line);
    this.#messageId = messageId;
    this.#open += text;
    for (let end = this.#open.indexOf("\n"); end !== -1; end = this.#open.indexOf("\n")) {
      for (const line of this.#write(this.#open.slice(0, end))) lines.push(line);
      this.#open = this.#open.slice(end + 1);
    }
    if (this.#open.length > maxOpenChars) {
      for (const line of this.#write(this.#open)) lines.push(line);
      this.#open = "";
    }
    return lines;
  }

  #write(line: string): readonly string[] {
    const isBlank = line.trim() === "";
    // Blank lines at the start of a text and after the engine's name are left out.
    const isBefore = this.#section !== "text" && this.#state.table.length === 0;
    if (isBlank && (isBefore || this.#label !== "")) return [];
    const { lines, state, label } = this.#markdown(line);
    this.#state = state;
    this.#label = label;
    if (!isBlank && label === "") this.#isStart = false;
    return this.#inSection("text", lines);
  }

  /** The lines of a line of Markdown. `label` is the engine's name while no text has followed it. */
  #markdown(line: string): MarkdownStep & { readonly label: string } {
    const found = this.#isStart ? splitLabel(line) : { label: "", rest: line };
    const label = found.label === "" ? this.#label : found.label;
    const rest = found.label === "" ? line : found.rest;
    if (label === "") return { ...markdownLine(this.#state, line, this.#theme), label };
    if (rest === "") return { lines: [], state: this.#state, label };
    const isBlock = beginsBlock(rest);
    const { lines, state } = markdownLine(this.#state, isBlock ? rest : `${label} ${rest}`, this.#theme);
    const [first = "", ...others] = isBlock ? [label, ...lines] : lines;
    return { lines: [engineLabelled(first, this.#theme), ...others], state, label: "" };
  }

  #endText(): readonly string[] {
    const lines = this.#open.trim() === "" ? [] : this.#write(this.#open);
    const table = this.#inSection("text", markdownEnd(this.#state, this.#theme));
    this.#open = "";
    this.#state = startOfText;
    this.#isStart = true;
    this.#label = "";
    return [...lines, ...table];
  }

  #appendThought(text: string): readonly string[] {
    const lines = this.#endText();
    if (this.#theme.showsThoughts || this.#thought.length < maxThoughtChars) this.#thought += text;
    this.#thoughtTail = (this.#thoughtTail + text)
      .slice(-maxThoughtTailChars)
      .replace(/^\S*\s/, (start) => (this.#thought.startsWith(start) ? start : ""));
    return lines;
  }

  #endThought(): readonly string[] {
    const { columns, showsThoughts } = this.#theme;
    const thought = this.#thought;
    this.#thought = this.#thoughtTail = "";
    const words = sanitizeLine(thought);
    if (words === "") return [];
    const line = `  ${cut(words, columns() - 2, glyphs.more)}`;
    const isFolded = !showsThoughts && line.trim() !== words;
    if (isFolded) this.#folded = () => this.#thoughtLines(wholeThought(thought, columns()));
    return this.#inSection("thought", this.#thoughtLines(showsThoughts ? wholeThought(thought, columns()) : [line]));
  }

  #thoughtLines([first = "", ...rest]: readonly string[]): readonly string[] {
    return [glyphs.thought + first.slice(1), ...rest].map((line) => this.#dim(line));
  }

  #dim(line: string): string {
    return this.#theme.paint.dim(this.#theme.paint.italic(line));
  }

  #change(update: ToolCallUpdate, nowMs: number): readonly string[] {
    if (this.#ended.has(update.toolCallId)) return [];
    const call = changed(this.#calls.get(update.toolCallId), update, nowMs);
    const lines = this.flush();
    this.#calls.set(call.id, call);
    return isOver(call) ? [...lines, ...this.#endCall(call)] : lines;
  }

  #endCall(call: ShownCall): readonly string[] {
    this.#calls.delete(call.id);
    if (this.#ended.size >= maxEnded) this.#ended.clear();
    this.#ended.add(call.id);
    if (this.#answered.delete(call.id) && call.status === "completed") return [];
    // A finished todo-list call without content: the plan shows the same.
    if (call.kind === "think" && call.status === "completed" && call.content.length === 0) return [];
    const lines = callLines(call, this.#theme);
    if (isFolded(call, this.#theme)) this.#folded = () => wholeCallLines(call, this.#theme);
    return this.#inSection("call", lines, lines.length > 1);
  }

  #planNews(): readonly string[] {
    const news = this.#plan.news();
    return news.length === 0 ? [] : [...this.flush(), ...this.#inSection("plan", news)];
  }

  /** Puts an empty line between sections; calls of one line follow each other without one. */
  #inSection(section: Section, lines: readonly string[], isApart = false): readonly string[] {
    if (lines.length === 0) return [];
    const isFirst = this.#section === undefined;
    const isSame = this.#section === section && !isApart;
    this.#section = section;
    return isFirst || (isSame && section !== "prompt") ? lines : ["", ...lines];
  }
}

/** Formats a duration: 7s, 3m 5s, 1h 2m. */
export function duration(ms: number): string {
  const seconds = Math.round(ms / 1000);
  if (seconds < 60) return `${seconds}s`;
  const minutes = Math.floor(seconds / 60);
  return minutes < 60 ? `${minutes}m ${seconds % 60}s` : `${Math.floor(minutes / 60)}h ${minutes % 60}m`;
}

function wholeThought(thought: string, columns: number): readonly string[] {
  const lines = thought.trim().split("\n");
  return lines.flatMap((line) => wrap(`  ${sanitizeLine(line)}`, columns, "  "));
}

function spaced(lines: readonly string[]): readonly string[] {
  return lines.length === 0 ? [] : ["", ...lines];
}

function textOf(content: ContentBlock): string {
  switch (content.type) {
    case "text":
      return content.text;
    case "resource_link":
      return `[${content.name}]`;
    case "resource":
    case "image":
    case "audio":
      return `[${content.type}]`;
  }
}
