/**
 * `npm test [-- word...]`: runs the specs; words select them by path.
 *
 * The specs are bundled first, with their common code in shared chunks: each spec has a
 * process of its own, and loading its modules one by one would cost each half a second
 * (two minutes for all of them). `node --import tsx --test <spec>` runs one spec as
 * quickly.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync, rmSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { build, type Plugin } from "esbuild";
import { filesBelow } from "./support/files.ts";

const root = fileURLToPath(new URL("..", import.meta.url));
const bundled = join(root, ".cache", "specs");
/** More than there are cores: many specs wait for programs they have started. */
const concurrency = 4;

const words = process.argv.slice(2);
const specs = filesBelow(["spec"], ".spec.ts").filter(
  (path) => words.length === 0 || words.some((word) => path.includes(word)),
);
if (specs.length === 0) {
  process.stderr.write(`no spec has ${words.join(" or ")} in its path\n`);
  process.exit(2);
}

/** Makes `import.meta` of a bundled module point to its source file. */
const originalPaths: Plugin = {
  name: "original paths",
  setup: ({ onLoad }) => {
    onLoad({ filter: /\.ts$/ }, ({ path: filename }) => {
      const original = { url: pathToFileURL(filename).href, dirname: dirname(filename), filename };
      const contents = readFileSync(filename, "utf8").replaceAll(
        /\bimport\.meta\.(url|dirname|filename)\b/g,
        (_, key: keyof typeof original) => JSON.stringify(original[key]),
      );
      return { contents, loader: "ts" };
    });
  },
};

rmSync(bundled, { recursive: true, force: true });
await build({
  absWorkingDir: root,
  entryPoints: [...specs],
  outdir: bundled,
  outbase: root,
  outExtension: { ".js": ".mjs" },
  bundle: true,
  splitting: true,
  packages: "external",
  platform: "node",
  format: "esm",
  target: "node20",
  sourcemap: "linked",
  logLevel: "warning",
  plugins: [originalPaths],
});

const files = specs.map((path) => join(bundled, path.replace(/\.ts$/, ".mjs")));
const child = spawn(
  process.execPath,
  ["--enable-source-maps", "--test", `--test-concurrency=${concurrency}`, ...files],
  { stdio: "inherit", cwd: root },
);
const [code] = await once(child, "exit");
process.exitCode = code ?? 1;
