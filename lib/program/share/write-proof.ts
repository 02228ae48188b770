/**
 * A server proves to a shared agent that it can write to the directory of announcements.
 *
 * Any process that opens the agent's socket may answer the agent's permission requests. A
 * sandboxed command with network access can open the socket of its own agent, since it runs as
 * the same user, and can read every secret in a file. It cannot write outside its directories.
 * So the agent sends a file name that was never used before, and goes on only when a file with
 * this name has appeared.
 */
import { randomUUID } from "node:crypto";
import { lstatSync, rmSync, writeFileSync } from "node:fs";
import type { Socket } from "node:net";
import { join } from "node:path";
import { type Link, streamLink } from "../../wire/index.ts";

const proofMs = 10_000;
const maxLineBytes = 200;
const proofName = /^proof-[\da-f-]{36}$/;

/** The agent's side: resolves with the link to a server that has proved itself; otherwise closes the socket. */
export async function provedLink(socket: Socket, directory: string): Promise<Link | undefined> {
  const name = `proof-${randomUUID()}`;
  const path = join(directory, name);
  socket.write(`${name}\n`);
  const answer = await firstLine(socket);
  const isProved = answer === name && lstatSync(path, { throwIfNoEntry: false })?.isFile() === true;
  rmSync(path, { force: true });
  if (isProved) return resumedLink(socket);
  socket.destroy();
  return undefined;
}

/** The server's side: writes the file; resolves with the link, or with undefined when the agent asks for nothing of the kind. */
export async function provingLink(socket: Socket, directory: string): Promise<Link | undefined> {
  const name = await firstLine(socket);
  if (name === undefined || !proofName.test(name)) return undefined;
  const path = join(directory, name);
  writeFileSync(path, "", { flag: "wx", mode: 0o600 });
  // The agent removes it; an agent that has been killed does not.
  socket.once("close", () => rmSync(path, { force: true }));
  socket.write(`${name}\n`);
  return resumedLink(socket);
}

/** The first line of the other side; undefined when it is too long or does not come in time. The socket is paused behind it. */
function firstLine(socket: Socket): Promise<string | undefined> {
  return new Promise((resolve) => {
    let bytes: Buffer = Buffer.alloc(0);
    const finish = (line?: string): void => {
      clearTimeout(timer);
      socket.off("data", take).off("close", gone).pause();
      resolve(line);
    };
    const gone = (): void => finish();
    const take = (chunk: Buffer): void => {
      bytes = Buffer.concat([bytes, chunk]);
      const end = bytes.indexOf("\n");
      if (end < 0 && bytes.length <= maxLineBytes) return;
      if (end < 0) return finish();
      finish(bytes.toString("utf8", 0, end));
      if (end + 1 < bytes.length) socket.unshift(bytes.subarray(end + 1));
    };
    const timer = setTimeout(gone, proofMs);
    timer.unref();
    socket.on("data", take).once("close", gone);
  });
}

function resumedLink(socket: Socket): Link {
  const link = streamLink({ input: socket, output: socket });
  return {
    ...link,
    open: (callbacks) => {
      link.open(callbacks);
      link.resume();
    },
  };
}
