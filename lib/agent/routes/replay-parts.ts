/**
 * Replays a saved session of two engines: the turns of both engines, in their order.
 *
 * If the history of only one engine is found, that history is shown and the user is told what
 * is missing.
 */
import type { SessionUpdate } from "../../acp/index.ts";
import type { ConversationHost } from "../../engine/index.ts";
import type { EngineTrack } from "./engine-track.ts";
import { mergedHistory, type TurnMark } from "./merged-history.ts";

export interface ReplayPartsOptions {
  readonly owner: EngineTrack;
  /** Opens the engine that has another part, and may throw; undefined when no other part is known. */
  readonly other: (() => EngineTrack) | undefined;
  readonly otherName: string;
  readonly turns: readonly TurnMark[];
  readonly host: ConversationHost;
  /** Starts the engine if nothing is to be asked. */
  readonly start: (track: EngineTrack) => Promise<unknown>;
  readonly tell: (text: string) => void;
  readonly signal: AbortSignal;
}

export async function replayParts(options: ReplayPartsOptions): Promise<void> {
  const { owner, other, otherName, turns, host, start, tell, signal } = options;
  if (other === undefined) {
    if (!owner.isReadable) return tell(unread(owner.engine.name));
    const hasOther = await owner.replay(signal);
    if (hasOther) tell(`${otherName} took part in this conversation. Where its part is saved is not known any more.`);
    return;
  }
  const parts = new Map<string, readonly SessionUpdate[]>();
  if (owner.isReadable) parts.set(owner.engine.id, await owner.history(signal));
  else tell(unread(owner.engine.name));
  try {
    const track = other();
    await start(track);
    if (track.isReadable) parts.set(track.engine.id, await track.history(signal));
    else tell(unread(otherName));
  } catch {
    tell(unread(otherName));
  }
  for (const one of mergedHistory(parts, turns)) {
    host.onEvent({ type: "updates", updates: [one] });
    await host.client.whenWritable();
  }
}

function unread(name: string): string {
  return `The part of ${name} in this conversation could not be loaded.`;
}
