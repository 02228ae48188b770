/**
 * A copy of `bowline` as it is shipped, for one spec file.
 *
 * The program takes ten times as long to start from its sources, and specs start it
 * often. It runs from its sources only for coverage.
 */
import { copyFileSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { currentProgram } from "./program-build.ts";

const root = fileURLToPath(new URL("../../", import.meta.url));

/** A directory for this spec file's programs, removed when the spec ends. */
export const programDirectory: string = realpathSync(mkdtempSync(join(tmpdir(), "bowline-programs-")));
process.on("exit", () => rmSync(programDirectory, { recursive: true, force: true }));

/** The single file. */
export const builtProgram: string = join(programDirectory, "bowline.mjs");
const current = currentProgram();
copyFileSync(current, builtProgram);
copyFileSync(`${current}.map`, `${builtProgram}.map`);

/** The arguments with which Node runs the program. */
export const programArgs: readonly string[] =
  process.env["NODE_V8_COVERAGE"] === undefined ? [builtProgram] : ["--import", "tsx", `${root}bin/bowline.ts`];
