/**
 * Built program: `bowline` as it is shipped, made once for each spec file.
 *
 * A program from its sources takes ten times as long to start, and specs start many.
 * Only where lines are counted does it run from the sources.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A directory for this spec file's programs, gone when it ends. */
export const programDirectory: string = realpathSync(mkdtempSync(join(tmpdir(), "bowline-programs-")));
process.on("exit", () => rmSync(programDirectory, { recursive: true, force: true }));

/** The single file. */
export const builtProgram: string = join(programDirectory, "bowline.mjs");
execFileSync(process.execPath, [`${root}build.mjs`, "--program", builtProgram]);

/** What Node is started with to run it. */
export const programArgs: readonly string[] =
  process.env["NODE_V8_COVERAGE"] === undefined ? [builtProgram] : ["--import", "tsx", `${root}bin/bowline.ts`];
