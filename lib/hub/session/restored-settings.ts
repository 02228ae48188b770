/**
 * Restores the mode and the options of a session that was loaded again.
 *
 * An agent opens a conversation with its own defaults, which may allow more than what the
 * user chose.
 */
import type { LoadSessionResponse } from "../../acp/index.ts";

/** Calls a method of the agent for the session. */
export type SettingCall = (method: string, params: Readonly<Record<string, unknown>>) => Promise<unknown>;

/** Returns false when a setting could not be restored. */
export async function restoreSettings(
  before: LoadSessionResponse,
  now: LoadSessionResponse,
  call: SettingCall,
): Promise<boolean> {
  const calls: (() => Promise<unknown>)[] = [];
  const modeId = before.modes?.currentModeId;
  if (modeId !== undefined && now.modes != null && now.modes.currentModeId !== modeId)
    calls.push(() => call("session/set_mode", { modeId }));
  const values = new Map(now.configOptions?.map(({ id, currentValue }) => [id, currentValue]));
  for (const { id, type, currentValue: value } of before.configOptions ?? []) {
    if (!values.has(id) || values.get(id) === value) continue;
    const kind = type === "boolean" ? { type } : {};
    calls.push(() => call("session/set_config_option", { configId: id, value, ...kind }));
  }
  let isRestored = true;
  // One after the other: an agent may offer an option only once another one is set.
  for (const set of calls) await set().catch(() => (isRestored = false));
  return isRestored;
}
