/**
 * Program: argv to one command, and its exit code.
 *
 * 0 when it did its work, 1 when it could not, 2 when it was called wrongly. Without
 * a command it is the agent, since editors start it so.
 */
import { version } from "../version.ts";
import { type Command, CommandFailure, type Terminal } from "./command.ts";
import { agentCommand } from "./commands/agent.ts";
import { bridgeCommand } from "./commands/bridge.ts";
import { demoCommand } from "./commands/demo.ts";
import { loginCommand } from "./commands/login.ts";
import { recordCommand } from "./commands/record.ts";
import { replayCommand } from "./commands/replay.ts";
import { tapCommand } from "./commands/tap.ts";
import { manualOf, overview } from "./manual.ts";
import { WrongUsage } from "./words.ts";

/** Every command, in the order a newcomer needs them. */
export const commands: readonly Command[] = [
  agentCommand,
  loginCommand,
  demoCommand,
  bridgeCommand,
  tapCommand,
  recordCommand,
  replayCommand,
];

const summary = "bowline: Claude Code in any editor that speaks the Agent Client Protocol";

/** Resolves with the exit code. */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  const [first = "agent", ...rest] = argv;
  if (first === "--help" || first === "-h" || first === "help") return print(terminal, helpFor(rest[0]));
  if (first === "--version") return print(terminal, `${version}\n`);
  const [name, words] = first.startsWith("-") ? ["agent", argv] : [first, rest];
  const command = commands.find((one) => one.name === name);
  try {
    if (command === undefined) throw new WrongUsage(`unknown command ${JSON.stringify(name)}`);
    if (asksForHelp(words)) return print(terminal, manualOf(command));
    return await command.run(words, terminal);
  } catch (cause) {
    if (!(cause instanceof WrongUsage || cause instanceof CommandFailure)) throw cause;
    const isWrong = cause instanceof WrongUsage;
    const page = command === undefined ? "" : `${command.name} `;
    terminal.stderr.write(`bowline: ${cause.message}${isWrong ? `; see bowline ${page}--help` : ""}\n`);
    return isWrong ? 2 : 1;
  }
}

function helpFor(name: string | undefined): string {
  const command = commands.find((one) => one.name === name);
  return command === undefined ? overview(summary, commands, agentCommand.environment) : manualOf(command);
}

/** Words after `--` are another program's. */
function asksForHelp(words: readonly string[]): boolean {
  const end = words.indexOf("--");
  const own = end === -1 ? words : words.slice(0, end);
  return own.includes("--help") || own.includes("-h");
}

function print({ stdout }: Terminal, text: string): number {
  stdout.write(text);
  return 0;
}
