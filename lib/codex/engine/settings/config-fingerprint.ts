/**
 * A text that changes whenever a configuration file of Codex changes.
 *
 * Covers the files from which Codex reads the configuration of a directory: the user's, the
 * system's, and those of the directory and of all directories above it.
 */
import { statSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import type { Environment } from "../../../process/index.ts";

export function codexHome(env: Environment): string {
  const named = env["CODEX_HOME"];
  return named === undefined || named === "" ? join(env["HOME"] ?? homedir(), ".codex") : named;
}

export function configFingerprint(env: Environment, cwd: string): string {
  const home = codexHome(env);
  return fingerprint([
    ...["config.toml", "managed_config.toml", "auth.json", "AGENTS.md"].map((name) => join(home, name)),
    ...["config.toml", "managed_config.toml", "requirements.toml"].map((name) => join(systemDirectory(env), name)),
    ...withParents(cwd).map((directory) => join(directory, ".codex", "config.toml")),
    join(cwd, "AGENTS.md"),
  ]);
}

/** Changes when one of the files is written, created or deleted. */
export function fingerprint(files: readonly string[]): string {
  return files.map((path) => `${path} ${changeOf(path) ?? "-"}`).join("\n");
}

/** Where the administrator of the machine configures Codex. */
function systemDirectory(env: Environment): string {
  if (process.platform !== "win32") return "/etc/codex";
  return join(env["ProgramData"] ?? "C:\\ProgramData", "OpenAI", "Codex");
}

function withParents(directory: string): readonly string[] {
  const parent = dirname(directory);
  return parent === directory ? [directory] : [directory, ...withParents(parent)];
}

/** Another text whenever the file is written or replaced; undefined when there is no file. */
export function changeOf(path: string): string | undefined {
  try {
    const { mtimeNs, ctimeNs, ino, size } = statSync(path, { bigint: true });
    return `${mtimeNs} ${ctimeNs} ${ino} ${size}`;
  } catch {
    return undefined;
  }
}
