/**
 * Runs `bowline check`: starts the agent command in an empty directory, tests the rules
 * and prints the report.
 */
import { existsSync, mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { McpServer } from "../../acp/index.ts";
import { childLink } from "../../wire/index.ts";
import { CommandFailure, type ProgramStreams } from "../command.ts";
import { reportStyle } from "../ansi.ts";
import { printJson, printProgress, printText } from "../print.ts";
import { check } from "./check.ts";
import { writeSharedFile } from "../write-file.ts";
import { isConformant, json, junit, table } from "./report.ts";
import type { Rule } from "./rule.ts";

export interface RunOptions {
  readonly command: string;
  readonly args: readonly string[];
  readonly rules: readonly Rule[];
  readonly limitMs: number;
  readonly prompt: string | undefined;
  readonly authMethod: string | undefined;
  readonly isPrompting: boolean;
  readonly isJson: boolean;
  /** A file for the findings as JUnit XML. */
  readonly junit: string | undefined;
  readonly showsStderr: boolean;
  readonly terminal: ProgramStreams;
}

/** Resolves with the exit code. */
export async function runCheck(options: RunOptions): Promise<number> {
  const { command, args, rules, limitMs, authMethod, terminal } = options;
  const { stdout, stderr, env } = terminal;
  const isLive = stderr.isTTY && !options.showsStderr;
  // Resolved, because agents report the real path.
  const scratchDirectory = mkdtempSync(join(realpathSync(tmpdir()), "bowline-check-"));
  const marker = join(scratchDirectory, "mcp");
  const start = () => {
    const link = childLink(command, args, {
      env,
      graceMs: limitMs,
      onStderr: (text) => options.showsStderr && printText(stderr, text),
    });
    if (link.pid === undefined) throw new CommandFailure(`could not start ${command}: is it installed and on PATH?`);
    return link;
  };
  try {
    const report = await check({
      rules,
      start,
      cwd: mkdtempSync(join(scratchDirectory, "project-")),
      limitMs,
      authMethod,
      prompts: options.isPrompting
        ? { short: options.prompt ?? shortPrompt, long: options.prompt ?? longPrompt }
        : undefined,
      mcp: { server: mcpServer(marker), wasStarted: () => existsSync(marker) },
      onRule: ({ id }) => isLive && printProgress(stderr, id),
    });
    if (isLive) printProgress(stderr, "");
    if (options.junit !== undefined) writeSharedFile(options.junit, junit(report, rules));
    if (options.isJson) printJson(stdout, json(report, rules));
    else printText(stdout, table(report, rules, reportStyle(stdout, env)));
    return isConformant(report.findings) ? 0 : 1;
  } finally {
    rmSync(scratchDirectory, { recursive: true, force: true, maxRetries: 5 });
  }
}

const shortPrompt = "Answer with the one word ready. Use no tools.";
const longPrompt = "Write the numbers from one to three hundred in words, one on each line. Use no tools.";

/** An MCP server without tools that creates the file `marker` when it is started. */
export function mcpServer(marker: string): McpServer {
  const script =
    'require("fs").writeFileSync(process.argv[1],"");require("readline").createInterface({input:process.stdin}).on("line",l=>{const m=JSON.parse(l);if(m.id!==undefined)console.log(JSON.stringify({jsonrpc:"2.0",id:m.id,result:m.method==="initialize"?{protocolVersion:m.params.protocolVersion,capabilities:{},serverInfo:{name:"bowline-check",version:"1"}}:{}}))})';
  return { name: "bowline-check", command: process.execPath, args: ["-e", script, marker], env: [] };
}
