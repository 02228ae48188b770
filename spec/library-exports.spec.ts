/**
 * The library's entry points: what programs import from them is explained where an editor
 * shows it, and `bowline/packets` can be bundled for a web page.
 */
import assert from "node:assert/strict";
import { join } from "node:path";
import { describe, it } from "node:test";
import { build } from "esbuild";
import { filesBelow, readText } from "./support/files.ts";

const root = join(import.meta.dirname, "..");
const entryPoints = ["index", "agent", "bridge", "claude", "packets", "tape"].map((name) =>
  name === "index" ? "lib/index.ts" : `lib/exports/${name}.ts`,
);
/** Internal functions with the name of an exported one. */
const namesakes: ReadonlySet<string> = new Set(["lib/codex/translate/fold.ts"]);
/** Minified; 38 KB when this was written. */
const maxPacketsBytes = 60_000;

/** Minified, each import alone; 17 and 37 KB when this was written. */
const maxSingleBytes = { block: 25_000, agent: 50_000 } as const;

/** The values, not the types, that an entry point exports. */
function valuesOf(path: string): readonly string[] {
  const lists = [...readText(path).matchAll(/export \{([^}]*)\}/g)].map(([, names = ""]) => names);
  return lists.flatMap((names) => names.split(",").map((name) => name.trim())).filter((name) => /^\w+$/.test(name));
}

describe("the library's entry points", () => {
  it("every function and class that programs import has a doc comment", () => {
    const names = new Set(entryPoints.flatMap(valuesOf));
    const bare: string[] = [];
    for (const path of filesBelow(["lib"], ".ts").filter((one) => !namesakes.has(one))) {
      const lines = readText(path).split("\n");
      lines.forEach((line, i) => {
        const [, name = ""] = /^export (?:abstract )?(?:async )?(?:function\*?|class) (\w+)/.exec(line) ?? [];
        if (names.has(name) && lines[i - 1]?.endsWith("*/") !== true) bare.push(`${path}: ${name}`);
      });
    }
    assert.ok(names.size > 200, `${names.size} names`);
    assert.deepEqual(bare, []);
  });

  for (const [name, maxBytes] of Object.entries(maxSingleBytes)) {
    it(`a bundle with ${name} alone has no more of the library than ${name} needs`, async () => {
      const { outputFiles } = await build({
        stdin: { contents: `export { ${name} } from "./lib/index.ts";`, resolveDir: root },
        bundle: true,
        minify: true,
        platform: "node",
        format: "esm",
        write: false,
        logLevel: "silent",
      });
      const bytes = outputFiles[0]?.contents.length ?? 0;
      assert.ok(bytes > 100 && bytes < maxBytes, `${bytes} bytes`);
    });
  }

  it("bowline/packets can be bundled for a browser, without a module of Node", async () => {
    const { outputFiles, metafile } = await build({
      stdin: { contents: 'export { PacketHistory, PacketStream } from "./lib/exports/packets.ts";', resolveDir: root },
      bundle: true,
      minify: true,
      platform: "browser",
      format: "esm",
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const inputs = Object.keys(metafile.inputs).filter((path) => path.startsWith("node:"));
    assert.deepEqual(inputs, []);
    const bytes = outputFiles[0]?.contents.length ?? 0;
    assert.ok(bytes > 1000 && bytes < maxPacketsBytes, `${bytes} bytes`);
  });
});
