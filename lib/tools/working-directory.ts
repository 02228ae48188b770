/**
 * Working directory: where the next command begins.
 *
 * As with the CLI's own Bash a `cd` lasts when the command went well and ended
 * where the session may work; a subagent's lasts for nobody. The shell itself
 * notes where it ended, in a file that only we and it know.
 */

/** A file for one note. */
export interface Note {
  readonly path: string;
  /** What was written; then it is gone. */
  readonly take: () => Promise<string | undefined>;
}

export interface WorkingDirectoryEnds {
  /** Where the session began. */
  readonly home: string;
  /** Undefined where no shell could write one. */
  readonly note: (() => Promise<Note>) | undefined;
  readonly isInside: (path: string) => Promise<boolean>;
}

export interface Begun {
  readonly command: string;
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
  /** Takes up where it ended; a remark for the model when that cannot last. */
  readonly end: (wentWell: boolean) => Promise<string | undefined>;
}

const noteName = "BOWLINE_CWD";
const noted = `trap 'pwd -P >"$${noteName}"' EXIT; `;
/** Only these leave the directory. */
const leaves = /(?:^|[\s;&|({])(?:cd|chdir|pushd|popd)(?:$|[\s;&|)}])/;

export class WorkingDirectory {
  readonly #ends: WorkingDirectoryEnds;
  #current: string;

  constructor(ends: WorkingDirectoryEnds) {
    this.#ends = ends;
    this.#current = ends.home;
  }

  get current(): string {
    return this.#current;
  }

  /** `isLasting`: where it ends is where the next begins. */
  async begin(command: string, isLasting: boolean): Promise<Begun> {
    const cwd = this.#current;
    const note = isLasting && leaves.test(command) ? await this.#ends.note?.().catch(() => undefined) : undefined;
    if (note === undefined) return { command, cwd, env: {}, end: async () => undefined };
    return {
      command: noted + command,
      cwd,
      env: { [noteName]: note.path },
      end: async (wentWell) => {
        const place = (await note.take())?.trim();
        return wentWell && place ? this.#move(place) : undefined;
      },
    };
  }

  async #move(place: string): Promise<string | undefined> {
    const { home, isInside } = this.#ends;
    if (await isInside(place)) {
      this.#current = place;
      return undefined;
    }
    this.#current = home;
    return `Shell cwd was reset to ${home}`;
  }
}
