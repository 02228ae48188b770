/**
 * The tools Write, Edit and NotebookEdit, which write through the editor.
 *
 * `prepare` computes the new text or refuses with a reason for the model, and writes
 * nothing. `run` prepares again and writes once. Each reads the current file and
 * compares it with what the model has read, so a change by anyone else is never
 * overwritten. Writes run one at a time; one that is cancelled holds up no other.
 */
import { done, failed, reasonOf, type ToolResult } from "./tool-result.ts";
import { type CurrentText, type CurrentTexts, noSuchFile } from "./current-text.ts";
import type { McpToolInput } from "./mcp-server.ts";
import { isSameFile, type KnownFiles } from "./known-files.ts";
import { editNotebook } from "./notebook.ts";
import { patchOf } from "./hunks.ts";
import type { Disk, EditorFiles } from "./file-access.ts";
import { type Change, changeBetween, type Edit, editText, numberedLines, rewriteText, shownText } from "./text-edit.ts";

export type Prepared =
  | {
      readonly kind: "prepared";
      readonly path: string;
      readonly before: string | undefined;
      readonly after: string;
      readonly changes: readonly Change[];
      /** The one cell of a notebook that changes. */
      readonly cell?: { readonly oldSource: string; readonly message: string };
    }
  | { readonly kind: "refused"; readonly why: string };

export interface WriteToolsOptions {
  /** The CLI's current directory, for messages. */
  readonly cwd: () => string;
  readonly texts: CurrentTexts;
  readonly editor: EditorFiles;
  readonly disk: Disk;
  readonly knownFiles: KnownFiles;
  /** Whether a path is below the session's directories. An editor may refuse files elsewhere. */
  readonly isInside: (path: string) => boolean;
}

/** A call that is allowed to write. */
export interface WriteCall {
  readonly tool: WriteToolName;
  /** `file_path` or `notebook_path` is absolute. */
  readonly input: McpToolInput;
  readonly signal: AbortSignal;
  /** The file that was checked: the path with every link resolved. */
  readonly realPath: string;
  /** The file belongs to the CLI, for example its plan; it is written to disk directly. */
  readonly isForCli: boolean;
  /** Called right before writing: why the path may no longer be written; undefined when it may. */
  readonly refusal: () => Promise<string | undefined>;
}

/** The CLI's own writing tools, which these replace under the same names: rules, hooks and subagents know no others. */
export const writeToolNames = ["Write", "Edit", "NotebookEdit"] as const;
export type WriteToolName = (typeof writeToolNames)[number];

export class WriteTools {
  readonly #options: WriteToolsOptions;
  /** Settles when the last queued write has ended. */
  #last: Promise<unknown> = Promise.resolve();

  constructor(options: WriteToolsOptions) {
    this.#options = options;
  }

  /** What a call would write, or why it cannot. Writes nothing. */
  async prepare(tool: WriteToolName, input: McpToolInput): Promise<Prepared> {
    const path = input["file_path"] ?? input["notebook_path"];
    if (typeof path !== "string" || path === "") return refused("file_path must be a path.");
    const current = await this.#options.texts.current(path, false);
    if (current.kind === "refused") return current;
    const content = input["content"];
    if (tool === "Write") {
      return typeof content === "string"
        ? this.#prepareWrite(path, current, content)
        : refused("content must be text.");
    }
    if (tool === "NotebookEdit") return this.#prepareNotebookEdit(path, current, input);
    const edit = editIn(input);
    return edit === undefined
      ? refused("old_string and new_string must be text.")
      : this.#prepareEdit(path, current, edit);
  }

  /** Prepares and writes, unless the call is cancelled before it writes. */
  run(call: WriteCall): Promise<ToolResult> {
    const result = this.#last.then(() => this.#run(call));
    // An editor may never answer. The next write waits no longer than this call may run.
    this.#last = Promise.race([result.catch(() => {}), aborted(call.signal)]);
    return result;
  }

  async #run({ tool, input, signal, realPath, isForCli, refusal }: WriteCall): Promise<ToolResult> {
    const prepared = await this.prepare(tool, input);
    if (prepared.kind === "refused") return failed(prepared.why);
    if (signal.aborted) return failed("The call was cancelled; nothing was written.");
    const { path, before, after, changes, cell } = prepared;
    const refusalReason = await refusal();
    if (refusalReason !== undefined) return failed(refusalReason);
    const problem = isForCli
      ? await writeTo(this.#options.disk, realPath, after)
      : await this.#write(path, realPath, after, signal, refusal);
    if (problem !== undefined) return failed(`The editor did not write ${path}: ${problem}`);
    const { disk, knownFiles } = this.#options;
    // The editor opens the file by its path, so a link that appeared meanwhile has led the text elsewhere.
    const ledTo = await disk.real(path).catch(() => undefined);
    if (ledTo !== realPath)
      return failed(
        `${path} leads to ${ledTo ?? "another place"} now. The text may have been written there: tell the user.`,
      );
    const facts = await disk.facts(path);
    knownFiles.set(path, { text: after, disk: facts, isSaved: await this.#isOnDisk(path, after, facts !== undefined) });
    if (cell !== undefined) return done(cell.message, { old_source: cell.oldSource, notebook_path: path });
    const shown = shownText(before ?? "");
    const structuredPatch = before === undefined ? [] : patchOf(shown, changes);
    return done(successMessage(tool, path, before === undefined, shownText(after), structuredPatch[0]?.newStart), {
      type: before === undefined ? "create" : "update",
      filePath: path,
      structuredPatch,
    });
  }

  /** Writes once. Returns the reason when the write failed. */
  async #write(
    path: string,
    realPath: string,
    text: string,
    signal: AbortSignal,
    refusal: WriteCall["refusal"],
  ): Promise<string | undefined> {
    const { editor, disk, isInside } = this.#options;
    try {
      await editor.write(path, text, signal);
      return undefined;
    } catch (cause) {
      // An editor may refuse files outside its project. If it has written nothing, the file is written to disk.
      if (signal.aborted) return "the call was cancelled";
      if (isInside(path) || (await this.#isOnDisk(path, text, true))) return reasonOf(cause);
      // The editor may have taken long; the path has to lead to the same file still.
      return (await refusal()) ?? writeTo(disk, realPath, text);
    }
  }

  async #isOnDisk(path: string, text: string, isThere: boolean): Promise<boolean> {
    if (!isThere) return false;
    const bytes = await this.#options.disk.read(path).catch(() => undefined);
    return bytes !== undefined && Buffer.from(bytes).equals(Buffer.from(text));
  }

  #prepareWrite(path: string, current: Text, content: string): Prepared {
    if (current.kind === "missing") return { kind: "prepared", path, before: undefined, after: content, changes: [] };
    const problem = this.#problem(path, current);
    if (problem !== undefined) return refused(problem);
    const after = rewriteText(current.text, content);
    return {
      kind: "prepared",
      path,
      before: current.text,
      after,
      changes: changeBetween(shownText(current.text), shownText(after)),
    };
  }

  #prepareEdit(path: string, current: Text, edit: Edit): Prepared {
    const isEmpty = current.kind === "missing" || current.text === "";
    if (edit.oldText === "" && isEmpty) {
      const before = current.kind === "missing" ? undefined : current.text;
      const after = edit.newText;
      return { kind: "prepared", path, before, after, changes: changeBetween(before ?? "", shownText(after)) };
    }
    if (current.kind === "missing") return refused(noSuchFile(this.#options.cwd()));
    if (edit.oldText === "") return refused("Cannot create new file - file already exists.");
    const problem = this.#problem(path, current);
    if (problem !== undefined) return refused(problem);
    const edited = editText(current.text, edit);
    if (edited.kind === "refused") return edited;
    return { kind: "prepared", path, before: current.text, after: edited.text, changes: edited.changes };
  }

  #prepareNotebookEdit(path: string, current: Text, input: McpToolInput): Prepared {
    if (current.kind === "missing") return refused("Notebook file does not exist.");
    const problem = this.#problem(path, current);
    const edited = problem === undefined ? editNotebook(current.text, input) : refused(problem);
    if (edited.kind === "refused") return edited;
    const { text: after, oldSource, message } = edited;
    return { kind: "prepared", path, before: current.text, after, changes: [], cell: { oldSource, message } };
  }

  /** Why a file may not be changed: the model must have read its current text. */
  #problem(path: string, current: Extract<CurrentText, { readonly kind: "text" }>): string | undefined {
    const known = this.#options.knownFiles.get(path);
    if (known === undefined) return "File has not been read yet. Read it first before writing to it.";
    const isSameOnDisk = isSameFile(known.disk, current.disk);
    if (known.text === undefined) return isSameOnDisk ? undefined : changed;
    // If the file on disk has changed but the buffer has not, the editor has not noticed yet, or the buffer has
    // unsaved text that conflicts with the disk. Both count as modified.
    return known.text === current.text && (isSameOnDisk || current.isSaved) ? undefined : changed;
  }
}

type Text = Exclude<CurrentText, { readonly kind: "refused" }>;

const changed =
  "File has been modified since read, either by the user or by a linter. Read it again before attempting to write it.";

function editIn({ old_string, new_string, replace_all }: McpToolInput): Edit | undefined {
  if (typeof old_string !== "string" || typeof new_string !== "string") return undefined;
  return { oldText: old_string, newText: new_string, isEverywhere: replace_all === true };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}

function successMessage(
  tool: WriteToolName,
  path: string,
  isNew: boolean,
  after: string,
  line: number | undefined,
): string {
  if (isNew) return `File created successfully at: ${path}`;
  const from = Math.max(1, line ?? 1);
  const around = after.split("\n").slice(from - 1, from + 9);
  const what = tool === "Write" ? `The file ${path} has been overwritten.` : `The file ${path} has been updated.`;
  return tool === "Write" ? what : `${what} A snippet of the file after the edit:\n${numberedLines(around, from)}`;
}

async function writeTo(disk: Disk, path: string, text: string): Promise<string | undefined> {
  try {
    await disk.write(path, text);
    return undefined;
  } catch (cause) {
    return reasonOf(cause);
  }
}

function refused(why: string): { readonly kind: "refused"; readonly why: string } {
  return { kind: "refused", why };
}
