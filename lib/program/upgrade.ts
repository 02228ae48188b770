/**
 * Finds out how this program was installed, and whether a newer version exists.
 *
 * Nothing is asked unless the user asks. The question goes through the user's npm, with
 * its registry and proxy settings; it sends the package's name and nothing else.
 */
import { isOlder, readVersion } from "../claude/index.ts";
import { isSingleExecutable, spawnProgram } from "../wire/index.ts";
import { version } from "../version.ts";
import { releaseInfo } from "./zed/release-info.ts";

export type Installation = "npx" | "npm package" | "single executable" | "file";

/** How long npm may take to answer. */
const npmLimitMs = 20_000;
const maxAnswerChars = 4096;

export function installationOf(script: string, isExecutable: boolean = isSingleExecutable()): Installation {
  if (isExecutable) return "single executable";
  if (/[\\/]_npx[\\/]/.test(script)) return "npx";
  return /[\\/]node_modules[\\/]/.test(script) ? "npm package" : "file";
}

/** How the user gets another version. */
export function howToUpgrade(installation: Installation, wanted = "latest"): string {
  switch (installation) {
    case "npx":
      return `npx ${releaseInfo.id}@${wanted}`;
    case "npm package":
      return `npm install -g ${releaseInfo.id}@${wanted}`;
    case "single executable":
    case "file":
      return `download it from ${releaseInfo.repository}/releases`;
  }
}

export type NewestVersion =
  | { readonly kind: "newest" }
  | { readonly kind: "newer"; readonly version: string }
  | { readonly kind: "unknown"; readonly why: string };

/** Compares this version with the one that `ask` returns. */
export async function newestVersion(ask: () => Promise<string> = askNpm): Promise<NewestVersion> {
  const answer = await ask().catch((cause: unknown) => (cause instanceof Error ? cause : new Error("npm failed")));
  if (answer instanceof Error) return { kind: "unknown", why: answer.message };
  const told = answer.trim();
  const [own, found] = [readVersion(version), readVersion(told)];
  // The user may copy it into a shell, so it must be a version and nothing else.
  if (own === undefined || found === undefined || !/^[\d.]+(?:[-+][\w.+-]+)?$/.test(told))
    return { kind: "unknown", why: "npm did not answer with a version" };
  return isOlder(own, found) ? { kind: "newer", version: told } : { kind: "newest" };
}

async function askNpm(): Promise<string> {
  const child = spawnProgram("npm", ["view", releaseInfo.id, "version"]);
  child.stdin.end();
  child.stderr.resume();
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => (text = (text + chunk).slice(0, maxAnswerChars)));
  const timer = setTimeout(() => child.kill("SIGKILL"), npmLimitMs);
  try {
    const code = await new Promise<number | null>((resolve, reject) => {
      child.once("error", () => reject(new Error("npm could not be started")));
      child.once("close", resolve);
    });
    if (code !== 0) throw new Error("npm knows no such package, or could not reach its registry");
    return text;
  } finally {
    clearTimeout(timer);
  }
}
