/**
 * The program as a person starts it, and agents to talk to.
 *
 * Built once for each spec file, as it is shipped: a program from its sources takes ten
 * times as long to start, and these specs start many.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
const out = realpathSync(mkdtempSync(join(tmpdir(), "bowline-programs-")));
process.on("exit", () => rmSync(out, { recursive: true, force: true }));

execFileSync(process.execPath, [`${root}build.mjs`, "--program", join(out, "bowline.mjs")]);
await Promise.all(
  ["scripted", "misbehaving", "official"].map((name) =>
    build({
      entryPoints: [`${root}spec/client/chat/support/agents/${name}.ts`],
      outfile: join(out, `${name}.mjs`),
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "error",
    }),
  ),
);

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
