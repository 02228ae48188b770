/**
 * The content of files at each point of a recording.
 *
 * When the CLI changes a file, its tool result contains the previous content. Until
 * that line has been played, the file has that content.
 */
import { parseJson } from "../wire/index.ts";
import { isFields, textOf } from "./tape-rows.ts";
import type { Tape } from "./claude-tape.ts";

export class FileSnapshots {
  readonly #changes: readonly { readonly line: number; readonly path: string; readonly text: string | undefined }[];
  /** The number of lines of the CLI played so far. */
  #lineCount = 0;

  constructor({ rows }: Tape) {
    const said = rows.flatMap((row) => (row.kind === "said" ? [row.line] : []));
    this.#changes = said.flatMap((line, i) => {
      const message = line.includes('"tool_use_result":{') ? parseJson(line) : undefined;
      const change = isFields(message) ? message["tool_use_result"] : undefined;
      if (!isFields(change)) return [];
      const path = textOf(change["filePath"]) ?? textOf(change["notebook_path"]);
      return path === undefined
        ? []
        : [{ line: i, path, text: textOf(change["originalFile"] ?? change["original_file"]) }];
    });
  }

  /** Called for each line of the CLI that is played. */
  onLine(): void {
    this.#lineCount++;
  }

  textOf(path: string): string | undefined {
    return this.#changes.find((change) => change.line >= this.#lineCount && change.path === path)?.text;
  }
}
