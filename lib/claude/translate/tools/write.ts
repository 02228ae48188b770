/**
 * Tool family of tools that write whole files.
 *
 * The diff of a new file has no old text; that of an overwrite has the old text as soon as
 * it is known. A diff that was exact when the call was shown is not sent again.
 */
import { type ToolCallContent, toolContent } from "../../../acp/index.ts";
import { textIn } from "../../../schema/index.ts";
import { absolutePath, type ClientView } from "../../../display/index.ts";
import { failedEdit, wholeFile } from "./edit.ts";
import { type ToolInput, pathFields, pathTitle, type ToolFamily, without } from "./tool-family.ts";
import { hunkDiff, hunkPlace, patchOf } from "./patch.ts";

export const write: ToolFamily = {
  names: ["write", "create", "write_file"],
  kind: "edit",
  titleFields: pathFields,
  open: (input, view) => {
    const path = textIn(input, ...pathFields);
    return {
      title: pathTitle("Write", path, view),
      locations: path === undefined ? [] : wholeFile(path, view),
      content: openingDiff(input, view),
      rawInput: without(input, "content"),
    };
  },
  end: (call, outcome, view) => {
    if (outcome.isError) return failedEdit(call, outcome);
    const patch = patchOf(call, outcome, view);
    if (patch === undefined) return {};
    const { path, hunks } = patch;
    const isShown = call.shown.content?.some((part) => part.type === "diff" && part.oldText != null);
    return {
      ...(!isShown && { content: hunks.map((hunk) => hunkDiff(path, hunk)) }),
      locations: hunks.map((hunk) => hunkPlace(path, hunk)),
    };
  },
};

function openingDiff(input: ToolInput, view: ClientView): readonly ToolCallContent[] {
  const path = textIn(input, ...pathFields);
  const content = input["content"];
  if (path === undefined || typeof content !== "string") return [];
  const absolute = absolutePath(path, view);
  const before = view.textOf(absolute);
  // A call that needed no permission may already have run: then the file already holds the new text.
  return [toolContent.diff(absolute, before === undefined || before === content ? null : before, content)];
}
