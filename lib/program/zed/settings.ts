/**
 * Finds, reads and writes Zed's settings file.
 */
import { mkdirSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import type { Environment } from "../../process/index.ts";
import { codeOf } from "../../wire/index.ts";
import { CommandFailure } from "../command.ts";
import { NotSmallFile, readSmallFile } from "../small-file.ts";

/** Larger files are refused. */
const maxSettingsBytes = 4 * 1024 * 1024;

/** The path where Zed looks for its settings. */
export function settingsFile(env: Environment, platform: NodeJS.Platform, home: string): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Zed", "settings.json");
  const { FLATPAK_XDG_CONFIG_HOME, XDG_CONFIG_HOME } = env;
  const given = platform === "darwin" ? undefined : [FLATPAK_XDG_CONFIG_HOME, XDG_CONFIG_HOME].find(isSet);
  return join(given ?? join(home, ".config"), "zed", "settings.json");
}

/** "" when there is no file yet. */
export function readSettings(path: string): string {
  try {
    return readSmallFile(path, { maxBytes: maxSettingsBytes, followsLinks: true });
  } catch (cause) {
    if (cause instanceof NotSmallFile)
      throw new CommandFailure(`${path} cannot be read: it ${cause.message}`, { cause });
    if (codeOf(cause) === "ENOENT") return "";
    throw new CommandFailure(`${path} cannot be read (${codeOf(cause)})`, { cause });
  }
}

/**
 * Replaces the file atomically, and only if it has not changed since `before` was read.
 * A symbolic link stays a link; its target is replaced.
 */
export function writeSettings(path: string, before: string, after: string): void {
  if (readSettings(path) !== before) throw new CommandFailure(`${path} has changed meanwhile; run it again`);
  try {
    mkdirSync(dirname(path), { recursive: true });
    const isThere = before !== "" || statSync(path, { throwIfNoEntry: false }) !== undefined;
    const target = isThere ? realpathSync(path) : path;
    const draft = `${target}.${process.pid}.tmp`;
    try {
      writeFileSync(draft, after, { mode: isThere ? statSync(target).mode : 0o600, flag: "wx" });
      renameSync(draft, target);
    } catch (cause) {
      rmSync(draft, { force: true });
      throw cause;
    }
  } catch (cause) {
    throw new CommandFailure(`${path} cannot be written (${codeOf(cause)}); nothing was changed`, { cause });
  }
}

function isSet(directory: string | undefined): directory is string {
  return directory !== undefined && isAbsolute(directory);
}
