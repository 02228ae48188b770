/**
 * The command line of the program as a user starts it, and agents for it.
 */
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { build } from "esbuild";
import { builtProgram, programDirectory } from "../../built-program.ts";

const root = fileURLToPath(new URL("../../../../", import.meta.url));
await Promise.all(
  ["scripted", "misbehaving", "official"].map((name) =>
    build({
      entryPoints: [`${root}spec/support/program/chat/agents/${name}.ts`],
      outfile: join(programDirectory, `${name}.mjs`),
      bundle: true,
      platform: "node",
      format: "esm",
      target: "node20",
      logLevel: "error",
    }),
  ),
);

/** The command line of `bowline <words>`. */
export function bowline(...words: readonly string[]): readonly string[] {
  return [process.execPath, builtProgram, ...words];
}

/** An agent of the specs, as a command. */
export function specAgent(
  name: "scripted" | "misbehaving" | "official",
  ...words: readonly string[]
): readonly string[] {
  return [process.execPath, join(programDirectory, `${name}.mjs`), ...words];
}
