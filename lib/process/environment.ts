/**
 * Selects what a CLI inherits from the user's environment.
 *
 * Every variable is passed on, because the commands a CLI runs need them, except those that
 * belong to Bowline, to npm's way of running scripts or to this Node process. On macOS the
 * short PATH of an editor that was started from the desktop is completed.
 */
import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The shape of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function inheritedEnvironment(
  user: Environment,
  platform: string = process.platform,
  exists: (directory: string) => boolean = existsSync,
): Map<string, string> {
  const inherited = new Map<string, string>();
  for (const [name, value] of Object.entries(user)) {
    if (value !== undefined && !isOurs(name)) inherited.set(name, value);
  }
  if (platform === "darwin" && isDesktopPath(user["PATH"])) {
    const added = desktopDirectories.map((one) => join(user["HOME"] ?? homedir(), one)).filter((one) => exists(one));
    const shared = sharedDirectories.filter((one) => exists(one));
    inherited.set("PATH", [user["PATH"], ...shared, ...added].join(":"));
  }
  return inherited;
}

/** Whether this is the PATH that macOS gives to programs started from the desktop: it has no program that a user installed. */
export function isDesktopPath(path: string | undefined): boolean {
  const system = ["/usr/bin", "/bin", "/usr/sbin", "/sbin"];
  return path !== undefined && path !== "" && path.split(":").every((one) => system.includes(one));
}

/** Where programs are that users install; they come after the system's, so nothing is replaced. */
const sharedDirectories = ["/opt/homebrew/bin", "/usr/local/bin"];
/** Below the home directory. */
const desktopDirectories = [".local/bin", ".npm-global/bin", ".volta/bin", ".bun/bin", ".cargo/bin"];

/** npm's own variables are in lower case; NPM_TOKEN and the like belong to the user. */
function isOurs(name: string): boolean {
  return (
    name.startsWith("BOWLINE_") ||
    name.startsWith("npm_") ||
    name === "NODE_OPTIONS" ||
    name.startsWith("NODE_CHANNEL_")
  );
}
