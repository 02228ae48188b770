/**
 * A scripted engine that answers each prompt without a script of the spec.
 */
import type { EngineFailure } from "../../../lib/engine/index.ts";
import { type ScriptedConversation, ScriptedEngine } from "./scripted-engine.ts";

export class AnsweringEngine extends ScriptedEngine {
  /** What each prompt does. */
  onPrompt: (conversation: ScriptedConversation) => void | Promise<void> = () => {};
  /** What `start`, `ready` and `change` reject with. */
  failure: EngineFailure | undefined;

  override onCall = (conversation: ScriptedConversation, call: string): void | Promise<void> => {
    if (call === "submit") return this.onPrompt(conversation);
    if (this.failure !== undefined && /^(?:start|ready|change)/.test(call)) throw this.failure;
  };
}
