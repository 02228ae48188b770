/**
 * `approvalQuestion`: translates a request of Codex into the question for the user.
 */
import type { ElicitationRequest, ServerRequest } from "../../protocol/index.ts";
import type { CodexState } from "../state/codex-state.ts";
import { commandQuestion, fileChangeQuestion, mcpToolQuestion, permissionsQuestion } from "./approvals.ts";
import type { CodexQuestion, AskedElicitation } from "./codex-question.ts";
import { userQuestions } from "./user-input.ts";

export function approvalQuestion(request: ServerRequest, state: CodexState): CodexQuestion {
  switch (request.method) {
    case "item/commandExecution/requestApproval":
      return commandQuestion(request, state);
    case "item/fileChange/requestApproval":
      return fileChangeQuestion(request, state);
    case "item/permissions/requestApproval":
      return permissionsQuestion(request, state);
    case "item/tool/requestUserInput":
      return userQuestions(request, state);
    case "mcpServer/elicitation/request":
      return request.params._meta?.codex_approval_kind === "mcp_tool_call"
        ? mcpToolQuestion(request, state)
        : elicitation(request);
    case "unknown":
      return { kind: "unknown" };
  }
}

/** A form or a link of an MCP server. */
function elicitation({ params }: ElicitationRequest): AskedElicitation {
  const message = `${params.serverName}: ${params.message}`;
  return {
    kind: "elicitation",
    question:
      params.mode === "url" && params.url != null
        ? { kind: "url", message, url: params.url, id: params.elicitationId ?? undefined }
        : { kind: "form", message, schema: params.requestedSchema ?? { type: "object", properties: {} } },
    answerOf: (answer) => ({
      action: answer.action,
      content: answer.action === "accept" ? (answer.content ?? null) : null,
      _meta: null,
    }),
  };
}
