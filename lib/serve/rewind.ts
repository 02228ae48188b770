/**
 * Takes a message of the user back, with everything after it, through the agent's
 * extension method `_session/rewind`.
 *
 * A page knows its messages by the ids of packets, the agent by ids of its own. The two
 * are matched by id, or else by text, counted from the newest message.
 */
import { type ClientConnection, ContentBlock } from "../acp/index.ts";
import type { StoredPacket } from "../packets/index.ts";
import { RpcError } from "../rpc/index.ts";
import {
  array,
  boolean,
  Fault,
  integer,
  items,
  object,
  optional,
  type Schema,
  type Static,
  string,
} from "../schema/index.ts";
import { HttpError } from "./http-error.ts";

export interface PageRewindRequest {
  /** The id of a user message in the session's packets. */
  readonly messageId: string;
  /** Also restores the files that the agent has changed since. */
  readonly files?: boolean | undefined;
  /** Changes nothing and says what would change. */
  readonly dryRun?: boolean | undefined;
}

export interface RewindReply {
  /** The message that was taken back, to be changed and sent again. */
  readonly content: readonly ContentBlock[];
  /** How many later messages of the user are taken back with it. */
  readonly laterCount: number;
  /** The files that are restored; null when they were not asked for, or cannot be restored. */
  readonly files: { readonly paths: readonly string[]; readonly insertions: number; readonly deletions: number } | null;
}

const listed = object({
  prompts: items(object({ messageId: string, prompt: array(ContentBlock) })),
  restoresFiles: optional(boolean),
});
const rewound = object({
  prompt: array(ContentBlock),
  later: array(string),
  files: optional(object({ paths: array(string), insertions: integer(0), deletions: integer(0) })),
});
type ListedPrompts = Static<typeof listed>["prompts"];

export interface RewindTarget {
  readonly sessionId: string;
  readonly agent: ClientConnection;
  readonly messages: readonly StoredPacket[];
}

/** Rejects with an `HttpError` when the agent, or this message, does not allow it. */
export async function rewind(target: RewindTarget, request: PageRewindRequest): Promise<RewindReply> {
  const { sessionId, agent, messages } = target;
  const call = async <T>(schema: Schema<T>, params: object): Promise<T> => {
    const read = schema.read(await agent.callExtension("_session/rewind", { sessionId, ...params }).catch(refused));
    if (read instanceof Fault) throw new HttpError("agent_failed", "the agent's answer to a rewind cannot be read");
    return read;
  };
  const { prompts, restoresFiles = false } = await call(listed, { list: true });
  const messageId = promptOf(prompts, messages, request.messageId);
  if (messageId === undefined) throw new HttpError("conflict", "this message cannot be taken back");
  const files = request.files === true && restoresFiles;
  const params = { messageId, files, conversation: true, dryRun: request.dryRun === true };
  const answer = await call(rewound, params);
  return { content: answer.prompt, laterCount: answer.later.length, files: answer.files ?? null };
}

/** The agent's id of a message; undefined when the agent does not list it. */
export function promptOf(
  prompts: ListedPrompts,
  messages: readonly StoredPacket[],
  messageId: string,
): string | undefined {
  if (prompts.some((prompt) => prompt.messageId === messageId)) return messageId;
  const said = saidTexts(messages);
  const text = said.get(messageId);
  if (text === undefined) return undefined;
  const same = [...said].filter(([, other]) => other === text).map(([id]) => id);
  const fromEnd = same.length - same.indexOf(messageId);
  return prompts.filter(({ prompt }) => textOf(prompt) === text).at(-fromEnd)?.messageId;
}

/** The text of each message of the user, by its id, in order. */
function saidTexts(messages: readonly StoredPacket[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  for (const packet of messages) {
    if (packet.type !== "user_message") continue;
    const text = packet.content.type === "text" ? packet.content.text : "";
    texts.set(packet.messageId, (texts.get(packet.messageId) ?? "") + text);
  }
  return texts;
}

function textOf(prompt: readonly ContentBlock[]): string {
  return prompt.map((block) => (block.type === "text" ? block.text : "")).join("");
}

function refused(cause: unknown): never {
  if (cause instanceof RpcError) throw new HttpError("conflict", cause.message);
  throw cause;
}
