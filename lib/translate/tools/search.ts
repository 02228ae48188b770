/**
 * Searching: files by name, text in files, directories.
 */
import { toolContent } from "../../acp/index.ts";
import { oneLine, shownPath, type View } from "../view.ts";
import { fenced, type Input, placeOf, textIn, type ToolFamily } from "./family.ts";

export const glob: ToolFamily = {
  names: ["glob", "find"],
  kind: "search",
  titleFields: ["pattern"],
  open: (input, view) => ({
    title: oneLine(`Find ${textIn(input, "pattern") ?? "files"}${where(input, view)}`),
    locations: placeOf(textIn(input, "path"), view),
    rawInput: input,
  }),
  end: (_input, outcome) => ({ content: listing(outcome.text) }),
};

export const grep: ToolFamily = {
  names: ["grep", "search", "ripgrep"],
  kind: "search",
  titleFields: ["pattern"],
  open: (input, view) => {
    const files = textIn(input, "glob", "include", "type");
    const inFiles = files === undefined ? "" : ` in ${files} files`;
    return {
      title: oneLine(`Search for "${textIn(input, "pattern") ?? ""}"${inFiles}${where(input, view)}`),
      locations: placeOf(textIn(input, "path"), view),
      rawInput: input,
    };
  },
  end: (_input, outcome) => ({ content: listing(outcome.text) }),
};

export const list: ToolFamily = {
  names: ["ls", "list", "list_directory"],
  kind: "search",
  titleFields: ["path"],
  open: (input, view) => ({
    title: oneLine(`List ${shownPath(textIn(input, "path") ?? view.cwd, view)}`),
    locations: placeOf(textIn(input, "path"), view),
    rawInput: input,
  }),
  end: (_input, outcome) => ({ content: listing(outcome.text) }),
};

function where(input: Input, view: View): string {
  const path = textIn(input, "path");
  return path === undefined ? "" : ` in ${shownPath(path, view)}`;
}

function listing(text: string): readonly ReturnType<typeof toolContent.block>[] {
  return text.trim() === "" ? [] : [toolContent.block(fenced(text))];
}
