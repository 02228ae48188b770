/**
 * A question of a session with two engines: whether an engine may go on.
 *
 * It looks like a permission request for a tool call, but is about no tool. `_meta` says that only
 * the user may answer it: rules for tools, such as those of `bowline guard`, are not meant for it.
 */
import { permissionOption, type ToolCallContent } from "../../acp/index.ts";
import { askedContent } from "../../display/index.ts";
import type { ConversationHost } from "../../engine/index.ts";

export interface EngineQuestion<D extends string> {
  /** Begins the id of the call. */
  readonly about: "configuration" | "directory" | "isolation";
  readonly title: string;
  readonly content: readonly ToolCallContent[];
  readonly offered: readonly (readonly [kind: "allow_once" | "allow_always", optionId: D, label: string])[];
}

/** Resolves with the id of the chosen option, or with "refuse". */
export function askUser<D extends string>(
  { ask }: Pick<ConversationHost, "ask">,
  { about, title, content, offered }: EngineQuestion<D>,
): Promise<D | "refuse"> {
  return ask<D | "refuse">(
    {
      toolCall: {
        toolCallId: `${about}-${crypto.randomUUID()}`,
        title,
        kind: "other",
        status: "pending",
        content: askedContent(content),
        _meta: { bowline: { forUser: true } },
      },
      choices: [
        ...offered.map(([kind, id, label]) => ({ option: permissionOption(kind, id, label), decision: id })),
        { option: permissionOption("reject_once", "stop", "Stop"), decision: "refuse" },
      ],
      rejected: "refuse",
      unanswered: "refuse",
    },
    new AbortController().signal,
  );
}
