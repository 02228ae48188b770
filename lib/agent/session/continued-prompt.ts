/**
 * Runs a prompt to its answer, with the turns that follow from it: those of auto-continue,
 * and those after a usage limit has been reset.
 */
import { type ContentBlock, type PromptResponse, type SessionUpdate, update } from "../../acp/index.ts";
import { addUsage } from "../../engine/index.ts";
import { promptResponse, type StoppedTurn } from "../turn/prompt-response.ts";
import type { Refine } from "../turn/turn.ts";
import type { ContinueAtReset } from "../usage/continue-at-reset.ts";
import type { AutoContinue } from "./auto-continue.ts";

export interface ContinuedPromptOptions {
  readonly autoContinue: AutoContinue;
  readonly atReset: ContinueAtReset;
  readonly runTurn: (content: readonly ContentBlock[], refine?: Refine) => Promise<StoppedTurn>;
  readonly push: (update: SessionUpdate) => void;
  /** The client has cancelled or sent another prompt, or the session is closed. */
  readonly isStopped: () => boolean;
}

export async function runContinued(
  content: readonly ContentBlock[],
  refine: Refine | undefined,
  { autoContinue, atReset, runTurn, push, isStopped }: ContinuedPromptOptions,
): Promise<PromptResponse> {
  atReset.stop("replaced");
  if (autoContinue.isOn) autoContinue.begin();
  const run = (given: readonly ContentBlock[], refined?: Refine): Promise<StoppedTurn> =>
    atReset.run(
      () => runTurn(given, refined),
      (text) => runTurn([{ type: "text", text }]),
    );
  let end = await run(content, refine);
  for (;;) {
    if (!autoContinue.isOn) return promptResponse(end);
    const next = await autoContinue.next(end.stopReason, isStopped);
    if (next === undefined) return promptResponse(end);
    if (autoContinue.isFresh) {
      await runTurn([{ type: "text", text: "/clear" }]);
      if (isStopped()) return promptResponse(end);
    }
    push(update.userMessage(next));
    const { usage } = end;
    end = await run([{ type: "text", text: next }]);
    end = { ...end, usage: addUsage(usage, end.usage) };
  }
}
