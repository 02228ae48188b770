/**
 * Editor texts: a file's text as it is now: in the editor where it can be had
 * there, on disk otherwise.
 *
 * A buffer without unsaved changes that lags behind the disk, because a command
 * has just changed the file, is given a moment and then passed over: what is on
 * disk is newer.
 */
import { isSameFile, type KnownFiles } from "./known-files.ts";
import { decode, type Disk, type DiskFacts, type EditorFiles, kindOf } from "./file-access.ts";

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

/** A larger file is edited by other means. */
export const maxTextBytes = 10 * 1024 * 1024;
/** An editor that watches its files notices a change within this. */
const noticeMs = 500;
const noticeStepMs = 50;

export class CurrentTexts {
  readonly #options: CurrentTextsOptions;

  constructor(options: CurrentTextsOptions) {
    this.#options = options;
  }

  /** The whole text of a file now. `isPatient`: a lagging editor is waited for. */
  async current(path: string, isPatient: boolean): Promise<CurrentText> {
    const { disk } = this.#options;
    const facts = await disk.facts(path);
    if (facts?.isDirectory) return refused(`${path} is a directory, not a file.`);
    if (facts !== undefined && facts.sizeBytes > maxTextBytes) return refused(tooLarge(facts));
    const bytes = facts && (await disk.read(path));
    if (bytes !== undefined && kindOf(bytes) !== "text") return refused(`${path} is not a text file.`);
    const saved = bytes && decode(bytes);
    const shown = await this.#shown(path, saved, facts, isPatient);
    if (shown === undefined) return { kind: "missing" };
    return { kind: "text", text: shown, disk: facts, saved, isSaved: shown === saved };
  }

  async #shown(
    path: string,
    saved: string | undefined,
    facts: DiskFacts | undefined,
    isPatient: boolean,
  ): Promise<string | undefined> {
    const { editor, knownFiles, wait } = this.#options;
    for (let waitedMs = 0; ; waitedMs += noticeStepMs) {
      const text = await editor.read(path).catch(() => saved);
      const known = knownFiles.get(path);
      const lags =
        isPatient &&
        saved !== undefined &&
        text !== saved &&
        known?.isSaved === true &&
        text === known.text &&
        !isSameFile(facts, known.disk);
      if (!lags) return text;
      if (waitedMs >= noticeMs) return saved;
      await wait(noticeStepMs);
    }
  }
}

/** What the model is told of a file that is not there. */
export function noSuchFile(cwd: string): string {
  return `File does not exist. Note: your current working directory is ${cwd}.`;
}

export function tooLarge({ sizeBytes }: DiskFacts): string {
  const mib = Math.ceil(sizeBytes / 1024 / 1024);
  return `The file is too large for this tool (${mib} MB, the limit is ${maxTextBytes / 1024 / 1024} MB). Use a command instead.`;
}

function refused(why: string): CurrentText {
  return { kind: "refused", why };
}
