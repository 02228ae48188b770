/**
 * Reads at which message a client wants to fork a session. ACP has no field for it; clients
 * use `_meta.claudeCode.rewindTo` or `_meta.jetbrains.air.fork.messageId`.
 */
import { isRecord, textOf } from "../../schema/index.ts";

export function forkMessage(meta: Readonly<Record<string, unknown>> | undefined): string | undefined {
  const rewindTo = textOf(at(meta, "claudeCode", "rewindTo"));
  // JetBrains numbers the parts of a message that it shows.
  const jetbrains = textOf(at(meta, "jetbrains", "air", "fork", "messageId"))?.replace(/:segment:\d+$/, "");
  const named = (rewindTo ?? jetbrains)?.trim();
  return named === "" ? undefined : named;
}

function at(value: unknown, ...keys: readonly string[]): unknown {
  return keys.reduce<unknown>((inner, key) => (isRecord(inner) ? inner[key] : undefined), value);
}
