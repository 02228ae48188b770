/**
 * Builds the prompt for one engine of a session with two engines: the user's prompt, preceded by
 * what the other engine said meanwhile, or a request to review the work of the other engine.
 */
import type { Prompt } from "../../engine/index.ts";
import type { EngineTrack } from "./engine-track.ts";
import { reviewPrompt } from "./review-prompt.ts";
import type { RouteSettings } from "./route-options.ts";
import { onlyText, type SharedContext, textOf } from "./shared-context.ts";

export interface PromptForOptions {
  /** Another engine had the prompt before, in a duet. */
  readonly isFollowUp: boolean;
  /** The engine that has worked on the prompt before; undefined when it failed. */
  readonly previous: EngineTrack | undefined;
  readonly settings: RouteSettings;
  readonly context: SharedContext;
}

export function promptFor(track: EngineTrack, prompt: Prompt, options: PromptForOptions): Prompt {
  const { isFollowUp, previous, settings, context } = options;
  const id = isFollowUp ? crypto.randomUUID() : prompt.id;
  if (previous !== undefined && settings.isReview) {
    const { preface, instruction } = reviewPrompt(textOf(prompt), previous);
    return { id, preface: [preface], content: [{ type: "text", text: instruction }] };
  }
  const missed = settings.sharesContext ? context.missedBy(track.engine.id) : undefined;
  // An engine runs a slash command only if it stands alone.
  if (missed === undefined || onlyText(prompt.content).startsWith("/")) return { ...prompt, id };
  return { ...prompt, id, preface: [missed, ...(prompt.preface ?? [])] };
}
