/**
 * `npm test [-- word...]`: runs the specs; words select them by path.
 *
 * The specs are bundled first, with their common code in shared chunks: each spec has a
 * process of its own, and loading its modules one by one would cost each half a second
 * (two minutes for all of them). `node --import tsx --test <spec>` runs one spec as
 * quickly. At the end the slowest spec files are named.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { bundleSpecs } from "./support/bundle-specs.ts";
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

const reporter = "spec/support/slowest-files.ts";
await bundleSpecs({ root, specs: [...specs, reporter], outdir: bundled });

const bundleOf = (path: string): string => join(bundled, path.replace(/\.ts$/, ".mjs"));
const files = specs.map(bundleOf);
const reporters = ["tap", bundleOf(reporter)].flatMap((name) => [
  `--test-reporter=${name}`,
  "--test-reporter-destination=stdout",
]);
const child = spawn(
  process.execPath,
  ["--enable-source-maps", "--test", `--test-concurrency=${concurrency}`, ...reporters, ...files],
  { stdio: "inherit", cwd: root },
);
const [code] = await once(child, "exit");
process.exitCode = code ?? 1;
