/**
 * Runs the live tests, with each combination of the two editor options.
 *
 * `npm run test:live [-- 00|10|01|11...] [name...] [--again]`: the first digit is edits
 * through the editor, the second commands in its terminals. A name selects the file
 * `<name>.live.ts`, in any folder. With `--again` the files that failed get one more run,
 * alone: they wait for real programs, and a machine may be busy.
 */
import { basename } from "node:path";
import { run } from "node:test";
import { tap } from "node:test/reporters";
import { filesBelow } from "../support/files.ts";
import slowestFiles from "../support/runner/slowest-files.ts";
import { fileURLToPath } from "node:url";

/** Test files that do not use the agent, use another client, or set the options themselves: the run's options do not affect them. */
const others =
  /^(bridge.*|chat|check|client|codex.*|comparison|doctor|harness|history|other-agents|packets|page-attack|serve|tapes)\.live\.ts$/;

const words = process.argv.slice(2);
const combinations = words.filter((word) => /^[01]{2}$/.test(word));
const names = words.filter((word) => !combinations.includes(word) && word !== "--again");
const root = fileURLToPath(new URL("../../", import.meta.url));
const all = filesBelow(["spec/live"], ".live.ts");
const wanted = all.filter((file) => names.length === 0 || names.includes(basename(file, ".live.ts")));
if (wanted.length === 0) {
  process.stderr.write(`no live test is called ${names.join(" or ")}\n`);
  process.exit(2);
}

const failed: string[] = [];
for (const combination of combinations.length > 0 ? combinations : ["00"]) {
  const [edits = "0", commands = "0"] = combination;
  Object.assign(process.env, { BOWLINE_EDITS: edits, BOWLINE_COMMANDS: commands });
  const files = combination === "00" ? wanted : wanted.filter((file) => !others.test(basename(file)));
  process.stdout.write(`\n== edits ${edits}, commands ${commands}: ${files.length} files\n`);
  let bad = await failing(files, 2);
  if (bad.length > 0 && words.includes("--again")) {
    process.stdout.write(`\n== once more: ${bad.join(", ")}\n`);
    bad = await failing(bad, 1);
  }
  failed.push(...bad.map((file) => `${file} (edits ${edits}, commands ${commands})`));
}
if (failed.length > 0) {
  process.stderr.write(`failed: ${failed.join(", ")}\n`);
  process.exitCode = 1;
}

/** The files in which a test failed. */
async function failing(files: readonly string[], concurrency: number): Promise<readonly string[]> {
  const bad = new Set<string>();
  const stream = run({ files: files.map((file) => `${root}${file}`), concurrency });
  stream.on("test:fail", ({ file }) => {
    const name = files.find((one) => file?.endsWith(one));
    bad.add(name ?? "a file that cannot be told");
  });
  const times = stream.compose(slowestFiles);
  for await (const line of stream.compose(tap)) process.stdout.write(line);
  for await (const line of times) process.stdout.write(line);
  return [...bad];
}
