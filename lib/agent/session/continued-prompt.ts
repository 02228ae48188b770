/**
 * Runs a prompt and the turns that follow from it, and answers the prompt once, after the last.
 *
 * Three kinds of turns follow: those of auto-continue, the turn that carries out an approved plan
 * in a cleared conversation, and turns after a usage limit was reset.
 */
import { type ContentBlock, type PromptResponse, type SessionUpdate, update } from "../../acp/index.ts";
import { addUsage } from "../../engine/index.ts";
import { promptResponse, type StoppedTurn } from "../turn/prompt-response.ts";
import type { Refine } from "../turn/turn.ts";
import type { ContinueAtReset } from "../usage/continue-at-reset.ts";
import type { AutoContinue, Continuation } from "./auto-continue.ts";

export interface ContinuedPromptOptions {
  readonly autoContinue: AutoContinue;
  readonly atReset: ContinueAtReset;
  /** `preface`: texts before the content that the user did not write. */
  readonly runTurn: (
    content: readonly ContentBlock[],
    refine?: Refine,
    preface?: readonly string[],
  ) => Promise<StoppedTurn>;
  readonly push: (update: SessionUpdate) => void;
  readonly setMode: (mode: string) => Promise<void>;
  /** The client has cancelled, or the session is closed. */
  readonly isCancelled: () => boolean;
  /** The same, or the client has sent another prompt. */
  readonly isStopped: () => boolean;
}

export async function runContinued(
  content: readonly ContentBlock[],
  refine: Refine | undefined,
  { autoContinue, atReset, runTurn, setMode, push, isCancelled, isStopped }: ContinuedPromptOptions,
): Promise<PromptResponse> {
  atReset.endWait?.("replaced");
  if (autoContinue.isOn) autoContinue.begin();
  const run: ContinuedPromptOptions["runTurn"] = (given, refined, preface) =>
    runTurn(given, refined, preface).catch((cause: unknown) =>
      atReset.continueAfter(cause, (text) => runTurn([{ type: "text", text }])),
    );
  let end = await run(content, refine);
  for (;;) {
    const plan = isCancelled() ? undefined : end.next;
    // An engine with a goal continues without auto-continue.
    if (plan === undefined && (!autoContinue.isOn || end.isGoal === true)) return promptResponse(end);
    const next = plan === undefined ? await autoContinue.next(end.stopReason, isStopped) : approved(plan.prompt);
    const isFresh = plan !== undefined || autoContinue.isFresh;
    if (next !== undefined && isFresh) await runTurn([{ type: "text", text: "/clear" }]);
    // The client may have cancelled between two turns.
    if (isCancelled()) return promptResponse({ ...end, stopReason: "cancelled" });
    if (next === undefined || (plan === undefined && isStopped())) return promptResponse(end);
    if (plan !== undefined) await setMode(plan.mode);
    if (isCancelled()) return promptResponse(end);
    const { work, note } = next;
    push(update.userMessage(`${work} ${note}`));
    const { usage } = end;
    end = await run([{ type: "text", text: note }], undefined, [`${work}\n`]);
    end = { ...end, usage: addUsage(usage, end.usage) };
  }
}

/** The words of the plan are the model's, as those of auto-continue. */
function approved(work: string): Continuation {
  return { work, note: "(approved by the user)" };
}
