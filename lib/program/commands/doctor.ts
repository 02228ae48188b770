/**
 * Defines `bowline doctor`: checks this machine and prints what to fix.
 */
import { homedir } from "node:os";
import { command, type ProgramStreams } from "../command.ts";
import type { CheckResult } from "../doctor/check-outcome.ts";
import { runChecks } from "../doctor/doctor.ts";
import { reportStyle, type TextStyle } from "../ansi.ts";
import { oneLine, printJson, printText } from "../print.ts";
import { selfCommand } from "../self-command.ts";
import { version } from "../../version.ts";

export const doctorCommand = command({
  name: "doctor",
  summary: "check this machine for problems, and say what to do about them",
  about: [
    "Checks Node, the Claude Code and Codex CLIs with their versions and sign-in, the directories that are needed, PATH, misspelt environment variables and processes or files left by earlier runs, and starts the agent once to see that it answers.",
    "If only one of the two CLIs is installed, the missing one is mentioned and does not count as a failure.",
    "It sends no prompt and changes nothing. The home directory is shown as ~, and values of variables are not shown, so that the output can be pasted into a bug report.",
  ],
  options: { "--json": { about: "print the results as JSON" } },
  environment: {
    BOWLINE_CLAUDE: "path of the Claude CLI (default: searched on PATH)",
    BOWLINE_ROUTE: "claude or codex: the CLI that must be installed (default: the one that bowline agent would use)",
    CODEX_EXECUTABLE: "path of the Codex CLI (default: searched on PATH)",
    CODEX_PATH: "the same, where CODEX_EXECUTABLE is not set",
    CODEX_HOME: "Codex's directory (default ~/.codex)",
    NO_COLOR: "1: no colours",
  },
  exitCodes: { 0: "no check fails; there may be warnings", 1: "a check fails" },
  examples: [{ line: "bowline doctor --json > doctor.json", about: "for a bug report" }],
  seeAlso: ["login", "check"],
  run: async ({ options }, { stdout, env }) => {
    const signs = await checkThisMachine(env);
    const platform = `${process.platform} ${process.arch}`;
    const isWell = signs.every(({ status }) => status !== "fail");
    const report = { version, platform, isWell, signs };
    if (options["--json"]) printJson(stdout, `${JSON.stringify(report, null, 2)}\n`);
    else printText(stdout, page(signs, platform, reportStyle(stdout, env)));
    return isWell ? 0 : 1;
  },
});

/** The findings as Markdown, for the agent's command `/setup`. */
export async function describeSetup(env: ProgramStreams["env"]): Promise<string> {
  const signs = await checkThisMachine(env);
  const lines = signs.map(({ name, status, says, advice }) => {
    const next = advice === undefined ? "" : ` ${oneLine(advice)}`;
    return `- ${status === "ok" ? "" : `**${status}** `}${name}: ${oneLine(says)}${next}`;
  });
  return `Bowline ${version} on ${process.platform} ${process.arch}\n\n${lines.join("\n")}`;
}

async function checkThisMachine(env: ProgramStreams["env"]): Promise<readonly CheckResult[]> {
  const { commands } = await import("../index.ts");
  const variables = [...new Set(commands.flatMap(({ environment = {} }) => Object.keys(environment)))];
  // The command line of this process, without its arguments.
  const program = selfCommand();
  const found = await runChecks({ env, nodeVersion: process.versions.node, program, variables });
  return found.map((sign) => withTilde(sign, env["HOME"] || homedir()));
}

const nameWidth = 13;
const colours = { ok: "green", warn: "yellow", fail: "red" } as const;

function page(signs: readonly CheckResult[], platform: string, paint: TextStyle): string {
  const lines = signs.map(({ name, status, says, advice }) => {
    const next = advice === undefined ? "" : `${" ".repeat(nameWidth + 8)}${paint.bold(oneLine(advice))}\n`;
    return `${paint[colours[status]](status.padEnd(4))}  ${name.padEnd(nameWidth)}  ${oneLine(says)}\n${next}`;
  });
  return `bowline ${version} on ${platform}\n\n${lines.join("")}\n${verdict(signs)}\n`;
}

/** The last line of the report. */
export function verdict(signs: readonly Pick<CheckResult, "status">[]): string {
  const count = (wanted: CheckResult["status"]): number => signs.filter(({ status }) => status === wanted).length;
  const [failed, warned] = [count("fail"), count("warn")];
  const warnings = warned === 0 ? "" : `${warned} ${warned === 1 ? "warning" : "warnings"}`;
  if (failed > 0)
    return `${failed} ${failed === 1 ? "check fails" : "checks fail"}${warnings && `, ${warnings}`}. Do what the report says below each, then run bowline doctor again.`;
  return warnings === "" ? "No problems were found." : `${warnings}, no failures: Bowline can be used.`;
}

/** Replaces the home directory by ~. */
function withTilde({ says, advice, ...sign }: CheckResult, home: string): CheckResult {
  const short = (text: string): string => (home.length > 1 ? text.replaceAll(home, "~") : text);
  return { ...sign, says: short(says), ...(advice !== undefined && { advice: short(advice) }) };
}
