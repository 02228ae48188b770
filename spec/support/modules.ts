/**
 * The modules of lib: which ones each may import, and which ones each imports.
 */
import { dirname, join } from "node:path";
import { filesBelow, readText } from "./files.ts";

/** Each module, and the modules it may import. */
export const allowedImports: Readonly<Record<string, readonly string[]>> = {
  schema: [],
  wire: [],
  rpc: ["schema", "wire"],
  acp: ["schema", "rpc"],
  process: ["wire"],
  display: ["schema", "acp"],
  engine: ["wire", "acp", "display"],
  claude: ["schema", "wire", "process", "acp", "display", "engine"],
  codex: ["schema", "wire", "process", "acp", "display", "engine"],
  tape: ["wire"],
  "editor-tools": "schema wire acp process display claude version".split(" "),
  agent: "schema wire rpc acp process display engine claude codex tape editor-tools version".split(" "),
  bridge: ["schema", "wire", "process", "claude"],
  packets: ["schema", "acp"],
  hub: ["schema", "wire", "rpc", "acp"],
  serve: ["schema", "wire", "rpc", "acp", "hub", "packets", "agent"],
  exports: ["agent", "claude", "display", "engine", "bridge", "packets", "tape"],
  program:
    "schema wire rpc acp process display engine claude codex tape editor-tools agent bridge hub packets serve version".split(
      " ",
    ),
};

export interface Source {
  readonly path: string;
  readonly module: string;
  readonly text: string;
}

/** The files of lib and bin whose names have this ending. A file directly below lib is in the module "index". */
export function sourcesNamed(ending: string): readonly Source[] {
  return filesBelow(["lib", "bin"], ending).map((path) => ({
    path,
    module: path.startsWith("bin/") ? "bin" : (/^lib\/([^/]+)\//.exec(path)?.[1] ?? "index"),
    text: readText(path),
  }));
}

/** The targets of a file's imports and re-exports, as written. */
export function importsOf(text: string): readonly string[] {
  const matches = text.matchAll(
    /^(?:import|export)\b[^"'`;]*?from "([^"]+)";|\bimport\("([^"]+)"\)|^import "([^"]+)";/gm,
  );
  return [...matches].map(([, from, dynamic, bare]) => from ?? dynamic ?? bare ?? "");
}

/** The module that a relative import of the file at `path` leads to. */
export function importedModule(path: string, target: string): string {
  const resolved = join(dirname(path), target).replaceAll("\\", "/");
  return /^lib\/([^/.]+)/.exec(resolved)?.[1] ?? resolved;
}

/** Each module with the other modules that its files import. */
export function moduleImports(): ReadonlyMap<string, ReadonlySet<string>> {
  const imports = new Map<string, Set<string>>();
  for (const { path, module, text } of sourcesNamed(".ts")) {
    const imported = imports.get(module) ?? new Set();
    imports.set(module, imported);
    for (const target of importsOf(text)) {
      const other = target.startsWith(".") ? importedModule(path, target) : module;
      if (other !== module) imported.add(other);
    }
  }
  return imports;
}
