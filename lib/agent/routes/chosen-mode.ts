/**
 * The permission mode that the user chose in a session with two engines.
 *
 * Every engine that runs gets it, and each engine that is started later. The user chose it from
 * the list of one engine; another engine may mean something else by it (`EngineTrack.changeMode`).
 */
import type { EngineTrack } from "./engine-track.ts";

export class ChosenMode {
  /** The engine whose mode the session's settings name. */
  readonly #owner: EngineTrack;
  #mode: string | undefined;
  /** From whose list the user chose it. Undefined: the mode is that of the session's settings. */
  #from: EngineTrack | undefined;

  constructor(owner: EngineTrack, mode: string | undefined) {
    this.#owner = owner;
    this.#mode = mode;
  }

  async choose(mode: string, from: EngineTrack, tracks: readonly EngineTrack[]): Promise<void> {
    this.#mode = mode;
    this.#from = from;
    for (const track of tracks) if (track.hasStarted) await this.#change(track, mode);
  }

  /** Gives the mode to an engine that has been started. */
  async giveTo(track: EngineTrack): Promise<void> {
    const mode = track !== this.#owner || this.#from !== undefined ? this.#mode : undefined;
    if (mode !== undefined && track.chosenMode !== mode) await this.#change(track, mode);
  }

  #change(track: EngineTrack, mode: string): Promise<void> {
    return track.changeMode(mode, (this.#from ?? this.#owner).modeWith(mode));
  }
}
