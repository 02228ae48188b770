/**
 * The errors of requests to `codex app-server`.
 *
 * Codex answers nearly every fault with the same code, so callers compare the beginning of
 * the message where they must. The message of an unknown method lists all methods in
 * 9 KB; `toFailure` cuts it.
 */
import { EngineFailure } from "../../engine/index.ts";
import { oneLine } from "../../display/index.ts";
import type { CodexError } from "./message.ts";

const maxShownChars = 300;

/** Codex refused a request. */
export class CodexRefused extends Error {
  override readonly name = "CodexRefused";
  readonly method: string;
  readonly code: number;
  readonly data: unknown;

  constructor(method: string, { code, message, data }: CodexError) {
    super(message);
    this.method = method;
    this.code = code;
    this.data = data;
  }
}

/** The error text for the user when a request failed. */
export function toFailure(cause: unknown, doing: string): EngineFailure {
  if (cause instanceof EngineFailure) return cause;
  if (!(cause instanceof CodexRefused)) return new EngineFailure("other", `${doing} failed`, { cause });
  const { message } = cause;
  if (/already has an active writer/.test(message)) {
    return new EngineFailure("refused", "this conversation is open in another Codex; close it there first", { cause });
  }
  if (/no rollout found|thread not found|invalid thread id/.test(message)) {
    return new EngineFailure("unknown_conversation", "Codex has no conversation with this id", { cause });
  }
  if (/is archived/.test(message)) {
    return new EngineFailure("refused", "this conversation is archived; run `codex unarchive` to use it again", {
      cause,
    });
  }
  return new EngineFailure("refused", `${doing} failed: ${oneLine(message, maxShownChars) || "Codex gave no reason"}`, {
    cause,
  });
}
