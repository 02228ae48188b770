/**
 * Reads the current text of a file: the editor's, or the text on disk when the editor answers
 * with an error. When the editor does not answer at all, the read is refused, because the
 * editor may have unsaved text.
 *
 * When a command has just changed a file on disk, the editor may still have the old
 * text in a buffer without unsaved changes. Such a buffer gets up to `noticeMs` to
 * reload the file; after that the text on disk is used, because it is newer.
 */
import { isSameFile, type KnownFiles } from "./known-files.ts";
import { decode, type Disk, type DiskFacts, type EditorFiles, EditorSilent, isText, isUtf8 } from "./file-access.ts";

export interface CurrentTextsOptions {
  readonly editor: EditorFiles;
  readonly disk: Disk;
  readonly knownFiles: KnownFiles;
  readonly wait: (ms: number) => Promise<void>;
}

export type CurrentText =
  | {
      readonly kind: "text";
      readonly text: string;
      readonly disk: DiskFacts | undefined;
      /** The text on disk; undefined when there is no file. */
      readonly saved: string | undefined;
      readonly isSaved: boolean;
    }
  | { readonly kind: "missing" }
  | { readonly kind: "refused"; readonly why: string };

/** Larger files are refused, and larger texts of the editor. */
export const maxTextBytes = 10 * 1024 * 1024;
/** How long an editor has to notice that a file has changed on disk. */
const noticeMs = 500;
const noticeStepMs = 50;

export class CurrentTexts {
  readonly #options: CurrentTextsOptions;

  constructor(options: CurrentTextsOptions) {
    this.#options = options;
  }

  /** The whole current text of a file. `isPatient`: waits for an editor whose buffer is older than the disk. */
  async current(path: string, isPatient: boolean): Promise<CurrentText> {
    const { disk } = this.#options;
    const facts = await disk.facts(path);
    if (facts?.isDirectory) return refused(`${path} is a directory, not a file.`);
    if (facts !== undefined && !facts.isFile) return refused(`${path} is not a regular file.`);
    if (facts !== undefined && facts.sizeBytes > maxTextBytes) return refused(tooLarge(facts));
    const bytes = facts && (await disk.read(path));
    if (bytes !== undefined && !isText(bytes)) return refused(`${path} is not a text file.`);
    // The editor would save it in another encoding, with other characters in place of those it cannot read.
    if (bytes !== undefined && !isUtf8(bytes)) return refused(`${path} is not UTF-8. Use a command to change it.`);
    const saved = bytes && decode(bytes);
    const text = await this.#editorText(path, saved, facts, isPatient).catch((cause: unknown) => {
      if (cause instanceof EditorSilent) return cause;
      throw cause;
    });
    // The disk is no substitute: the editor may have unsaved text.
    if (text instanceof EditorSilent) return refused(text.message);
    if (text === undefined) return { kind: "missing" };
    if (text.length > maxTextBytes) return refused(tooLarge({ sizeBytes: Buffer.byteLength(text) }));
    return { kind: "text", text, disk: facts, saved, isSaved: text === saved };
  }

  async #editorText(
    path: string,
    saved: string | undefined,
    facts: DiskFacts | undefined,
    isPatient: boolean,
  ): Promise<string | undefined> {
    const { editor, knownFiles, wait } = this.#options;
    for (let waitedMs = 0; ; waitedMs += noticeStepMs) {
      const text = await editor.read(path).catch((cause: unknown) => {
        if (cause instanceof EditorSilent) throw cause;
        return saved;
      });
      const known = knownFiles.get(path);
      const isOutdated =
        isPatient &&
        saved !== undefined &&
        text !== saved &&
        known?.isSaved === true &&
        text === known.text &&
        !isSameFile(facts, known.disk);
      if (!isOutdated) return text;
      if (waitedMs >= noticeMs) return saved;
      await wait(noticeStepMs);
    }
  }
}

/** The error text for a file that does not exist. */
export function noSuchFile(cwd: string): string {
  return `File does not exist. Note: your current working directory is ${cwd}.`;
}

function tooLarge({ sizeBytes }: Pick<DiskFacts, "sizeBytes">): string {
  const mib = Math.ceil(sizeBytes / 1024 / 1024);
  return `The file is too large for this tool (${mib} MB, the limit is ${maxTextBytes / 1024 / 1024} MB). Use a command instead.`;
}

function refused(why: string): CurrentText {
  return { kind: "refused", why };
}
