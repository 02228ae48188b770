/**
 * Reading: Read, through the editor, so that the model sees what the person sees.
 *
 * Images, PDFs, notebooks and what an editor cannot open come from disk. What was read
 * is remembered: only that may be changed.
 */
import { done, failed, type FullAnswer, type ToolAnswer } from "./answer.ts";
import { type EditorTexts, maxTextBytes, noSuchFile, tooLarge } from "./editor-texts.ts";
import type { Input } from "./mcp.ts";
import type { Memory } from "./memory.ts";
import { notebookCells } from "./notebook.ts";
import { decode, type Disk, type DiskFacts, type EditorFiles, imageType, kindOf } from "./places.ts";
import { linesOf, numberedLines, shownText } from "./text.ts";

export interface ReadingEnds {
  /** Where relative paths begin. */
  readonly cwd: () => string;
  readonly absolute: (path: string) => string;
  readonly texts: EditorTexts;
  readonly editor: EditorFiles;
  readonly disk: Disk;
  readonly memory: Memory;
}

/** Lines read when no number is given; the CLI's own. */
const defaultLines = 2000;
/** The most text one call gives the model; the CLI's own. */
const maxReadBytes = 256 * 1024;
/** A larger file is not asked from the editor whole. */
const maxWholeBytes = 2 * 1024 * 1024;
const maxImageBytes = 5 * 1024 * 1024;
/** What one request of the API can hold, with room for the rest. */
export const maxPdfBytes = 16 * 1024 * 1024;

export class Reading {
  readonly #ends: ReadingEnds;

  constructor(ends: ReadingEnds) {
    this.#ends = ends;
  }

  async run(input: Input): Promise<FullAnswer> {
    const given = input["file_path"];
    if (typeof given !== "string" || given === "") return failed("file_path must be a path.");
    const path = this.#ends.absolute(given);
    const facts = await this.#ends.disk.facts(path);
    if (facts?.isDirectory) return failed(`${path} is a directory. List it with a command or with Glob.`);
    const first = wholeNumber(input["offset"]) ?? 1;
    const limit = wholeNumber(input["limit"]);
    const isPdf = path.toLowerCase().endsWith(".pdf");
    if (facts !== undefined && isPdf && facts.sizeBytes > maxPdfBytes) return failed(tooLongPdf);
    if (facts !== undefined && facts.sizeBytes > maxWholeBytes && !isPdf) return this.#part(path, facts, first, limit);
    const bytes = facts && (await this.#ends.disk.read(path));
    const other = bytes && (await this.#notText(path, facts, bytes));
    return other ?? this.#text(path, first, limit);
  }

  async #text(path: string, first: number, limit: number | undefined): Promise<ToolAnswer> {
    const current = await this.#ends.texts.current(path, true);
    if (current.kind === "refused") return failed(current.why);
    if (current.kind === "missing") return failed(noSuchFile(this.#ends.cwd()));
    const { text, disk, isSaved } = current;
    const lines = linesOf(shownText(text));
    const wanted = lines.slice(first - 1, first - 1 + (limit ?? defaultLines));
    const answer = this.#answer(wanted, first, lines.length, limit);
    if (answer.isError !== true) this.#ends.memory.set(path, { text, disk, isSaved });
    return answer;
  }

  /** A part of a file too large to be asked for whole. */
  async #part(path: string, facts: DiskFacts, first: number, limit: number | undefined): Promise<ToolAnswer> {
    if (limit === undefined) return failed(tooMuch(facts.sizeBytes));
    const { editor, disk, memory } = this.#ends;
    const text = await editor.read(path, { line: first, limit }).catch(async () => {
      if (facts.sizeBytes > maxTextBytes) return undefined;
      const lines = linesOf(shownText(decode(await disk.read(path))));
      return lines.slice(first - 1, first - 1 + limit).join("\n");
    });
    if (text === undefined) return failed(tooLarge(facts));
    if (text.includes("\0")) return failed(notReadable(path));
    const answer = this.#answer(linesOf(shownText(text)).slice(0, limit), first, undefined, limit);
    if (answer.isError !== true) memory.set(path, { text: undefined, disk: facts, isSaved: false });
    return answer;
  }

  #answer(lines: readonly string[], first: number, count: number | undefined, limit: number | undefined): ToolAnswer {
    if (lines.length === 0) return done(emptyNote(first, count));
    const text = numberedLines(lines, first);
    const bytes = Buffer.byteLength(text);
    if (bytes > maxReadBytes) return failed(tooMuch(bytes));
    const last = first + lines.length - 1;
    const isCut = limit === undefined && count !== undefined && last < count;
    const { content } = done(text);
    const note = `[lines ${first} to ${last} of ${count}; use offset and limit to read on]`;
    return isCut ? { content: [...content, { type: "text", text: note }] } : { content };
  }

  /** What is no text, from disk; undefined for text. */
  async #notText(path: string, facts: DiskFacts, bytes: Uint8Array): Promise<FullAnswer | undefined> {
    switch (kindOf(bytes)) {
      case "image": {
        if (bytes.length > maxImageBytes) return failed("The image is too large to be shown (the limit is 5 MB).");
        const data = Buffer.from(bytes).toString("base64");
        return { content: [{ type: "image", data, mimeType: imageType(bytes) ?? "image/png" }] };
      }
      case "pdf":
        return pdfAnswer(path, bytes);
      case "binary":
        return failed(notReadable(path));
      case "text":
        return path.endsWith(".ipynb") ? this.#notebook(path, facts) : undefined;
    }
  }

  async #notebook(path: string, facts: DiskFacts): Promise<ToolAnswer | undefined> {
    const current = await this.#ends.texts.current(path, true);
    if (current.kind !== "text") return undefined;
    const cells = notebookCells(current.text);
    if (cells === undefined) return undefined;
    this.#ends.memory.set(path, { text: current.text, disk: facts, isSaved: current.isSaved });
    return done(cells);
  }
}

const tooLongPdf = "The PDF is too large to be read whole. Use a command such as pdftotext to read a part of it.";

/** A PDF goes to the model whole, as with the CLI's own tool; there it is shown page by page. */
function pdfAnswer(path: string, bytes: Uint8Array): FullAnswer {
  const data = Buffer.from(bytes).toString("base64");
  const source = { type: "base64", media_type: "application/pdf", data } as const;
  return { ...done(`PDF file read: ${path} (${bytes.length} bytes)`), document: { type: "document", source } };
}

function wholeNumber(value: unknown): number | undefined {
  const number = typeof value === "string" ? Number(value) : value;
  return typeof number === "number" && Number.isFinite(number) && number >= 1 ? Math.floor(number) : undefined;
}

function emptyNote(first: number, count: number | undefined): string {
  const what =
    count === 0 || (count === undefined && first === 1)
      ? "the file exists but the contents are empty."
      : `the file exists but is shorter than the provided offset (${first}).${count === undefined ? "" : ` The file has ${count} lines.`}`;
  return `<system-reminder>Warning: ${what}</system-reminder>`;
}

function tooMuch(bytes: number): string {
  return `File content (${Math.ceil(bytes / 1024)}KB) exceeds maximum allowed size (${maxReadBytes / 1024}KB). Use offset and limit parameters to read specific portions of the file, or search for specific content instead of reading the whole file.`;
}

function notReadable(path: string): string {
  return `This tool cannot read binary files. ${path} appears to be one. Use appropriate tools for binary file analysis.`;
}
