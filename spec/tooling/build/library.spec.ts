/**
 * The library as it is shipped: its subpaths share their classes, and a bundler leaves
 * out what a program does not import.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { pathToFileURL } from "node:url";
import { buildSync } from "esbuild";
import { filesBelow, readText } from "../../support/files.ts";

/** The size of an agent that imports `agent` and nothing else. */
const maxAgentBytes = 60_000;

const scratch = mkdtempSync(join(tmpdir(), "bowline-library-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
execFileSync(process.execPath, ["build.mjs", "--library", join(scratch, "lib")]);
writeFileSync(join(scratch, "package.json"), JSON.stringify({ type: "module", sideEffects: false }));

const entry = (name: string): string => join(scratch, "lib", name);

function bundled(contents: string): number {
  const { outputFiles } = buildSync({
    stdin: { contents, resolveDir: scratch },
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    write: false,
  });
  return outputFiles[0]?.contents.length ?? 0;
}

describe("the built library", { timeout: 120_000 }, () => {
  it("an agent that imports `agent` from bowline is bundled into less than 60 KB", () => {
    const bytes = bundled(`import { agent } from ${JSON.stringify(entry("index.js"))}; console.log(agent);`);
    assert.ok(bytes > 10_000 && bytes < maxAgentBytes, `${bytes} bytes`);
  });

  it("all subpaths of the library can be loaded, and share their classes", async () => {
    const load = (name: string): Promise<Record<string, unknown>> => import(pathToFileURL(entry(name)).href);
    const names = ["index.js", ...["agent", "bridge", "claude", "packets", "tape"].map((name) => `exports/${name}.js`)];
    const loaded = await Promise.all(names.map(load));
    for (const [i, exported] of loaded.entries()) assert.ok(Object.keys(exported).length > 2, names[i]);
    const [bowline, agents] = loaded;
    assert.ok(typeof bowline?.["memoryPair"] === "function" && typeof bowline["AgentConnection"] === "function");
    assert.ok(typeof agents?.["createAgent"] === "function");
    const [near] = bowline["memoryPair"]();
    const { connection, stop } = agents["createAgent"](near, { prewarms: false, env: {} });
    assert.ok(connection instanceof bowline["AgentConnection"]);
    await stop("done");
  });

  it("the entry points of the library and of the modules name what they export", () => {
    const paths = filesBelow(["lib"], ".ts").filter((path) => /(?:^|\/)index\.ts$|^lib\/exports\//.test(path));
    assert.ok(paths.length > 15);
    for (const path of paths) assert.doesNotMatch(readText(path), /^export \*/m, path);
  });
});
