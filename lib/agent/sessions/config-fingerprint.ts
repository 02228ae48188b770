/**
 * Configuration: a stamp of what a CLI reads when it starts.
 *
 * A session that waited while the user changed it would begin differently from a
 * new one. Names and times only; no file is opened.
 */
import { statSync } from "node:fs";
import { join } from "node:path";
import { configDirectory, type Environment } from "../../claude/index.ts";

/** Below the user's directory and the project's. */
const shared = ["settings.json", "agents", "commands", "skills", "plugins", "output-styles"];

/** Changes when a session in this directory would begin differently. */
export function configFingerprint(env: Environment, cwd: string): string {
  const user = configDirectory(env);
  const project = join(cwd, ".claude");
  const paths = [
    join(cwd, ".mcp.json"),
    join(project, "settings.local.json"),
    ...shared.flatMap((name) => [join(user, name), join(project, name)]),
  ];
  // The directory itself may have been made anew under its old name.
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
