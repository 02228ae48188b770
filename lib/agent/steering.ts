/**
 * The extensions that add a prompt to the running turn: `_session/steering`, which clients of
 * several agents use, and `_session/steer`, which answers `{}` or fails.
 *
 * `_session/steering` answers with what became of the prompt. Without a running turn it
 * starts one whose end is not reported, or, if the client asks for that with
 * `_meta.steering.idleBehavior: "promptRequired"`, leaves the prompt to the client.
 */
import { type Extensions, PromptRequest } from "../acp/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { Fault, isRecord } from "../schema/index.ts";
import type { AgentContext } from "./agent-context.ts";
import { checkPrompt, runPrompt } from "./handlers.ts";
import type { SessionRegistry } from "./sessions/session-registry.ts";

export type SteeringOutcome =
  | { readonly outcome: "injected" }
  | { readonly outcome: "startedNewTurn" }
  | { readonly outcome: "promptRequired"; readonly reason: "noRunningTurn" }
  | { readonly outcome: "failed"; readonly reason: string };

export function steeringExtensions(context: AgentContext, sessions: SessionRegistry): Extensions {
  return {
    "_session/steering": (params): SteeringOutcome => {
      const request = readPrompt("_session/steering", params);
      const isOwnedByClient = readIdleBehavior(request._meta?.["steering"]);
      const session = sessions.get(request.sessionId);
      checkPrompt(context.engine, request.prompt);
      try {
        const steered = session.steer(request.prompt);
        if (steered === "added") return { outcome: "injected" };
        if (steered === "refused") return { outcome: "failed", reason: "the running turn takes no prompt" };
      } catch (cause) {
        return { outcome: "failed", reason: reasonOf(cause) };
      }
      if (isOwnedByClient) return { outcome: "promptRequired", reason: "noRunningTurn" };
      runPrompt(context, session, request.prompt).catch((cause: unknown) => {
        session.notify("error", "The message could not be answered", reasonOf(cause));
      });
      return { outcome: "startedNewTurn" };
    },
    "_session/steer": (params): {} => {
      const request = readPrompt("_session/steer", params);
      const session = sessions.get(request.sessionId);
      checkPrompt(context.engine, request.prompt);
      if (session.steer(request.prompt) === "added") return {};
      throw new RpcError(errorCodes.invalidRequest, "no turn runs in this session: send it as a prompt");
    },
  };
}

function readPrompt(method: string, params: unknown): PromptRequest {
  const read = PromptRequest.read(params);
  if (read instanceof Fault) throw new RpcError(errorCodes.invalidParams, `${method}: ${read.describe("params")}`);
  return read;
}

/** Whether the client sends the prompt itself when no turn runs. */
function readIdleBehavior(steering: unknown): boolean {
  const behavior = isRecord(steering) ? steering["idleBehavior"] : undefined;
  if (behavior === undefined) return false;
  if (behavior === "promptRequired") return true;
  throw new RpcError(errorCodes.invalidParams, '_meta.steering.idleBehavior must be "promptRequired"');
}

function reasonOf(cause: unknown): string {
  return cause instanceof Error ? cause.message : "the prompt was not taken";
}
