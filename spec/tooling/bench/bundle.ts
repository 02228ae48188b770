/**
 * Bundles the library, the program and the bench's own child programs into single files
 * in a temporary directory.
 *
 * Everything is measured as it is shipped, with the options of build.mjs, and never from
 * a dist that is older than its sources. The peers' programs are bundled in the same
 * way.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type BuildOptions } from "esbuild";

export type Bowline = typeof import("../../../lib/index.ts");

const programs = {
  "claude-tap": "programs/claude-tap.ts",
  "agent-floor": "programs/agent-floor.ts",
  "agent-official": "programs/agent-official.ts",
  "echo-floor": "programs/echo-floor.ts",
  "pipe-floor": "programs/pipe-floor.ts",
  "prompt-floor": "programs/prompt-floor.ts",
  "echo-ours": "programs/echo-ours.ts",
  "echo-websocket": "programs/echo-websocket.ts",
  "echo-official": "programs/echo-official.ts",
  "echo-vscode": "programs/echo-vscode.ts",
  "flood-ours": "programs/flood-ours.ts",
  "flood-official": "programs/flood-official.ts",
  "stuck-ours": "programs/stuck-ours.ts",
  "stuck-official": "programs/stuck-official.ts",
  "stuck-vscode": "programs/stuck-vscode.ts",
} as const;

export type ProgramName = keyof typeof programs | "bowline";

export interface Bundles {
  readonly bowline: Bowline;
  readonly program: (name: ProgramName) => string;
}

/** Makes all bundles and gives the directory they are in, which is the caller's to remove. */
export async function makeBundles(): Promise<string> {
  const directory = mkdtempSync(join(tmpdir(), "bowline-bench-"));
  const common: BuildOptions = {
    bundle: true,
    platform: "node",
    format: "esm",
    target: "node20",
    legalComments: "none",
    logLevel: "warning",
    outdir: directory,
    outExtension: { ".js": ".mjs" },
  };
  await Promise.all([
    build({ ...common, entryPoints: { [library]: here("../../../lib/index.ts") } }),
    build({ ...common, minify: true, entryPoints: entries(isModule) }),
    build({ ...common, minify: true, entryPoints: entries((name) => !isModule(name)), banner: { js: requireBanner } }),
  ]);
  execFileSync(process.execPath, [here("../../../build.mjs"), "--program", join(directory, "bowline.mjs")]);
  return directory;
}

export async function openBundles(directory: string): Promise<Bundles> {
  return {
    bowline: (await import(pathToFileURL(join(directory, `${library}.mjs`)).href)) as Bowline,
    program: (name) => join(directory, `${name}.mjs`),
  };
}

const library = "index";

/** vscode-jsonrpc is CommonJS and asks for Node's modules by `require`, which an ES module lacks. */
const requireBanner = 'import { createRequire } from "node:module"; const require = createRequire(import.meta.url);';

function isModule(name: string): boolean {
  return !name.endsWith("-vscode");
}

function entries(isWanted: (name: string) => boolean): Record<string, string> {
  return Object.fromEntries(
    Object.entries(programs)
      .filter(([name]) => isWanted(name))
      .map(([name, path]) => [name, here(path)]),
  );
}

function here(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
