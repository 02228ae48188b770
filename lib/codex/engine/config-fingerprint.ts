/**
 * A text that changes when one of the files changes from which Codex reads the
 * configuration of a directory.
 */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import type { Environment } from "../../process/index.ts";

export function codexHome(env: Environment): string {
  const named = env["CODEX_HOME"];
  return named === undefined || named === "" ? join(env["HOME"] ?? homedir(), ".codex") : named;
}

export function configFingerprint(env: Environment, cwd: string): string {
  const home = codexHome(env);
  const files = [
    join(home, "config.toml"),
    join(home, "auth.json"),
    join(home, "AGENTS.md"),
    join(cwd, ".codex", "config.toml"),
    join(cwd, "AGENTS.md"),
  ];
  return files.map((path) => `${path} ${changeOf(path)}`).join("\n");
}

function changeOf(path: string): string {
  try {
    const { mtimeMs, size } = statSync(path);
    return `${mtimeMs} ${size}`;
  } catch {
    return "-";
  }
}
