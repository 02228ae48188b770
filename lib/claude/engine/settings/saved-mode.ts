/**
 * Restores the permission mode of a saved conversation: reads the mode from the transcript and
 * sets it in the CLI that resumes the conversation, which starts in the mode of the user's
 * settings. `bypassPermissions` is never restored.
 */
import { parseJson } from "../../../wire/index.ts";
import { Fault, isRecord } from "../../../schema/index.ts";
import { EngineFailure } from "../../../engine/index.ts";
import type { OutgoingControlRequests } from "../../index.ts";
import { PermissionMode } from "../../protocol/permission.ts";
import type { ClaudeSettings } from "./claude-settings.ts";

/** How much of the end of a transcript is searched. The first is enough for most; the second has room for images. */
const searchedBytes = [256 * 1024, 16 * 1024 * 1024] as const;

/** The mode of the last prompt of a transcript; undefined when none is found or the file cannot be read. */
export async function lastPermissionMode(
  path: string,
  readEnd: (path: string, bytes: number) => Promise<Buffer>,
): Promise<string | undefined> {
  for (const bytes of searchedBytes) {
    const end = await readEnd(path, bytes).catch(() => undefined);
    if (end === undefined) return undefined;
    const mode = lastModeIn(end.toString());
    if (mode !== undefined || end.length < bytes) return mode;
  }
  return undefined;
}

/** The first line may be partial: it is not JSON then, and is ignored. */
function lastModeIn(text: string): string | undefined {
  let to = text.length;
  for (;;) {
    const at = text.lastIndexOf('"permissionMode"', to - 1);
    if (at < 0) return undefined;
    const from = text.lastIndexOf("\n", at) + 1;
    const end = text.indexOf("\n", at);
    const line = parseJson(text.slice(from, end < 0 ? undefined : end));
    if (isRecord(line) && line["type"] === "user" && line["isSidechain"] !== true) {
      const mode = PermissionMode.read(line["permissionMode"]);
      if (!(mode instanceof Fault)) return mode;
    }
    if (from === 0) return undefined;
    to = from;
  }
}

/** Modes in which nothing is changed that is not allowed already. Settings that name one of them hold for every conversation. */
const strictModes: ReadonlySet<string> = new Set(["plan", "dontAsk"]);

/**
 * Sets the mode that the conversation had. Returns what the user has to know when it is
 * another one now. The mode that asks nothing is never set this way.
 */
export async function restoreMode(
  settings: ClaudeSettings,
  control: OutgoingControlRequests | undefined,
  mode: string | undefined,
): Promise<string | undefined> {
  const { modes, mode: now } = settings.state;
  if (mode === undefined || mode === now) return undefined;
  const nameOf = (id: string): string => modes.find((one) => one.id === id)?.name ?? id;
  const kept = `The mode is ${nameOf(now)}.`;
  if (mode === "bypassPermissions") {
    return `This conversation had all permissions. They are not given again by themselves. ${kept}`;
  }
  if (strictModes.has(now) && !strictModes.has(mode)) {
    return `This conversation had the mode ${nameOf(mode)}. Your settings name a stricter one. ${kept}`;
  }
  if (!modes.some(({ id }) => id === mode)) return `The mode of this conversation (${mode}) is not available. ${kept}`;
  try {
    await settings.change(control, "mode", mode);
    return undefined;
  } catch (cause) {
    if (!(cause instanceof EngineFailure)) throw cause;
    return `The mode of this conversation (${nameOf(mode)}) could not be set: ${cause.message}. ${kept}`;
  }
}
