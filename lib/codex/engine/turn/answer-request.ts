/**
 * Answers the requests of Codex: approvals, questions of the model and forms of MCP servers
 * are put to the user through the host.
 */
import type { SessionUpdate } from "../../../acp/index.ts";
import type { ConversationHost } from "../../../engine/index.ts";
import { type IncomingRequest, UnsupportedRequest } from "../../app-server/server-requests.ts";
import { ServerRequest } from "../../protocol/index.ts";
import { approvalQuestion, type CodexState } from "../../translate/index.ts";

export interface AnswerContext {
  readonly state: CodexState;
  readonly host: ConversationHost;
  readonly push: (updates: readonly SessionUpdate[]) => void;
  /** Sends the model a message in the turn that asks. Never rejects. */
  readonly tell: (threadId: string, turnId: string, text: string) => Promise<void>;
}

/** The result for Codex. Throws `UnsupportedRequest` for a request that neither the user nor Bowline can answer. */
export async function answerRequest(
  request: IncomingRequest,
  signal: AbortSignal,
  { state, host, push, tell }: AnswerContext,
): Promise<unknown> {
  // The schema turns every fault into an unknown message, so the result is always a request.
  const asked = approvalQuestion(ServerRequest.read(request) as ServerRequest, state);
  switch (asked.kind) {
    case "permission": {
      push(asked.announced);
      const decision = await host.ask(asked.question, signal);
      push(asked.settled(decision));
      const { threadId, turnId } = request.params;
      if (decision.reason !== undefined && typeof threadId === "string" && typeof turnId === "string") {
        // Before the answer, so that the model reads it together with the rejection.
        await tell(threadId, turnId, `I rejected "${asked.question.toolCall.title}": ${decision.reason}`);
      }
      return decision.result;
    }
    case "user": {
      push(asked.announced);
      const answers = await host.askUser(asked.questions, signal);
      push(asked.settled(answers));
      return asked.answerOf(answers);
    }
    case "elicitation":
      return asked.answerOf(await host.elicit(asked.question, signal));
    case "unknown":
      throw new UnsupportedRequest();
  }
}
