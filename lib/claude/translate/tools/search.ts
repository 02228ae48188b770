/**
 * Tool families of searches: files by name, text in files, directory listings.
 */
import { toolContent } from "../../../acp/index.ts";
import { textIn } from "../../../schema/index.ts";
import type { Outcome } from "../tool-outcome.ts";
import { fenced, shownPath, titleLine, type ClientView } from "../../../display/index.ts";
import { type EndedCall, type CallEnd, type ToolInput, placeOf, plainEnd, type ToolFamily } from "./tool-family.ts";

export const glob: ToolFamily = {
  names: ["glob", "find"],
  kind: "search",
  titleFields: ["pattern"],
  open: (input, view) => ({
    title: titleLine(`Find ${textIn(input, "pattern") ?? "files"}${where(input, view)}`),
    locations: placeOf(textIn(input, "path"), view),
    rawInput: input,
  }),
  end: listing,
};

export const grep: ToolFamily = {
  names: ["grep", "search", "ripgrep"],
  kind: "search",
  titleFields: ["pattern"],
  open: (input, view) => {
    const files = textIn(input, "glob", "include", "type");
    const inFiles = files === undefined ? "" : ` in ${files} files`;
    return {
      title: titleLine(`Search for "${textIn(input, "pattern") ?? ""}"${inFiles}${where(input, view)}`),
      locations: placeOf(textIn(input, "path"), view),
      rawInput: input,
    };
  },
  end: listing,
};

export const list: ToolFamily = {
  names: ["ls", "list", "list_directory"],
  kind: "search",
  titleFields: ["path"],
  open: (input, view) => ({
    title: titleLine(`List ${shownPath(textIn(input, "path") ?? view.cwd, view)}`),
    locations: placeOf(textIn(input, "path"), view),
    rawInput: input,
  }),
  end: listing,
};

function where(input: ToolInput, view: ClientView): string {
  const path = textIn(input, "path");
  return path === undefined ? "" : ` in ${shownPath(path, view)}`;
}

function listing(call: EndedCall, outcome: Outcome): CallEnd {
  if (outcome.isError) return plainEnd(call, outcome);
  return { content: outcome.text.trim() === "" ? [] : [toolContent.block(fenced(outcome.text))] };
}
