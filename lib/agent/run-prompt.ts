/**
 * Runs a prompt of the client in a session: checks it, and replaces links to files by the
 * text that the editor has, when the prompt is about to be sent.
 */
import type { ContentBlock, PromptResponse } from "../acp/index.ts";
import type { Engine } from "../engine/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import type { AgentContext } from "./agent-context.ts";
import type { Session } from "./session/session.ts";
import { hasLinkedFiles, withLinkedFiles } from "./turn/linked-files.ts";

/** Throws an `RpcError` when the engine cannot take the prompt. */
export function runPrompt(
  { client, engine, textOf }: AgentContext,
  session: Session,
  prompt: readonly ContentBlock[],
): Promise<PromptResponse> {
  checkPrompt(engine, prompt);
  if (!prompt.some(({ type }) => type === "resource_link")) return session.prompt(prompt);
  const linkOptions = {
    client,
    sessionId: session.id,
    textOf,
    isAlways: session.prefersEditorText,
    mayInline: (path: string) => session.mayInlineFile(path, prompt),
  };
  const refine = (): Promise<readonly ContentBlock[]> => withLinkedFiles(prompt, linkOptions);
  return session.prompt(prompt, hasLinkedFiles(prompt, client) ? refine : undefined);
}

export function checkPrompt(engine: Engine, prompt: readonly ContentBlock[]): void {
  const why = engine.refusalOf(prompt);
  if (why !== undefined) throw new RpcError(errorCodes.invalidParams, `session/prompt: ${why}`);
}
