/**
 * The directory in which each sharing agent has one socket and one file that announces it.
 *
 * Only this user can enter the directory (mode 0700). A directory of another user, a link, or a
 * directory that others can enter is not used: its files could connect a server to a program of
 * another user, or tell another user the agent's address. It is not in the temporary directory,
 * where a sandboxed command could replace a socket. On Windows the directory is below
 * LOCALAPPDATA, which belongs to the user, and the socket is a named pipe.
 */
import { randomUUID } from "node:crypto";
import { readdirSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { dirname, join } from "node:path";
import { type Environment, isPrivateDirectory, makePrivateDirectory, stateDirectory } from "../../process/index.ts";
import { Fault, object, string } from "../../schema/index.ts";
import { parseJson } from "../../wire/index.ts";
import { readSmallFile } from "../small-file.ts";

/** What a shared agent has written. */
export interface Announcement {
  /** The path of its file. */
  readonly path: string;
  /** The socket or named pipe that it listens on. */
  readonly address: string;
}

const Content = object({ address: string });
const maxAnnouncements = 256;
const maxAnnouncementBytes = 4096;
/** The systems take 103 bytes (macOS) or 107 (Linux) for the path of a socket. */
const maxSocketPathBytes = 103;
const socketNameChars = 8;

export class SharedDirectory {
  readonly path: string;
  /** A home directory may be mounted on several machines. */
  readonly #host = hostname().replaceAll(/[^\w-]/g, "_");

  constructor(env: Environment) {
    this.path = join(stateDirectory(env), "shared");
  }

  /** Creates the directory. Throws an `Error` with a sentence when it is not private, or too long for a socket. */
  newAddress(): string {
    makePrivateDirectory(this.path);
    // Other users can neither list the file that has the name of a pipe nor write to the pipe.
    if (process.platform === "win32") return `\\\\.\\pipe\\bowline-${randomUUID()}`;
    const address = join(this.path, randomUUID().slice(0, socketNameChars));
    if (Buffer.byteLength(address) <= maxSocketPathBytes) return address;
    throw new Error(`${this.path} is too long for the path of a socket; set XDG_STATE_HOME to a shorter one`);
  }

  /** Says that this process listens there. */
  announce(address: string): Announcement {
    const path = join(this.path, `${this.#host}-${process.pid}.json`);
    writeFileSync(path, JSON.stringify({ address }), { mode: 0o600 });
    return { path, address };
  }

  /** The agents of this machine that are announced; none when the directory is missing or not private. */
  list(): readonly Announcement[] {
    try {
      if (!isPrivateDirectory(this.path)) return [];
      const names = readdirSync(this.path).filter(
        (name) => name.startsWith(`${this.#host}-`) && name.endsWith(".json"),
      );
      return names.slice(0, maxAnnouncements).flatMap((name) => readAnnouncement(join(this.path, name)));
    } catch {
      return [];
    }
  }
}

export function withdraw({ path, address }: Announcement): void {
  rmSync(path, { force: true });
  if (dirname(address) === dirname(path)) rmSync(address, { force: true });
}

function readAnnouncement(path: string): readonly Announcement[] {
  try {
    const text = readSmallFile(path, { maxBytes: maxAnnouncementBytes, followsLinks: false });
    const read = Content.read(parseJson(text));
    return read instanceof Fault ? [] : [{ path, address: read.address }];
  } catch {
    // It was removed since it was listed, or is no file of an agent.
    return [];
  }
}
