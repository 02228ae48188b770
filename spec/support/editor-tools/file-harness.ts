/**
 * An editor with unsaved buffers over a disk, both in memory.
 */
import { CurrentTexts } from "../../../lib/editor-tools/current-text.ts";
import { KnownFiles } from "../../../lib/editor-tools/known-files.ts";
import type { Disk, EditorFiles } from "../../../lib/editor-tools/file-access.ts";
import { linesOf, shownText } from "../../../lib/editor-tools/text-edit.ts";
import { unsavedResult } from "../../../lib/editor-tools/unsaved-text.ts";
import { WriteTools, type WriteToolName } from "../../../lib/editor-tools/write-tools.ts";

export const cwd = "/project";

export class FileHarness {
  readonly buffers = new Map<string, string>();
  readonly files = new Map<string, { bytes: Uint8Array; changedMs: number }>();
  readonly writes: (readonly [path: string, text: string])[] = [];
  readonly knownFiles = new KnownFiles();
  readonly texts: CurrentTexts;
  readonly writing: WriteTools;
  /** Why a path may no longer be written, asked right before the write. */
  refusedNow: string | undefined;
  /** The editor refuses to write, with this reason. */
  refusal: string | undefined;
  /** False: a hook of the user may have changed the result of a Read. */
  mayReplace = true;
  /** The editor does not answer a write until its signal aborts. */
  isStuck = false;
  /** Where a path leads. */
  leadsTo: (path: string) => string = (path) => path;
  /** Called while a tool waits. */
  onWait: () => void = () => {};
  #clock = 1;

  constructor() {
    const editor: EditorFiles = {
      read: async (path) => this.buffers.get(path) ?? this.saved(path) ?? Promise.reject(new Error("no such file")),
      write: async (path, text, signal) => {
        if (this.isStuck)
          return new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
        if (this.refusal !== undefined) throw new Error(this.refusal);
        this.writes.push([path, text]);
        if (this.buffers.has(path)) this.buffers.set(path, text);
        else this.save(path, text);
      },
    };
    const disk: Disk = {
      facts: async (path) => {
        const file = this.files.get(path);
        if (path === `${cwd}/src`)
          return { isDirectory: true, isFile: false, linkCount: 1, sizeBytes: 0, changedMs: 0 };
        return (
          file && {
            isDirectory: false,
            isFile: true,
            linkCount: 1,
            sizeBytes: file.bytes.length,
            changedMs: file.changedMs,
          }
        );
      },
      read: async (path) => this.files.get(path)?.bytes ?? Promise.reject(new Error("no such file")),
      write: async (path, text) => void this.save(path, text),
      isLink: async () => false,
      real: async (path) => this.leadsTo(path),
    };
    const { knownFiles } = this;
    const wait = async (): Promise<void> => this.onWait();
    this.texts = new CurrentTexts({ editor, disk, knownFiles, wait });
    const isInside = (path: string): boolean => path.startsWith(`${cwd}/`);
    this.writing = new WriteTools({ cwd: () => cwd, texts: this.texts, editor, disk, knownFiles, isInside });
  }

  save(path: string, content: string | Uint8Array): string {
    const bytes = typeof content === "string" ? new TextEncoder().encode(content) : content;
    this.files.set(path, { bytes, changedMs: this.#clock++ });
    return path;
  }

  saved(path: string): string | undefined {
    const file = this.files.get(path);
    return file && new TextDecoder("utf-8", { ignoreBOM: true }).decode(file.bytes);
  }

  /** What the model sees of a file: the CLI's own Read of the disk, replaced by the editor's text. */
  async read(path: string, range: { offset?: number; limit?: number } = {}): Promise<string> {
    const lines = linesOf(shownText(this.saved(path) ?? ""));
    const { offset: startLine = 1, limit = 2000 } = range;
    const shown = lines.slice(startLine - 1, startLine - 1 + limit);
    const content = shown.join("\n");
    const file = { filePath: path, content, numLines: shown.length, startLine, totalLines: lines.length };
    return this.replaced({ type: "text", file }, range);
  }

  /** What the model sees of a result of the CLI's own Read. */
  async replaced(response: object, input: object = {}): Promise<string> {
    const given: { file?: { content?: string } } = (await unsavedResult(input, response, this)) ?? response;
    return given.file?.content ?? "(as it was)";
  }

  async run(
    tool: WriteToolName,
    input: Readonly<Record<string, unknown>>,
    signal: AbortSignal = open(),
  ): Promise<string> {
    const refusal = async (): Promise<string | undefined> => this.refusedNow;
    return told(
      await this.writing.run({
        tool,
        input,
        signal,
        realPath: String(input["file_path"] ?? input["notebook_path"]),
        isForCli: false,
        refusal,
      }),
    );
  }

  write(path: string, content: string): Promise<string> {
    return this.run("Write", { file_path: path, content });
  }

  edit(path: string, old_string: string, new_string: string, more: object = {}): Promise<string> {
    return this.run("Edit", { file_path: path, old_string, new_string, ...more });
  }
}

export function open(): AbortSignal {
  return new AbortController().signal;
}

interface Told {
  readonly isError?: boolean;
  readonly content: readonly { readonly text: string }[];
}

/** The result as one text; a failure begins with a mark. */
export function told({ content, isError }: Told): string {
  const text = content.map((part) => part.text).join("\n");
  return isError === true ? `failed: ${text}` : text;
}
