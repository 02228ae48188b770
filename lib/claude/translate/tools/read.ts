/**
 * Tool family of file reads. The text of a file is sent once, as the result of the call.
 */
import { type ToolCallContent, toolContent } from "../../../acp/index.ts";
import { fenced } from "../../../display/index.ts";
import { isRecord, textIn } from "../../../schema/index.ts";
import {
  type CallEnd,
  type ToolInput,
  numberIn,
  pathFields,
  pathTitle,
  placeOf,
  plainEnd,
  type ToolFamily,
} from "./tool-family.ts";

export const read: ToolFamily = {
  names: ["read", "notebookread", "read_file", "view"],
  kind: "read",
  titleFields: pathFields,
  open: (input, view) => ({
    title: pathTitle("Read", textIn(input, ...pathFields), view, range(input)),
    locations: placeOf(textIn(input, ...pathFields), view, numberIn(input, "offset")),
    rawInput: input,
  }),
  end: (call, outcome) => {
    if (outcome.isError) return plainEnd(call, outcome);
    const language = languageOf(textIn(call.input, ...pathFields));
    const file = outcome.structured?.["file"];
    if (isRecord(file) && typeof file["content"] === "string") return code(file["content"], language);
    if (isRecord(file) && Array.isArray(file["cells"])) return { content: file["cells"].flatMap(cellBlocks) };
    return {
      content: outcome.blocks.map((part) =>
        toolContent.block(part.type === "text" ? fenced(withoutLineNumbers(part.text), language) : part),
      ),
    };
  },
};

function code(text: string, language: string): CallEnd {
  return { content: [toolContent.block(fenced(text, language))] };
}

/** A cell of a notebook as a code block, or as text. */
function cellBlocks(cell: unknown): readonly ToolCallContent[] {
  if (!isRecord(cell) || typeof cell["source"] !== "string") return [];
  const { source, language } = cell;
  const isCode = cell["cellType"] === "code";
  return [toolContent.block(isCode ? fenced(source, typeof language === "string" ? language : "") : source)];
}

function range(input: ToolInput): string {
  const from = numberIn(input, "offset");
  const count = numberIn(input, "limit");
  const pages = textIn(input, "pages");
  if (pages !== undefined) return ` (pages ${pages})`;
  const first = from !== undefined && from >= 1 ? from : 1;
  if (count !== undefined && count >= 1)
    return ` (${count === 1 ? `line ${first}` : `lines ${first} to ${first + count - 1}`})`;
  return first > 1 ? ` (from line ${first})` : "";
}

/** The language of the code block, from the file extension. */
function languageOf(path: string | undefined): string {
  return /\.([A-Za-z0-9]{1,8})$/.exec(path ?? "")?.[1]?.toLowerCase() ?? "";
}

/** Removes the line numbers that the CLI adds for the model. */
function withoutLineNumbers(text: string): string {
  const lines = text.split("\n");
  return lines.every((line) => numbered.test(line)) ? lines.map((line) => line.replace(numbered, "")).join("\n") : text;
}

const numbered = /^ *\d+(?:\t|\u2192)/;
