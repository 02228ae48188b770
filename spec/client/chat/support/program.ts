/**
 * The program as a person starts it, and agents to talk to.
 *
 * Bundled once for each spec file: a program from its sources takes ten times as long
 * to start, and these specs start many.
 */
import { spawn } from "node:child_process";
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const out = realpathSync(mkdtempSync(join(tmpdir(), "bowline-programs-")));
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

const sources = [
  "bin/bowline.ts",
  ...["scripted", "misbehaving", "official"].map((name) => `spec/client/chat/support/agents/${name}.ts`),
];
await Promise.all(
  sources.map((source) =>
    build({
      entryPoints: [`${root}${source}`],
      outfile: join(out, basename(source).replace(/ts$/, "mjs")),
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "error",
    }),
  ),
);
copyFileSync(`${root}lib/client/demo/tape.ndjson`, join(out, "tape.ndjson"));

/** `bowline <words>`. */
export function bowline(...words: readonly string[]): readonly string[] {
  return [process.execPath, join(out, "bowline.mjs"), ...words];
}

/** An agent of the specs, as a command. */
export function specAgent(
  name: "scripted" | "misbehaving" | "official",
  ...words: readonly string[]
): readonly string[] {
  return [process.execPath, join(out, `${name}.mjs`), ...words];
}

export interface Run {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

export interface RunOptions {
  readonly input?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** Its input stays open. */
  readonly keepsInput?: boolean;
}

/** Runs a command over pipes, to its end. */
export function runPlain([command = "", ...args]: readonly string[], options: RunOptions = {}): Promise<Run> {
  const { input = "", env = {}, cwd, keepsInput = false } = options;
  const own = { ...process.env, NO_COLOR: undefined, FORCE_COLOR: undefined, ...env };
  const child = spawn(command, args, { cwd, env: own, stdio: "pipe" });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  child.stdin.on("error", () => {});
  child.stdin.write(input);
  if (!keepsInput) child.stdin.end();
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => resolve({ code, stdout, stderr }));
  });
}
