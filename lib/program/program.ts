/**
 * Selects the command that argv names and runs it.
 *
 * Exit code 0: success; 1: the command failed; 2: the command line is invalid. Without
 * a command the program is the agent, because editors start it without arguments.
 */
import { version } from "../version.ts";
import { closestMatch } from "./closest-match.ts";
import { type Command, runCommand, type ProgramStreams, withHelpHint } from "./command.ts";
import { agentCommand } from "./commands/agent.ts";
import { bridgeCommand } from "./commands/bridge.ts";
import { chatCommand } from "./commands/chat.ts";
import { checkCommand } from "./commands/check.ts";
import { connectCommand } from "./commands/connect.ts";
import { completionCommand } from "./commands/completion.ts";
import { costsCommand } from "./commands/costs.ts";
import { demoCommand } from "./commands/demo.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { installCommand } from "./commands/install.ts";
import { expectCommand } from "./commands/expect.ts";
import { guardCommand } from "./commands/guard.ts";
import { loginCommand } from "./commands/login.ts";
import { inspectCommand } from "./commands/inspect.ts";
import { packetsCommand } from "./commands/packets.ts";
import { playCommand } from "./commands/play.ts";
import { recordCommand } from "./commands/record.ts";
import { replayCommand } from "./commands/replay.ts";
import { serveCommand } from "./commands/serve.ts";
import { sessionsCommand } from "./commands/sessions.ts";
import { tapCommand } from "./commands/tap.ts";
import { traceCommand } from "./commands/trace.ts";
import { upgradeCommand } from "./commands/upgrade.ts";
import { zedCommand } from "./commands/zed.ts";
import { helpPage, overview } from "./help.ts";
import { printLine, printText } from "./print.ts";

/** Every command, in the order a newcomer needs them. */
export const commands: readonly Command[] = [
  chatCommand,
  demoCommand,
  agentCommand,
  loginCommand,
  serveCommand,
  connectCommand,
  packetsCommand,
  bridgeCommand,
  checkCommand,
  doctorCommand,
  installCommand,
  zedCommand,
  sessionsCommand,
  costsCommand,
  playCommand,
  expectCommand,
  guardCommand,
  tapCommand,
  traceCommand,
  recordCommand,
  replayCommand,
  inspectCommand,
  upgradeCommand,
  completionCommand,
];

const summary =
  "bowline: Claude Code and Codex in editors that speak the Agent Client Protocol (ACP), in the terminal and on a web page";

/** What a user reads who types `bowline` alone in a terminal, where no editor is connected. */
const introduction = `Bowline ${version} runs Claude Code and Codex in editors that speak the Agent Client
Protocol (ACP), in this terminal and on a web page.

  bowline chat     talk to Claude Code here
  bowline demo     watch a recorded session; needs no account
  bowline zed      set up the editor Zed; other editors start "bowline"
  bowline serve    open a web page for your sessions
  bowline doctor   check this machine
  bowline --help   all commands
`;

/** Resolves with the exit code. */
export async function runProgram(argv: readonly string[], terminal: ProgramStreams): Promise<number> {
  const [first = "agent", ...rest] = argv;
  if (argv.length === 0 && terminal.stdin.isTTY === true) return print(terminal, introduction);
  if (first === "--help" || first === "-h" || first === "help") return help(terminal, rest[0]);
  if (first === "--version" || first === "-v" || first === "version") return print(terminal, `${version}\n`);
  const [name, words] = first.startsWith("-") ? ["agent", argv] : [first, rest];
  const command = commands.find((one) => one.name === name);
  if (command === undefined) return unknown(terminal, name);
  return asksForHelp(words) ? print(terminal, helpPage(command)) : runCommand(command, words, terminal);
}

function help(terminal: ProgramStreams, name: string | undefined): number {
  if (name === undefined || name === "help")
    return print(terminal, overview(summary, commands, agentCommand.environment));
  const command = commands.find((one) => one.name === name);
  return command === undefined ? unknown(terminal, name) : print(terminal, helpPage(command));
}

function unknown({ stderr }: ProgramStreams, name: string): number {
  const meant = closestMatch(name, [...commands.map((one) => one.name), "help", "version"]);
  const hint = meant === undefined ? "" : `; did you mean ${meant}?`;
  printLine(stderr, `bowline: ${withHelpHint(`unknown command ${JSON.stringify(name)}${hint}`, "")}`);
  return 2;
}

/** Arguments after `--` belong to another program and are not searched for `--help`. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const own = end === -1 ? words : words.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

function print({ stdout }: ProgramStreams, text: string): number {
  printText(stdout, text);
  return 0;
}
