/**
 * Renders a tool call: a mark, its title, and below it the diff or output, cut to a few
 * lines.
 */
import type {
  ToolCallContent,
  ToolCallLocation,
  ToolCallStatus,
  ToolCallUpdate,
  ToolKind,
} from "../../../acp/index.ts";
import { inputText, unshownInput } from "../../../display/index.ts";
import { isRecord } from "../../../schema/index.ts";
import { type DiffRow, diffRows, linesOf } from "./diff.ts";
import { markdownText } from "./markdown.ts";
import { sanitize, sanitizeOutput, visible, visibleLine } from "./sanitize.ts";
import { glyphs, type Theme } from "./theme.ts";
import { viewKey } from "./permission-prompt.ts";
import { cut, wrap } from "./text-width.ts";

export interface ShownCall {
  readonly id: string;
  readonly title: string;
  readonly kind: ToolKind;
  readonly status: ToolCallStatus;
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
  readonly input: unknown;
  /** Made within another call, e.g. by a subagent. */
  readonly isInner: boolean;
  readonly startedAtMs: number;
  /** Its content was already printed with the permission request. */
  readonly isShown: boolean;
  /** The content that was printed with the permission request. */
  readonly askedContent?: readonly ToolCallContent[] | undefined;
  /** The turn ended before the call did. */
  readonly isLeft: boolean;
}

/** The tool call of a permission request, as lines. */
export interface Proposal {
  readonly printed: readonly string[];
  /** Every line below the title, at the width the terminal has now. */
  readonly whole: () => readonly string[];
  /** `printed` has only the first of these lines. */
  readonly isCut: boolean;
  readonly kind: ToolKind;
}

const maxDiffRows = 40;
const maxOutputRows = 12;
const maxTextRows = 6;
/** In a narrower terminal a line of a diff has one number. */
const minTwoNumbers = 60;
/** Lines shown of a command that runs. */
const maxTailRows = 5;

/** Merges an update into a call. */
export function changed(call: ShownCall | undefined, update: ToolCallUpdate, nowMs: number): ShownCall {
  const { toolCallId: id, title, kind, status, content, locations, rawInput, _meta } = update;
  const claude = _meta?.["claudeCode"];
  return {
    id,
    title: title ?? call?.title ?? id,
    kind: kind ?? call?.kind ?? "other",
    status: status ?? call?.status ?? "pending",
    content: content ?? call?.content ?? [],
    locations: locations ?? call?.locations ?? [],
    input: rawInput ?? call?.input,
    isInner: call?.isInner ?? (typeof claude === "object" && claude !== null && "parentToolUseId" in claude),
    // The time starts when the call starts running, so that waiting for the user does not count.
    startedAtMs: call !== undefined && (status !== "in_progress" || call.status === status) ? call.startedAtMs : nowMs,
    isShown: call?.isShown ?? false,
    askedContent: call?.askedContent,
    isLeft: call?.isLeft ?? false,
  };
}

export function isOver({ status }: ShownCall): boolean {
  return status === "completed" || status === "failed";
}

/** The title on one line. */
export function titleOf({ title }: ShownCall): string {
  return visibleLine(title);
}

/** The final lines of a call that ended, or whose turn did. */
export function callLines(call: ShownCall, theme: Theme): readonly string[] {
  const { paint } = theme;
  const margin = call.isInner ? "  " : "";
  const isFailed = call.status === "failed";
  const mark = isFailed
    ? paint.red(glyphs.failed)
    : isOver(call)
      ? paint.green(glyphs.done)
      : paint.yellow(glyphs.doing);
  const head = wrap(`${margin}${mark} ${titleOf(call)}${paint.dim(countOf(call))}`, theme.columns(), `${margin}  `);
  const isPrinted = isCounted(call) || (call.isShown && !isFailed && call.kind !== "execute");
  const body = isPrinted ? [] : bodyLines(call, theme, (text) => textLines(text, call, theme));
  return [...head, ...body.map((line) => margin + line)];
}

/** Whether `callLines` left out lines of the call. */
export function isFolded(call: ShownCall, theme: Theme): boolean {
  return isCounted(call) ? countOf(call) !== "" : wholeCallLines(call, theme).length > callLines(call, theme).length;
}

/** The call with every line of its output or diff. */
export function wholeCallLines(call: ShownCall, theme: Theme): readonly string[] {
  const { paint, columns } = theme;
  const head = wrap(`${paint.bold(titleOf(call))}`, columns(), "  ");
  const show = (text: string): readonly string[] =>
    linesOf(unfenced(call.kind === "execute" ? sanitizeOutput(text) : sanitize(text)).trimEnd()).flatMap((line) =>
      wrap(`  ${line}`, columns(), "  "),
    );
  const body = isMarkdown(call) ? (text: string) => markdownText(text.trim(), theme) : show;
  return [...head, ...bodyLines({ ...call, isShown: false }, theme, body, Infinity)];
}

/** The last lines that a running command has printed. */
export function outputTail(call: ShownCall, { paint, columns }: Theme): readonly string[] {
  if (call.kind !== "execute" || call.content === call.askedContent) return [];
  // The output is the last part; a description may stand before it.
  const text = textsOf(call.content).findLast((part) => part !== "") ?? "";
  const lines = linesOf(unfenced(sanitizeOutput(text)).trimEnd()).filter((line) => line.trim() !== "");
  return lines.slice(-maxTailRows).map((line) => `    ${paint.dim(cut(line, columns() - 4, glyphs.more))}`);
}

/** The lines of a permission request in a session that works in `cwd`. */
export function proposalOf(call: ShownCall, theme: Theme, cwd: string): Proposal {
  const { paint, columns, isLive } = theme;
  const head = wrap(`${paint.yellow("?")} ${paint.bold(titleOf(call))}`, columns(), "  ");
  const whole = (): readonly string[] => proposalLines(call, theme, cwd);
  const lines = whole();
  // The plain frontend has no key that shows the rest, so it prints everything.
  const isCut = isLive && lines.length > maxDiffRows;
  const rest = `${glyphs.more} ${lines.length - maxDiffRows} more; ${viewKey} shows all ${lines.length} lines`;
  const start = isCut ? [...lines.slice(0, maxDiffRows), `  ${paint.yellow(rest)}`] : lines;
  return { printed: [...head, ...start], whole, isCut, kind: call.kind };
}

/**
 * The whole call, with every character visible and long lines wrapped instead of cut. What title and content do
 * not say of the files and of the input stands below them.
 */
function proposalLines(call: ShownCall, theme: Theme, cwd: string): readonly string[] {
  const { paint, columns } = theme;
  const show = (text: string): readonly string[] =>
    linesOf(unfenced(visible(text)).trim()).flatMap((line) => wrap(`  ${paint.dim(line)}`, columns(), "  "));
  // A plan is Markdown.
  const body = call.kind === "switch_mode" ? (text: string) => markdownText(visible(text).trim(), theme) : show;
  const diffs = call.content.filter((part) => part.type === "diff");
  const paths = [...new Set(diffs.map(({ path }) => path))];
  const titles = [call.title, ...(cwd === "" ? [] : call.title.split(/[\s`]+/).map((word) => `${cwd}/${word}`))];
  // With several files, each path is above its diffs.
  const nameFile = paths.length > 1 ? show : () => [];
  const unnamed = paths.length > 1 ? [] : paths.filter((path) => unshownInput(path, titles) !== undefined);
  const shown = [
    ...titles,
    ...paths,
    ...call.content.flatMap((part) =>
      part.type === "content" && part.content.type === "text" ? [part.content.text] : [],
    ),
    ...diffs.flatMap(({ oldText, newText }) => [oldText ?? "", newText]),
  ];
  const rest = unshownInput(withoutPlaces(call), shown);
  const places = [...new Set(call.locations.map(({ path }) => path))];
  const unshown = [...places, ...call.content.flatMap(otherContent)].filter(
    (text) => unshownInput(text, shown) !== undefined,
  );
  return [
    ...unnamed.flatMap(show),
    ...bodyLines(call, theme, body, Infinity, nameFile),
    ...unshown.flatMap(show),
    ...(rest === undefined ? [] : show(inputText(rest))),
  ];
}

/** What a question says of content that is no text: the address of a link, the text of an attachment. */
function otherContent(part: ToolCallContent): readonly string[] {
  if (part.type !== "content" || part.content.type === "text") return [];
  const { content } = part;
  if (content.type === "resource_link") return [content.uri];
  if (content.type !== "resource") return [`(${content.type}, not shown here)`];
  return [content.resource.uri, ...("text" in content.resource ? [content.resource.text] : [])];
}

/** The input without `replace_all`, where the title says it in words. */
function withoutPlaces({ kind, title, input }: ShownCall): unknown {
  if (kind !== "edit" || !isRecord(input) || input["replace_all"] !== true || !/ \(in all \d+ places\)$/.test(title)) {
    return input;
  }
  return { ...input, replace_all: undefined };
}

/** Whether the text of a call is Markdown: a plan, or answers of the user. */
function isMarkdown({ kind, input }: ShownCall): boolean {
  return kind === "switch_mode" || (isRecord(input) && Array.isArray(input["questions"]));
}

function bodyLines(
  call: ShownCall,
  theme: Theme,
  show: (text: string) => readonly string[],
  maxRows: number = maxDiffRows,
  nameFile: (path: string) => readonly string[] = () => [],
): readonly string[] {
  let diffs = 0;
  let shift = 0;
  let file: string | undefined;
  return call.content.flatMap((part) => {
    if (part.type === "diff") {
      if (call.isShown) return [];
      const isNext = part.path === file;
      if (!isNext) shift = 0;
      file = part.path;
      const rows = diffRows(part.oldText ?? "", part.newText, call.locations[diffs++]?.line ?? undefined, shift);
      shift += rows.filter(({ mark }) => mark === "+").length - rows.filter(({ mark }) => mark === "-").length;
      return [...(isNext ? [gapLine(theme)] : nameFile(part.path)), ...diffLines(rows, theme, maxRows)];
    }
    return part.type === "content" && part.content.type === "text" ? show(part.content.text) : [];
  });
}

/** Lines with their numbers in the old and the new file: removed in red, added in green. */
function diffLines(rows: readonly DiffRow[], theme: Theme, maxRows: number): readonly string[] {
  const { paint, columns } = theme;
  const shown = rows.slice(0, maxRows);
  const lines = shown.flatMap((row) => {
    if (row.mark === "gap") return [gapLine(theme)];
    const { mark } = row;
    const [old, now] = [mark === "+" ? "" : `${row.old}`, mark === "-" ? "" : `${row.now}`];
    const numbers = columns() < minTwoNumbers ? (now || old).padStart(5) : `${old.padStart(5)} ${now.padStart(4)}`;
    const text = `${mark} ${visible(row.text.replace(/\r$/, "")).replaceAll("\n", " ")}`;
    const colour = mark === "+" ? paint.green : mark === "-" ? paint.red : paint.dim;
    return wrap(`${paint.dim(`${numbers} `)}${colour(text)}`, columns(), " ".repeat(numbers.length + 3));
  });
  return [...lines, ...more(rows.length - shown.length, theme)];
}

/** Replaces unchanged lines that are left out. */
function gapLine({ paint }: Theme): string {
  return `    ${paint.dim(glyphs.more)}`;
}

/** Results of read, search and fetch are not printed; their lines are counted. */
function isCounted({ kind, status }: ShownCall): boolean {
  return status === "completed" && (kind === "read" || kind === "search" || kind === "fetch");
}

function countOf(call: ShownCall): string {
  if (!isCounted(call)) return "";
  const texts = textsOf(call.content);
  const count = texts.reduce((sum, text) => sum + linesOf(unfenced(text).trim()).length, 0);
  return count === 0 ? "" : `  ${count} ${count === 1 ? "line" : "lines"}`;
}

/** Shows the end of a command's output and the beginning of other text; lines of a failure are wrapped, not cut. */
function textLines(text: string, call: ShownCall, theme: Theme): readonly string[] {
  const { kind, status } = call;
  const { paint, columns } = theme;
  const isFailed = status === "failed";
  if (isMarkdown(call)) {
    const all = markdownText(text.trim(), theme);
    return [...all.slice(0, maxOutputRows), ...more(all.length - maxOutputRows, theme)];
  }
  const source = linesOf(unfenced(kind === "execute" ? sanitizeOutput(text) : sanitize(text)).trimEnd());
  if (source.every((line) => line.trim() === "")) return [];
  const available = columns() - 2;
  const lines = isFailed
    ? source.flatMap((line) => wrap(line, available))
    : source.map((line) => cut(line, available, glyphs.more));
  const count = isFailed || kind === "execute" ? maxOutputRows : maxTextRows;
  const shown = (kind === "execute" ? lines.slice(-count) : lines.slice(0, count)).map(
    (line) => `  ${paint.dim(line)}`,
  );
  const rest = more(lines.length - count, theme);
  return kind === "execute" ? [...rest, ...shown] : [...shown, ...rest];
}

function more(count: number, { paint, isLive }: Theme): readonly string[] {
  const how = isLive ? ", ctrl-o shows all" : "";
  return count <= 0 ? [] : [`  ${paint.dim(`${glyphs.more} ${count} more ${count === 1 ? "line" : "lines"}${how}`)}`];
}

function textsOf(content: readonly ToolCallContent[]): readonly string[] {
  return content.map((part) => (part.type === "content" && part.content.type === "text" ? part.content.text : ""));
}

/** Removes a code fence around the whole text. */
function unfenced(text: string): string {
  return /^(`{3,})\w*\n([^]*?)\n?\1\s*$/.exec(text)?.[2] ?? text;
}
