/**
 * The program as a person starts it, and agents to talk to.
 *
 * Bundled once for each spec file: a program from its sources takes ten times as long
 * to start, and these specs start many.
 */
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
