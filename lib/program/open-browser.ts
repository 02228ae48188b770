/**
 * Opens a file or the page of a server in the user's browser.
 *
 * An address with a token is not passed on a command line, where other users of the machine
 * could see it: a file that only this user can read leads the browser to it.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type Environment, makePrivateDirectory, runDirectory } from "../process/index.ts";

/** The program that opens a file on each platform; `xdg-open` where none is named. */
const openers: Readonly<Record<string, readonly [string, ...string[]]>> = {
  darwin: ["open"],
  win32: ["rundll32", "url.dll,FileProtocolHandler"],
};

/** How long the browser has to read the file that leads to an address. */
const keepMs = 30_000;

/** Resolves with whether a program was started that opens the file. */
export function openFile(path: string): Promise<boolean> {
  const [command, ...args] = openers[process.platform] ?? ["xdg-open"];
  return new Promise((resolve) => {
    const child = spawn(command, [...args, path], { stdio: "ignore", detached: true, windowsHide: true });
    child.once("spawn", () => resolve(true));
    child.once("error", () => resolve(false));
    child.unref();
  });
}

/** Opens an address that must stay secret. The returned function removes the file at once; it is removed in any case. */
export async function openSecretAddress(
  url: string,
  env: Environment,
): Promise<{ readonly isOpened: boolean; readonly remove: () => void }> {
  const directory = mkdtempSync(join(makePrivateDirectory(runDirectory(env)), "bowline-"));
  const file = join(directory, "open.html");
  const remove = (): void => rmSync(directory, { recursive: true, force: true });
  const words = JSON.stringify(url).replaceAll("<", "\\u003c");
  const page = `<!doctype html><meta charset="utf-8"><meta name="referrer" content="no-referrer"><title>Bowline</title><script>location.replace(${words})</script>\n`;
  writeFileSync(file, page, { mode: 0o600 });
  setTimeout(remove, keepMs).unref();
  return { isOpened: await openFile(file), remove };
}
