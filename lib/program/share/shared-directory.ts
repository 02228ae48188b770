/**
 * The directory in which shared agents say where they listen, one file for each process.
 *
 * Only this user can enter it (mode 0700). A directory of another user, a link, or one
 * that others can enter is not used: its files could lead a server to a foreign program,
 * or an agent's address to another user. On Windows the directory is below LOCALAPPDATA,
 * which belongs to the user.
 */
import { lstatSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { Fault, object, string } from "../../schema/index.ts";
import { parseJson } from "../../wire/index.ts";
import { type Environment, stateDirectory } from "../state-directory.ts";

/** What a shared agent has written. */
export interface Announcement {
  /** The path of its file. */
  readonly path: string;
  /** The socket or named pipe that it listens on. */
  readonly address: string;
}

const Content = object({ address: string });
const maxAnnouncements = 256;

export class SharedDirectory {
  readonly #path: string;
  /** A home directory may be mounted on several machines. */
  readonly #host = hostname().replaceAll(/[^\w-]/g, "_");

  constructor(env: Environment) {
    this.#path = join(stateDirectory(env, process.platform), "shared");
  }

  /** Throws an `Error` with a sentence when the directory is not private. */
  announce(address: string): Announcement {
    mkdirSync(this.#path, { recursive: true, mode: 0o700 });
    if (!isPrivate(this.#path)) throw new Error(`${this.#path} must be a directory that only you can open (mode 700)`);
    const path = join(this.#path, `${this.#host}-${process.pid}.json`);
    writeFileSync(path, JSON.stringify({ address }), { mode: 0o600 });
    return { path, address };
  }

  /** The agents of this machine that are announced; none when the directory is missing or not private. */
  list(): readonly Announcement[] {
    try {
      if (!isPrivate(this.#path)) return [];
      const names = readdirSync(this.#path).filter((name) => name.startsWith(`${this.#host}-`));
      return names.slice(0, maxAnnouncements).flatMap((name) => readAnnouncement(join(this.#path, name)));
    } catch {
      return [];
    }
  }
}

export function withdraw({ path }: Announcement): void {
  rmSync(path, { force: true });
}

function readAnnouncement(path: string): readonly Announcement[] {
  try {
    const read = Content.read(parseJson(readFileSync(path, "utf8")));
    return read instanceof Fault ? [] : [{ path, address: read.address }];
  } catch {
    // It was removed since it was listed.
    return [];
  }
}

function isPrivate(path: string): boolean {
  const facts = lstatSync(path, { throwIfNoEntry: false });
  if (facts === undefined || !facts.isDirectory()) return false;
  return process.platform === "win32" || (facts.uid === process.getuid?.() && (facts.mode & 0o077) === 0);
}
