/**
 * Tape texts: files as they were at each point of a recording.
 *
 * The CLI tells what a file was when it has changed it; until then that is what the
 * file is.
 */
import { parseJson } from "../wire/index.ts";
import { isFields, textOf } from "./tape-rows.ts";
import type { Tape } from "./claude-tape.ts";

export class FileSnapshots {
  readonly #changes: readonly { readonly line: number; readonly path: string; readonly text: string | undefined }[];
  #heard = 0;

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

  /** The CLI has said one more line. */
  heard(): void {
    this.#heard++;
  }

  textOf(path: string): string | undefined {
    return this.#changes.find((change) => change.line >= this.#heard && change.path === path)?.text;
  }
}
