/**
 * Implements `ConversationHost`: what an engine's conversation needs of the agent, which is the
 * capabilities of the client and the questions to the user.
 */
import type { ConversationHost, EngineEvent } from "../../engine/index.ts";
import type { ClientView } from "../../display/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { AgentContext } from "../agent-context.ts";
import { type AskContext, askPermission } from "../permissions/ask-permission.ts";
import { askQuestions } from "../permissions/ask-questions.ts";
import { forwardElicitation } from "../permissions/forward-elicitation.ts";
import { LastingRejections } from "../permissions/lasting-rejections.ts";

export interface ConversationHostCallbacks {
  readonly sessionId: () => string;
  /** The questions of a closed session are not put to the user. */
  readonly isClosed: () => boolean;
  /** Sends the pending updates, so that the client shows them before a question. */
  readonly flush: () => void;
  readonly onEvent: (event: EngineEvent) => void;
  /** The user has not approved a plan. */
  readonly onPlanRejected: () => void;
}

export function conversationHost(
  context: AgentContext,
  cwd: string,
  callbacks: ConversationHostCallbacks,
): ConversationHost {
  const { client, after, onBug } = context;
  const asking: AskContext = {
    client,
    sessionId: callbacks.sessionId,
    engineName: context.engine.name,
    cannedReasons: context.settings.rejectReasons,
    rejections: new LastingRejections(),
    onBug,
  };
  const askingFor = ({ engineName = asking.engineName }: { readonly engineName?: string | undefined }): AskContext => ({
    ...asking,
    engineName,
  });
  return {
    onEvent: callbacks.onEvent,
    ask: async (question, signal) => {
      if (callbacks.isClosed()) return question.unanswered;
      callbacks.flush();
      const decision = await askPermission(question, signal, askingFor(question));
      const isAllowed = question.choices.some(
        (one) => one.decision === decision && one.option.kind.startsWith("allow"),
      );
      if (question.toolCall.kind === "switch_mode" && !isAllowed) callbacks.onPlanRejected();
      return decision;
    },
    askUser: async (asked, signal) => {
      if (callbacks.isClosed()) return { kind: "cancelled" };
      callbacks.flush();
      return askQuestions(asked, signal, askingFor(asked));
    },
    elicit: async (asked, signal) => {
      if (callbacks.isClosed()) return { action: "cancel" };
      try {
        return await forwardElicitation(asked, signal, asking);
      } catch (cause) {
        if (!signal.aborted) onBug("elicitation/create", cause);
        return { action: "cancel" };
      }
    },
    client,
    view: clientView(context, cwd),
    after,
    onBug,
  };
}

/** What the client can show, by the capabilities of its `initialize`. */
export function clientView({ client, textOf, sendsRaw }: AgentContext, cwd: string): ClientView {
  const { session, _meta } = client.clientCapabilities;
  // The unstable capability `subagents` is not part of the schema.
  const all: Readonly<Record<string, unknown>> = { ...client.clientCapabilities };
  const bowline = _meta?.["bowline"];
  return {
    cwd,
    showsTerminals: _meta?.["terminal_output"] === true,
    showsNotices: session?.notices != null,
    showsCompaction: session?.compaction != null,
    wantsRaw: sendsRaw || (isRecord(bowline) && bowline["raw"] === true),
    wantsSubagentText: _meta?.["subagent-transcript"] === true || isRecord(all["subagents"]),
    textOf,
  };
}
