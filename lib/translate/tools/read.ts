/**
 * Reading: a file's text crosses the wire once, as the result.
 */
import { toolContent } from "../../acp/index.ts";
import { isRecord } from "../../schema/index.ts";
import { shownPath } from "../view.ts";
import { fenced, type Input, numberIn, pathFields, pathTitle, placeOf, textIn, type ToolFamily } from "./family.ts";

export const read: ToolFamily = {
  names: ["read", "notebookread", "read_file", "view"],
  kind: "read",
  titleFields: pathFields,
  open: (input, view) => ({
    title: pathTitle("Read", textIn(input, ...pathFields), view, range(input)),
    locations: placeOf(textIn(input, ...pathFields), view, numberIn(input, "offset")),
    rawInput: input,
  }),
  end: (input, outcome, view) => {
    const file = outcome.structured?.["file"];
    const path = textIn(input, ...pathFields);
    const language = outcome.isError ? "" : languageOf(path && shownPath(path, view));
    const content = isRecord(file) && !outcome.isError ? file["content"] : undefined;
    if (typeof content !== "string") {
      return {
        content: outcome.blocks.map((part) =>
          toolContent.block(part.type === "text" ? fenced(withoutLineNumbers(part.text), language) : part),
        ),
      };
    }
    return { content: [toolContent.block(fenced(content, language))] };
  },
};

function range(input: Input): string {
  const from = numberIn(input, "offset");
  const count = numberIn(input, "limit");
  const pages = textIn(input, "pages");
  if (pages !== undefined) return ` (pages ${pages})`;
  const first = from !== undefined && from >= 1 ? from : 1;
  if (count !== undefined && count >= 1) return ` (${first} - ${first + count - 1})`;
  return first > 1 ? ` (from line ${first})` : "";
}

/** The fence's language, by the file's ending. */
function languageOf(path: string | undefined): string {
  return /\.([A-Za-z0-9]{1,8})$/.exec(path ?? "")?.[1]?.toLowerCase() ?? "";
}

/** The CLI numbers the lines for the model; the editor has its own numbers. */
function withoutLineNumbers(text: string): string {
  const lines = text.split("\n");
  return lines.every((line) => numbered.test(line)) ? lines.map((line) => line.replace(numbered, "")).join("\n") : text;
}

const numbered = /^ *\d+(?:\t|\u2192)/;
