/**
 * Detects whether the configuration that a CLI reads at its start has changed since that start.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { configDirectory, type Environment } from "../../index.ts";

/** Names below the user's configuration directory and below the project's `.claude`. */
const configNames = ["settings.json", "agents", "commands", "skills", "plugins", "output-styles"];

/**
 * A string that changes when the files change that a CLI reads at its start in `cwd`.
 * Made of inodes, times and sizes; no file is opened.
 */
export function configFingerprint(env: Environment, cwd: string): string {
  const user = configDirectory(env);
  const project = join(cwd, ".claude");
  const paths = [
    join(cwd, ".mcp.json"),
    join(project, "settings.local.json"),
    ...configNames.flatMap((name) => [join(user, name), join(project, name)]),
  ];
  // The directory may have been deleted and created again under the same name.
  return [statSync(cwd, { throwIfNoEntry: false })?.ino, ...paths.map(fileFingerprint)].join(" ");
}

function fileFingerprint(path: string): string {
  try {
    const { mtimeMs, size, ino } = statSync(path);
    return `${ino}:${mtimeMs}:${size}`;
  } catch {
    return "-";
  }
}
