/**
 * Passes the real CLI's streams through and notes when text leaves it.
 *
 * Started where an adapter expects the CLI, it writes the time of each chunk with a
 * delta to a file, in nanoseconds of the clock that all processes share.
 */
import { spawn } from "node:child_process";
import { appendFileSync } from "node:fs";

const { TAPPED_CLAUDE: claude = "", TAPPED_TIMES: times = "" } = process.env;

const child = spawn(claude, process.argv.slice(2), { stdio: ["inherit", "pipe", "inherit"] });
child.stdout.on("data", (chunk: Buffer) => {
  const at = process.hrtime.bigint();
  process.stdout.write(chunk);
  if (chunk.includes('"content_block_delta"')) appendFileSync(times, `${at}\n`);
});
child.on("exit", (code) => process.exit(code ?? 1));
