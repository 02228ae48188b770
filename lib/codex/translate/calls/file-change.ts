/**
 * A patch as a tool call: a title that names its files, one diff and one location per hunk.
 */
import {
  location,
  type ToolCallContent,
  type ToolCallLocation,
  toolContent,
  type ToolKind,
} from "../../../acp/index.ts";
import { absolutePath, type ClientView, fenced, shownPath, titleLine } from "../../../display/index.ts";
import type { FileChangeItem, FileUpdateChange } from "../../protocol/index.ts";
import { type ItemEnd, type CallView } from "./call-view.ts";
import { hunkDiff, hunkPlace, readHunks } from "./hunks.ts";

export function fileChangeView({ changes }: FileChangeItem, client: ClientView): CallView {
  const shown = changes.map((change) => {
    const one = shownChange(change, client);
    // The title of one file says all; that of several may leave something out.
    const isHidden = changes.length > 1 && (change.kind.move_path != null || one.content.length === 0);
    return isHidden ? { ...one, content: [toolContent.block(patchTitle([change], client)), ...one.content] } : one;
  });
  // A policy that judges a call by its locations must know the files that a move removes. They come last:
  // the n-th location belongs to the n-th diff.
  const removed = changes.flatMap(({ path, kind }) => (kind.move_path == null ? [] : [absolutePath(path, client)]));
  const locations = [...shown.flatMap((one) => one.locations), ...removed.map((path) => location(path))];
  return {
    name: "apply_patch",
    kind: patchKind(changes),
    title: patchTitle(changes, client),
    ...(locations.length > 0 && { locations }),
    content: shown.flatMap(({ content }) => content),
    // Everything else of the input stands in the title, the diffs and the locations.
    ...(client.wantsRaw === true && { rawInput: { changes: changes.map(({ path, kind }) => ({ path, kind })) } }),
  };
}

/** The diffs are already shown, so the end carries only what happened to them. */
export function fileChangeEnd({ status }: FileChangeItem): ItemEnd {
  if (status === "completed") return { status: "completed" };
  return { status: "failed", mark: status === "declined" ? "rejected" : "failed" };
}

/** The files of a patch, as they are shown. A moved file counts with its new path. */
export function patchFiles(changes: readonly FileUpdateChange[], client: ClientView): readonly string[] {
  return changes.map((change) => shownPath(targetOf(change, client), client));
}

function patchKind(changes: readonly FileUpdateChange[]): ToolKind {
  if (changes.length > 0 && changes.every(({ kind }) => kind.type === "delete")) return "delete";
  if (changes.length > 0 && changes.every(({ kind }) => kind.move_path != null)) return "move";
  return "edit";
}

const maxFilesInTitle = 3;

function patchTitle(changes: readonly FileUpdateChange[], client: ClientView): string {
  const [first, ...others] = changes;
  if (first === undefined) return "Change files";
  if (others.length === 0 && first.kind.move_path != null) {
    const from = shownPath(absolutePath(first.path, client), client);
    return titleLine(`Move ${from} to ${shownPath(targetOf(first, client), client)}`);
  }
  const verbs = new Set(changes.map((change) => verbOf(change, client)));
  const [verb = "Change"] = verbs.size === 1 ? verbs : [];
  const files = patchFiles(changes, client);
  const rest = files.length - maxFilesInTitle;
  const names = rest > 0 ? [...files.slice(0, maxFilesInTitle), `${rest} more`] : files;
  return titleLine(`${verb} ${listOf(names)}`);
}

function verbOf(change: FileUpdateChange, client: ClientView): string {
  if (change.kind.move_path != null) return "Move";
  if (change.kind.type === "delete") return "Delete";
  if (change.kind.type !== "add") return "Edit";
  return overwritten(targetOf(change, client), change.diff, client) === null ? "Create" : "Replace";
}

/** `a`, `a and b`, `a, b and c`. */
function listOf(names: readonly string[]): string {
  return names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`;
}

interface ShownChange {
  readonly content: readonly ToolCallContent[];
  readonly locations: readonly ToolCallLocation[];
}

function shownChange(change: FileUpdateChange, client: ClientView): ShownChange {
  const path = targetOf(change, client);
  const whole = [location(path)];
  if (change.kind.type === "add") {
    return { content: [toolContent.diff(path, overwritten(path, change.diff, client), change.diff)], locations: whole };
  }
  if (change.kind.type === "delete") {
    return { content: [toolContent.diff(path, change.diff, "")], locations: whole };
  }
  const diff = withoutMoveNote(change);
  const hunks = readHunks(diff);
  if (hunks !== undefined) {
    return {
      content: hunks.map((hunk) => hunkDiff(path, hunk)),
      locations: hunks.map((hunk) => hunkPlace(path, hunk)),
    };
  }
  // No part of a patch may be hidden, even if its format is unknown.
  return { content: diff.trim() === "" ? [] : [toolContent.block(fenced(diff, "diff"))], locations: whole };
}

/** Where the file is after the change. */
function targetOf({ path, kind }: FileUpdateChange, client: ClientView): string {
  return absolutePath(kind.move_path ?? path, client);
}

/** The text of the file that a new one replaces. Null when there is none, or when the patch has already run. */
function overwritten(path: string, newText: string, client: ClientView): string | null {
  const before = client.textOf(path);
  return before === undefined || before === newText ? null : before;
}

/** Codex adds a sentence about the move to the hunks. */
export function withoutMoveNote({ diff, kind }: FileUpdateChange): string {
  const note = kind.move_path == null ? "" : `\n\nMoved to: ${kind.move_path}`;
  return note !== "" && diff.endsWith(note) ? diff.slice(0, -note.length) : diff;
}
