/**
 * Run options: the agent's live tests with edits through the editor, with commands
 * in its terminals, and with both.
 *
 * `npm run test:live:options [-- 10|01|11...] [name...]`: the first digit is edits,
 * the second commands; names select files. Without the options is `npm run test:live`.
 */
import { spawnSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

/** They play without the agent, or with another client in front of it. */
const others = /^(bridge.*|chat|check|client|doctor|harness|history|packets|serve|tapes)\.live\.ts$/;

const words = process.argv.slice(2);
const given = words.filter((word) => /^[01]{2}$/.test(word));
const names = words.filter((word) => !given.includes(word));
const directory = fileURLToPath(new URL(".", import.meta.url));
const files = readdirSync(directory).filter((file) => {
  const isWanted = names.length === 0 || names.includes(file.replace(/\.live\.ts$/, ""));
  return file.endsWith(".live.ts") && !others.test(file) && isWanted;
});
if (files.length === 0) throw new Error("no live test has such a name");

const failed: string[] = [];
for (const combination of given.length > 0 ? given : ["10", "01", "11"]) {
  const [BOWLINE_EDITS, BOWLINE_COMMANDS] = combination;
  process.stdout.write(`\n== edits ${BOWLINE_EDITS}, commands ${BOWLINE_COMMANDS}: ${files.length} files\n`);
  const args = ["--import", "tsx", "--test", "--test-concurrency=2", ...files.map((file) => `${directory}${file}`)];
  const { status } = spawnSync(process.execPath, args, {
    stdio: "inherit",
    env: { ...process.env, BOWLINE_EDITS, BOWLINE_COMMANDS },
  });
  if (status !== 0) failed.push(combination);
}
if (failed.length > 0) {
  process.stderr.write(`failed with ${failed.join(", ")}\n`);
  process.exitCode = 1;
}
