/**
 * `/rewind`: lets the user choose a prompt and takes it back.
 *
 * `/rewind` asks for the prompt, newest first, then shows what restoring the files would
 * change and asks what to restore. `/rewind 2` means the second newest prompt.
 */
import { type ClientView, fenced, oneLine, shownPath } from "../../display/index.ts";
import type { Conversation, FileChanges, Rewinder, SentPrompt } from "../../engine/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { ChoiceQuestion } from "../permissions/choose.ts";
import type { LocalAnswer, LocalCommand } from "../session/local-commands.ts";
import { promptText, rewind, type RewindResult } from "./rewind.ts";

const maxLabelChars = 80;
/** The most files that are named. */
const maxPathsShown = 20;

export interface RewindContext {
  readonly conversation: () => Conversation;
  readonly view: ClientView;
  /** Undefined when the user chose nothing. */
  readonly choose: <Value>(question: ChoiceQuestion<Value>, signal: AbortSignal) => Promise<Value | undefined>;
  /** Shows the conversation as it now is, in clients that can. Returns false in others. */
  readonly showRewound: (messageId: string, signal: AbortSignal) => Promise<boolean>;
}

export function rewindCommand(context: RewindContext): LocalCommand {
  return {
    name: "rewind",
    description: "Take back a prompt: restore files, the conversation, or both",
    hint: "[how many prompts]",
    isTurn: true,
    isOffered: () => context.conversation().rewinder !== undefined,
    run: (argument, signal) => runRewind(argument, signal, context),
  };
}

async function runRewind(argument: string, signal: AbortSignal, context: RewindContext): Promise<string | LocalAnswer> {
  const conversation = context.conversation();
  const { rewinder } = conversation;
  const prompts = (await rewinder?.prompts()) ?? [];
  if (rewinder === undefined || prompts.length === 0) return "There is no prompt to take back.";
  const back = /^\d+$/.test(argument) ? Number(argument) : 0;
  const named = back > 0 ? prompts.at(-back) : undefined;
  if (argument !== "" && named === undefined) return `/rewind takes a number from 1 to ${prompts.length}.`;
  const choices = prompts.toReversed().map((prompt) => ({ value: prompt, label: labelOf(prompt) }));
  const prompt = named ?? (await context.choose({ title: "Rewind to before which prompt?", choices }, signal));
  const what = prompt && (await context.choose(await whatQuestion(prompt, rewinder, context.view), signal));
  if (prompt === undefined || what === undefined) return "Nothing was taken back.";
  const { messageId } = prompt;
  const result = await rewind(conversation, { messageId, ...what, dryRun: false });
  const isShown = what.conversation && (await context.showRewound(messageId, signal));
  const text = report(result, what.conversation, isShown, context.view);
  return what.conversation ? { text, bowline: { rewound: { messageId, prompt: result.prompt.content } } } : text;
}

type What = { readonly files: boolean; readonly conversation: boolean };

async function whatQuestion(
  { messageId }: SentPrompt,
  rewinder: Rewinder,
  view: ClientView,
): Promise<ChoiceQuestion<What>> {
  const conversation = { value: { files: false, conversation: true }, label: "The conversation, not the files" };
  if (!rewinder.restoresFiles) {
    const details = "Files stay as they are: this engine keeps no earlier versions of them.";
    return { title: "Take the conversation back?", details, choices: [conversation] };
  }
  // An older prompt may have no checkpoint; then only the conversation can be taken back.
  const changes = await rewinder.previewFiles(messageId).catch(() => undefined);
  const details =
    changes === undefined ? "The files of this prompt cannot be restored." : `Files: ${describe(changes, view)}`;
  const isConversationOnly = changes === undefined || changes.paths.length === 0;
  return {
    title: "What should be restored?",
    details,
    choices: isConversationOnly
      ? [{ ...conversation, label: "The conversation" }]
      : [
          { value: { files: true, conversation: true }, label: "Files and conversation" },
          conversation,
          { value: { files: true, conversation: false }, label: "The files, not the conversation" },
        ],
  };
}

function labelOf({ content }: SentPrompt): string {
  return oneLine(promptText(content), maxLabelChars) || "(empty)";
}

function describe({ paths, insertions, deletions }: FileChanges, view: ClientView): string {
  if (paths.length === 0) return "no file changes.";
  const named = paths.slice(0, maxPathsShown).map((path) => shownPath(path, view));
  const more = paths.length > named.length ? ` and ${paths.length - named.length} more` : "";
  const count = `${paths.length} ${paths.length === 1 ? "file" : "files"}`;
  return `${count}, ${counted(insertions, "line")} added, ${counted(deletions, "line")} removed: ${named.join(", ")}${more}.`;
}

function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}

function report(
  { prompt, later, files }: RewindResult,
  isConversation: boolean,
  isShown: boolean,
  view: ClientView,
): string {
  const restored = files && files.paths.length > 0 ? [`Files restored: ${describe(files, view)}`] : [];
  if (!isConversation) return [...restored, "The conversation is unchanged."].join("\n\n");
  const count = later.length + 1;
  const undone = isShown
    ? []
    : [
        `Taken back: ${counted(count, "prompt")} and what followed. The model no longer knows ${count === 1 ? "it" : "them"}, although this window still shows ${count === 1 ? "it" : "them"}.`,
      ];
  const text = promptText(prompt.content);
  return markInvisible([...restored, ...undone, `The prompt, to edit and send again:\n\n${fenced(text)}`].join("\n\n"));
}
