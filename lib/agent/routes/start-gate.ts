/**
 * The questions before an engine of a session with two engines is started or gets a prompt.
 *
 * `EngineTrack` keeps its conversation's `start` and `ready` private and calls them through this
 * gate only. Whether both may work in the directory is asked first, then about the other engine's
 * work, because the user may have it stopped, and about the engine's configuration at last. After
 * each answer all are looked at again, until nothing is left to be asked: what the user agreed to
 * is what the engine starts with. Once it runs they are looked at once more, and an engine that
 * was overtaken by a change is stopped.
 */
import { type ConversationRequest, EngineFailure } from "../../engine/index.ts";
import type { DirectoryConsent } from "./directory-consent.ts";
import type { EngineConfigurations } from "./engine-configuration.ts";
import type { EngineIsolation } from "./engine-isolation.ts";
import type { EngineTrack } from "./engine-track.ts";

/** How often the user is asked, when more has changed than one question shows, or something changes again and again. */
const maxRounds = 12;

export class StartGate {
  readonly #consent: DirectoryConsent;
  readonly #isolation: EngineIsolation;
  readonly #configurations: EngineConfigurations;
  readonly #tracks: Set<EngineTrack>;

  /** `tracks`: the engines of all sessions; those that are started are added. */
  constructor(
    consent: DirectoryConsent,
    isolation: EngineIsolation,
    configurations: EngineConfigurations,
    tracks: Set<EngineTrack>,
  ) {
    this.#consent = consent;
    this.#isolation = isolation;
    this.#configurations = configurations;
    this.#tracks = tracks;
  }

  /** Whether nothing is to be asked about the engine's directory and configuration. */
  isAccepted(track: EngineTrack): boolean {
    return this.#consent.objection(track) === undefined && this.#configurations.isAccepted(track.engine.id);
  }

  /** Asks, then launches. Rejects with an `EngineFailure` when the user does not want it, or it is not needed any more. */
  async pass(track: EngineTrack, launch: () => Promise<void>, isWanted = (): boolean => true): Promise<void> {
    const { id, name } = track.engine;
    this.#configurations.beginQuestions(id);
    for (let round = 0; round < maxRounds; round++) {
      const hasAskedFirst = await this.#consent.confirm(track);
      const hasAsked = (await this.#isolation.confirmStart(track)) || hasAskedFirst;
      if (!this.#configurations.isAccepted(id)) await this.#configurations.ask(id);
      else if (!hasAsked) {
        const wasRunning = track.conversation.isRunning;
        // The session may have been closed, or the prompt cancelled, while a question was open.
        if (track.isClosed || !isWanted()) throw new EngineFailure("refused", `${name} is not needed any more.`);
        if (this.#lateObjection(track) !== undefined) continue;
        this.#tracks.add(track);
        // Begins in the same tick in which the files were read.
        await launch();
        if ((await this.#objection(track)) === undefined) return;
        await stop(track, wasRunning);
      }
    }
    throw new EngineFailure(
      "refused",
      `What ${name} runs changes again and again. ${name} has not been sent the prompt.`,
    );
  }

  /** Launches if there is nothing to be asked. Resolves with why the engine does not run. */
  async passUnasked(track: EngineTrack, launch: () => Promise<void>): Promise<string | undefined> {
    const objection = (await this.#objection(track)) ?? this.#lateObjection(track);
    if (objection !== undefined) return objection;
    this.#tracks.add(track);
    await launch();
    const late = await this.#objection(track);
    if (late !== undefined) await stop(track, false);
    return late;
  }

  /** Asks about the directory and the configuration of an engine that has been started before. */
  async confirm(track: EngineTrack): Promise<void> {
    const { id } = track.engine;
    await this.#consent.confirm(track);
    this.#configurations.beginQuestions(id);
    for (let round = 0; round < maxRounds && !this.#configurations.isAccepted(id); round++)
      await this.#configurations.ask(id);
  }

  /** What has happened while others were looked at one after the other. The engine is launched in the same tick. */
  #lateObjection(track: EngineTrack): string | undefined {
    return this.#consent.objection(track) ?? this.#isolation.promptObjection(track);
  }

  async #objection(track: EngineTrack): Promise<string | undefined> {
    const first = this.#consent.objection(track) ?? (await this.#isolation.objection(track));
    return first ?? this.#configurations.objection(track.engine.id);
  }
}

/** What the user is told about a session that is opened without its first engine. Throws an `EngineFailure` when it has no id without it. */
export function startNotice(why: string, track: EngineTrack, { start }: Pick<ConversationRequest, "start">): string {
  const { engine, hasStarted } = track;
  if (engine.id === "codex" && start.kind !== "resume" && !hasStarted)
    throw new EngineFailure("refused", `${why} The session cannot be copied before you have agreed to that in it.`);
  return `${why} ${engine.name} is not started before you have agreed: you are asked at your next prompt.`;
}

/** `wasRunning`: it may have work in the background, which goes on. */
async function stop({ conversation }: EngineTrack, wasRunning: boolean): Promise<void> {
  const reason = "what it runs was changed while it started";
  if (!conversation.release(reason) && !wasRunning) conversation.abandon(reason);
  await conversation.exited;
}
