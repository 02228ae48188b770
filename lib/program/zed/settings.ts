/**
 * Settings: Zed's settings file, where it is and how it is changed.
 */
import { mkdirSync, readFileSync, realpathSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { dirname, isAbsolute, join } from "node:path";
import { codeOf } from "../../wire/index.ts";
import { CommandFailure } from "../command.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** More than any person writes. */
const maxSettingsBytes = 4 * 1024 * 1024;

/** Where Zed looks for it on this system. */
export function settingsFile(env: Environment, platform: NodeJS.Platform, home: string): string {
  if (platform === "win32") return join(env["APPDATA"] ?? join(home, "AppData", "Roaming"), "Zed", "settings.json");
  const { FLATPAK_XDG_CONFIG_HOME, XDG_CONFIG_HOME } = env;
  const given = platform === "darwin" ? undefined : [FLATPAK_XDG_CONFIG_HOME, XDG_CONFIG_HOME].find(isSet);
  return join(given ?? join(home, ".config"), "zed", "settings.json");
}

/** Empty when there is no file yet. */
export function readSettings(path: string): string {
  try {
    if (statSync(path).size > maxSettingsBytes) throw new CommandFailure(`${path} is too large to be settings`);
    return readFileSync(path, "utf8");
  } catch (cause) {
    if (cause instanceof CommandFailure) throw cause;
    if (codeOf(cause) === "ENOENT") return "";
    throw new CommandFailure(`${path} cannot be read (${codeOf(cause)})`, { cause });
  }
}

/**
 * The whole file or none of it, and only when it still is as it was. A link stays a
 * link: what it points to is changed.
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
