/**
 * Rewinding of one session: the slash command, the list of prompts, and taking one back.
 *
 * A rewind runs as a turn of its own, so no prompt runs meanwhile.
 */
import type { SessionUpdate } from "../../acp/index.ts";
import type { ClientView } from "../../display/index.ts";
import type { Conversation, SentPrompt } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { AgentContext } from "../agent-context.ts";
import { rpcErrorOf } from "../errors.ts";
import { choose } from "../permissions/choose.ts";
import type { LocalCommand } from "../session/local-commands.ts";
import { rewindCommand } from "./rewind-command.ts";
import { rewind, type RewindRequest, type RewindResult } from "./rewind.ts";

export interface SessionRewindOptions {
  readonly context: AgentContext;
  readonly view: ClientView;
  readonly sessionId: () => string;
  readonly conversation: () => Conversation;
  readonly isTurnRunning: () => boolean;
  /** Runs work of the agent itself as a turn. */
  readonly runLocally: (work: (signal: AbortSignal) => Promise<void>) => Promise<unknown>;
  readonly replay: (signal: AbortSignal) => Promise<void>;
  readonly push: (update: SessionUpdate) => void;
  readonly flush: () => void;
}

export class SessionRewind {
  readonly command: LocalCommand;
  readonly #options: SessionRewindOptions;

  constructor(options: SessionRewindOptions) {
    this.#options = options;
    const { context, view, sessionId, conversation, push, flush } = options;
    const { client, engine, onBug } = context;
    this.command = rewindCommand({
      conversation,
      view,
      choose: (question, signal) =>
        choose(question, signal, { client, sessionId, engineName: engine.name, onBug, push, flush }),
      showRewound: (messageId, signal) => this.#showRewound(messageId, signal),
    });
  }

  /** The user's prompts that can be taken back. Rejects with an `RpcError`. */
  async prompts(): Promise<{ readonly prompts: readonly SentPrompt[]; readonly restoresFiles: boolean }> {
    const { rewinder } = this.#options.conversation();
    if (rewinder === undefined) return { prompts: [], restoresFiles: false };
    const prompts = await rewinder.prompts().catch((cause: unknown) => Promise.reject(rpcErrorOf(cause)));
    return { prompts, restoresFiles: rewinder.restoresFiles };
  }

  /** Takes a prompt back. Refused while a turn runs. Rejects with an `RpcError`. */
  async run(request: RewindRequest): Promise<RewindResult> {
    const { conversation, isTurnRunning, runLocally } = this.#options;
    if (isTurnRunning()) {
      throw new RpcError(errorCodes.invalidRequest, "a turn runs in this session: cancel it first");
    }
    let result: RewindResult | undefined;
    await runLocally(async () => void (result = await rewind(conversation(), request)));
    if (result === undefined) throw new RpcError(errorCodes.requestCancelled, "the rewind was cancelled");
    return result;
  }

  /** Tells a client that shows rewinds that its view is out of date, and sends the conversation as it now is. */
  async #showRewound(messageId: string, signal: AbortSignal): Promise<boolean> {
    const { context, sessionId, flush, replay } = this.#options;
    const bowline = context.client.clientCapabilities._meta?.["bowline"];
    if (!isRecord(bowline) || bowline["rewind"] !== true) return false;
    flush();
    context.client.notifyExtension("_session/rewound", { sessionId: sessionId(), messageId });
    await replay(signal);
    return true;
  }
}
