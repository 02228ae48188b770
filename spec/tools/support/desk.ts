/**
 * Desk: an editor with unsaved buffers above a disk, both maps, for specs.
 */
import { EditorTexts } from "../../../lib/tools/editor-texts.ts";
import { Memory } from "../../../lib/tools/memory.ts";
import type { Disk, EditorFiles } from "../../../lib/tools/places.ts";
import { Reading } from "../../../lib/tools/reading.ts";
import { Writing } from "../../../lib/tools/writing.ts";

export const cwd = "/project";

export class Desk {
  readonly buffers = new Map<string, string>();
  readonly files = new Map<string, { bytes: Uint8Array; changedMs: number }>();
  readonly writes: (readonly [path: string, text: string])[] = [];
  readonly memory = new Memory();
  readonly reading: Reading;
  readonly writing: Writing;
  /** The editor refuses to write, with this reason. */
  refusal: string | undefined;
  /** What happens while somebody waits. */
  onWait: () => void = () => {};
  #clock = 1;

  constructor() {
    const editor: EditorFiles = {
      read: async (path, range) => {
        const text = this.buffers.get(path) ?? this.saved(path);
        if (text === undefined) throw new Error("no such file");
        if (range === undefined) return text;
        return text
          .split(/(?<=\n)/)
          .slice(range.line - 1, range.line - 1 + range.limit)
          .join("");
      },
      write: async (path, text) => {
        if (this.refusal !== undefined) throw new Error(this.refusal);
        this.writes.push([path, text]);
        if (this.buffers.has(path)) this.buffers.set(path, text);
        else this.save(path, text);
      },
    };
    const disk: Disk = {
      facts: async (path) => {
        const file = this.files.get(path);
        if (path === `${cwd}/src`) return { isDirectory: true, sizeBytes: 0, changedMs: 0 };
        return file && { isDirectory: false, sizeBytes: file.bytes.length, changedMs: file.changedMs };
      },
      read: async (path) => this.files.get(path)?.bytes ?? Promise.reject(new Error("no such file")),
      write: async (path, text) => void this.save(path, text),
      real: async (path) => path,
    };
    const isPrivate = (path: string): boolean => path.startsWith("/home/.claude/");
    const { memory } = this;
    const wait = async (): Promise<void> => this.onWait();
    const texts = new EditorTexts({ editor, disk, memory, isPrivate, wait });
    const absolute = (path: string): string => (path.startsWith("/") ? path : `${cwd}/${path}`);
    const ends = { cwd: () => cwd, absolute, texts, editor, disk, memory };
    this.reading = new Reading(ends);
    this.writing = new Writing({ ...ends, isPrivate, isInside: (path) => path.startsWith(`${cwd}/`) });
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

  async read(path: string, more: object = {}): Promise<string> {
    return told(await this.reading.run({ file_path: path, ...more }));
  }

  async write(path: string, content: string): Promise<string> {
    return told(await this.writing.run("Write", { file_path: path, content }, open()));
  }

  async edit(path: string, old_string: string, new_string: string, more: object = {}): Promise<string> {
    return told(await this.writing.run("Edit", { file_path: path, old_string, new_string, ...more }, open()));
  }
}

export function open(): AbortSignal {
  return new AbortController().signal;
}

interface Told {
  readonly isError?: boolean;
  readonly content: readonly ({ readonly type: string } & Partial<Record<"text" | "mimeType", string>>)[];
}

/** An answer in one text; a failure says so first. */
export function told({ content, isError }: Told): string {
  const text = content.map((part) => part.text ?? `(${part.mimeType})`).join("\n");
  return isError === true ? `failed: ${text}` : text;
}
