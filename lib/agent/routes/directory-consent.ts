/**
 * Asks the user before two engines work in the same directory.
 *
 * What one engine writes may decide what the other runs, without asking and outside of the first
 * one's sandbox. The files that are known to do so are compared (engine-configuration.ts), but no
 * list of them is complete. So the user is asked whatever has changed, before an engine works where
 * another one could change files: for one prompt, or once in each session and directory. Closed
 * sessions count too, and what an earlier run has done in a session that is loaded.
 */
import { toolContent } from "../../acp/index.ts";
import { oneLine } from "../../display/index.ts";
import { EngineFailure } from "../../engine/index.ts";
import { engineIds, otherEngine } from "../route.ts";
import { isBelow } from "./configuration-paths.ts";
import type { ConfigurationsOptions } from "./engine-configuration.ts";
import { askUser } from "./engine-question.ts";
import type { EngineTrack } from "./engine-track.ts";

/** An engine that could change files within its reach. */
type Worker = Pick<EngineTrack, "named" | "reach"> & { readonly engine: Pick<EngineTrack["engine"], "id" | "name"> };

/** Where engines could change files in one run of the program. */
export class SharedDirectories {
  readonly #tracks: Set<EngineTrack>;
  /** The engines of closed sessions. */
  readonly #closed = new Map<string, Worker>();
  /** How many prompts engines of the program have got. */
  promptCount = 0;

  /** `tracks`: the engines of the open sessions. */
  constructor(tracks: Set<EngineTrack>) {
    this.#tracks = tracks;
  }

  get workers(): readonly Worker[] {
    return [...this.#closed.values(), ...[...this.#tracks].filter(couldWrite)];
  }

  /** The session of an engine is closed. What the engine wrote stays. */
  close(track: EngineTrack): void {
    const { engine, named, reach } = track;
    const { id, name } = engine;
    if (couldWrite(track)) this.#closed.set(JSON.stringify([id, reach]), { engine: { id, name }, named, reach });
    this.#tracks.delete(track);
    track.isClosed = true;
  }
}

export type DirectoryConsentOptions = Pick<ConfigurationsOptions, "all" | "engines" | "host" | "record">;

export class DirectoryConsent {
  readonly #options: DirectoryConsentOptions;
  /** The engines that may work until any engine gets a prompt, by the number of prompts that were sent before. */
  readonly #allowedOnce = new Map<EngineTrack, number>();
  /** Where the user lets both engines work in this session. A new session has not shown what has changed before. */
  readonly #agreed = new Set<string>();

  constructor(options: DirectoryConsentOptions) {
    this.#options = options;
  }

  /** Why the engine must not run before the user has agreed. */
  objection(track: EngineTrack, roots = rootsOf(track)): string | undefined {
    const { shared } = this.#options.all;
    const { id, name } = track.engine;
    const beside = shared.workers.find((one) => one.engine.id !== id && isWithinReach(track, one));
    const other = beside?.engine.name ?? this.#earlierBeside(id);
    if (other === undefined || this.#isAgreed(track)) return undefined;
    if (this.#allowedOnce.get(track) === shared.promptCount) return undefined;
    const where = roots.map((one) => oneLine(one, Infinity)).join(", ");
    return `${other} has worked in ${where} and could change files there, which may decide what ${name} runs, also without asking and outside of a sandbox.`;
  }

  /** Asks the user. Resolves with whether there was something to ask; rejects with an `EngineFailure` when the engine must not run. */
  async confirm(track: EngineTrack): Promise<boolean> {
    // The answer counts for what the question shows. A repository may be made or a link changed meanwhile.
    const roots = rootsOf(track);
    const why = this.objection(track, roots);
    if (why === undefined) return false;
    const { name } = track.engine;
    const { shared } = this.#options.all;
    const { promptCount } = shared;
    const answer = await askUser(this.#options.host, {
      about: "directory",
      title: `Let ${name} work where another engine has worked`,
      content: [toolContent.block(`${why} ${whatIsShown}`)],
      offered: [
        ["allow_once", "go_on", `Let ${name} go on this time`],
        ["allow_always", "share_directory", "Let both work there in this session"],
      ],
    });
    if (answer === "refuse") throw new EngineFailure("refused", `${why} ${name} has not been sent the prompt.`);
    if (answer === "go_on") this.#allowedOnce.set(track, promptCount);
    else for (const one of roots) this.#agreed.add(one);
    return true;
  }

  #isAgreed({ directories }: EngineTrack): boolean {
    return directories.every((one) => [...this.#agreed].some((agreed) => isBelow(one, agreed)));
  }

  /** The name of the other engine, if it has worked in the session in an earlier run of the program. */
  #earlierBeside(engine: string): string | undefined {
    const { engines, record } = this.#options;
    const id = engineIds.find((one) => one === engine);
    return id === undefined || record.accepted[id] === undefined ? undefined : engines[otherEngine(id)].name;
  }
}

const whatIsShown =
  "Such files are settings, hooks, scripts and the configuration of git. From now on this session shows you changes of those that are known to decide what an engine runs, but not all of them are known.";

function couldWrite({ hasWorked, isConfined }: EngineTrack): boolean {
  return hasWorked && !isConfined;
}

/** Whether an engine works where another one may change files, below it or above it, or in the same repository. */
export function isWithinReach(
  { directories }: Pick<EngineTrack, "directories">,
  { reach }: Pick<EngineTrack, "reach">,
): boolean {
  return directories.some((left) => reach.some((right) => isBelow(left, right) || isBelow(right, left)));
}

/** The directories without those that lie below others. */
function rootsOf({ directories }: EngineTrack): readonly string[] {
  const all = [...new Set(directories)];
  return all.filter((one) => !all.some((other) => other !== one && isBelow(one, other)));
}
