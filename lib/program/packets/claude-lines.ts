/**
 * Converts the lines between the Claude CLI and its host to packets.
 *
 * Translates events to ACP updates with the same fold as a live session, so a recording
 * and a live session give the same packets. One CLI process is one conversation, even
 * when the CLI changes the session id.
 */
import type { ContentBlock } from "../../acp/index.ts";
import { neverOption } from "../../agent/index.ts";
import { CanUseTool, ClaudeEvent, PromptFrame, type Result, ToolDecision } from "../../claude/index.ts";
import { type Packet, PacketStream } from "../../packets/index.ts";
import { errorCodes } from "../../rpc/index.ts";
import { Fault, type Fields } from "../../schema/index.ts";
import {
  askedToolCall,
  turnEndOf,
  fold,
  foldEnd,
  permissionChoices,
  rejectedScope,
  TranslationState,
} from "../../claude/translate/index.ts";
import { type LineDirection, dropOldest, type LineOptions, maxSessions, type SessionPacket } from "./packet-line.ts";

interface CliConversation {
  /** "" until the CLI has reported its session id. */
  id: string;
  readonly state: TranslationState;
  readonly stream: PacketStream;
  /** Open permission requests, by the CLI's request ids. */
  readonly asked: Map<string, ReturnType<typeof permissionChoices>>;
  /** Prompts that arrived before the CLI reported its session id. */
  readonly early: (readonly ContentBlock[])[];
  /** A prompt has no result yet. */
  isBusy: boolean;
}

export class ClaudeLines {
  readonly #options: LineOptions;
  readonly #conversations = new Map<string, CliConversation>();
  #current: CliConversation | undefined;
  #cwd: string | undefined;
  /** The last text the CLI wrote to stderr. */
  #stderr = "";
  /** The next unknown session id is a new id of the current conversation. */
  #isReset = false;

  constructor(options: LineOptions) {
    this.#options = options;
    this.#cwd = options.cwd;
  }

  /** A new CLI process starts in this directory. */
  started(cwd: string): void {
    this.#cwd = cwd;
    this.#current = undefined;
    this.#stderr = "";
  }

  /** The CLI wrote to stderr; `exited` quotes the last text as the reason. */
  stderr(text: string): void {
    this.#stderr = text.trim();
  }

  take(message: Fields, direction: LineDirection): readonly SessionPacket[] {
    const conversation = this.#conversation(message);
    if (direction === "in" && message["type"] === "user") return this.#prompt(conversation, message);
    const early = conversation.id === "" ? [] : conversation.early.splice(0);
    const asked = early.flatMap((blocks) => conversation.stream.prompt(blocks));
    return labelled(conversation, [...asked, ...this.#event(conversation, ClaudeEvent.read(message))]);
  }

  /** The CLI process exited. */
  exited({ code, signal }: Fields): readonly SessionPacket[] {
    const conversation = this.#current;
    this.#current = undefined;
    if (conversation === undefined) return [];
    const { stream, state, isBusy, early } = conversation;
    const how = typeof signal === "string" ? `signal ${signal}` : `exit code ${String(code)}`;
    const asked = early.splice(0).flatMap((blocks) => stream.prompt(blocks));
    const closed = foldEnd(state, "The Claude CLI ended.").flatMap((update) => stream.update(update));
    const why = this.#stderr === "" ? how : `${how}: ${this.#stderr}`;
    const failed = isBusy
      ? stream.failed({ message: `the Claude CLI ended with ${why}`, code: errorCodes.internalError })
      : [];
    return labelled(conversation, [...asked, ...closed, ...failed]);
  }

  #prompt(conversation: CliConversation, message: Fields): readonly SessionPacket[] {
    const frame = PromptFrame.read(message);
    if (frame instanceof Fault) return [];
    const blocks = blocksOf(frame.message.content);
    conversation.isBusy = true;
    if (conversation.id !== "") return labelled(conversation, conversation.stream.prompt(blocks));
    conversation.early.push(blocks);
    return [];
  }

  #event(conversation: CliConversation, event: ClaudeEvent | Fault): readonly Packet[] {
    const { state, stream, asked } = conversation;
    if (event instanceof Fault) return [];
    if (event.type === "control_request") {
      const request = CanUseTool.read(event.request);
      if (request instanceof Fault) return [];
      const offers = permissionChoices(request, state.view);
      asked.set(event.request_id, offers);
      const toolCall = askedToolCall(request, request.tool_use_id ?? event.request_id, state.view);
      const scope = rejectedScope(request, state.view);
      const never = scope === undefined || request.tool_name === "AskUserQuestion" ? [] : [neverOption(scope.what)];
      const options = [...offers.map(({ option }) => option), ...never];
      return stream.permission(event.request_id, { sessionId: conversation.id, toolCall, options });
    }
    if (event.type === "control_cancel_request") return resolved(conversation, event.request_id, undefined);
    if (event.type === "control_response") {
      const { response } = event;
      const answer = response.subtype === "success" ? response.response : undefined;
      return resolved(conversation, response.request_id, chosen(asked.get(response.request_id), answer));
    }
    if (event.type === "conversation_reset") this.#isReset = true;
    if (event.type === "result") return this.#result(conversation, event);
    return fold(state, event).flatMap((update) => stream.update(update));
  }

  #result(conversation: CliConversation, result: Result): readonly Packet[] {
    const { state, stream } = conversation;
    // Must be computed before `fold`, which clears `state.error`.
    const end = turnEndOf(result, state.error?.kind);
    const packets = fold(state, result).flatMap((update) => stream.update(update));
    // A background task woke the model; no prompt waits for this result.
    if (result.origin?.kind !== undefined && result.origin.kind !== "human") return packets;
    conversation.isBusy = false;
    if (end.kind === "stopped") return [...packets, ...stream.answered(end)];
    const code = end.failure === "not_signed_in" ? errorCodes.authRequired : errorCodes.internalError;
    return [...packets, ...stream.failed({ message: end.text, code })];
  }

  #conversation({ session_id: id, cwd, subtype }: Fields): CliConversation {
    const current = this.#current;
    const known = typeof id === "string" && id !== "" ? this.#conversations.get(id) : current;
    if (known !== undefined) return (this.#current = known);
    const name = typeof id === "string" ? id : "";
    const isSame = current !== undefined && (this.#isReset || current.id === "");
    const conversation = isSame
      ? current
      : this.#opened(subtype === "init" && typeof cwd === "string" ? cwd : undefined);
    this.#isReset = false;
    if (conversation.id === "") conversation.id = name;
    if (name !== "") this.#conversations.set(name, conversation);
    dropOldest(this.#conversations, maxSessions);
    return (this.#current = conversation);
  }

  #opened(initCwd: string | undefined): CliConversation {
    // Without a directory paths stay absolute.
    const cwd = initCwd ?? this.#cwd ?? "";
    // `showsTerminals`: only then the fold passes on raw command output and exit codes.
    const view = { cwd, showsTerminals: true, showsNotices: false, showsCompaction: false, textOf: () => undefined };
    const { now, isStrict } = this.#options;
    const stream = new PacketStream({ now, isStrict, cwd });
    return { id: "", state: new TranslationState(view), stream, asked: new Map(), early: [], isBusy: false };
  }
}

function labelled({ id: sessionId }: CliConversation, packets: readonly Packet[]): readonly SessionPacket[] {
  return packets.map((packet) => ({ sessionId, packet }));
}

/** A permission request was answered (`optionId`) or withdrawn (undefined). */
function resolved({ stream, asked }: CliConversation, id: string, optionId: string | undefined): readonly Packet[] {
  asked.delete(id);
  return stream.permissionResolved(
    id,
    optionId === undefined ? { outcome: "cancelled" } : { outcome: "selected", optionId },
  );
}

/** The ACP option that corresponds to the decision sent to the CLI. */
function chosen(offers: ReturnType<typeof permissionChoices> | undefined, response: unknown): string | undefined {
  const answer = ToolDecision.read(response);
  if (offers === undefined || answer instanceof Fault) return undefined;
  const isLasting = answer.behavior === "allow" && (answer.updatedPermissions ?? []).length > 0;
  const same = offers.filter(({ decision }) => decision.behavior === answer.behavior);
  const exact = same.find(({ option }) => option.kind.endsWith(isLasting ? "_always" : "_once"));
  return (exact ?? same[0])?.option.optionId;
}

function blocksOf(content: PromptFrame["message"]["content"]): readonly ContentBlock[] {
  if (typeof content === "string") return [{ type: "text", text: content }];
  return content.flatMap((block): readonly ContentBlock[] => {
    if (block.type === "text") return [{ type: "text", text: block.text }];
    if (block.type !== "image") return [];
    const { data, media_type: mimeType } = block.source;
    return data === undefined || mimeType === undefined ? [] : [{ type: "image", data, mimeType }];
  });
}
