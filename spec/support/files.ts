/**
 * Finds and reads the project's own sources, by path from its root.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../..", import.meta.url));

/** The files below these folders whose names end so, sorted, with forward slashes. */
export function filesBelow(folders: readonly string[], ending: string): readonly string[] {
  return folders
    .flatMap((folder) =>
      readdirSync(join(root, folder), { recursive: true, encoding: "utf8" }).map((name) => `${folder}/${name}`),
    )
    .map((path) => path.replaceAll("\\", "/"))
    .filter((path) => path.endsWith(ending))
    .sort();
}

export function readText(path: string): string {
  return readFileSync(join(root, path), "utf8");
}
