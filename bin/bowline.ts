#!/usr/bin/env node
/**
 * Bowline's program: argv to one command, and its exit code.
 *
 * 0 when it did its work, 1 when it could not, 2 when it was called wrongly.
 */
import { spawnSync } from "node:child_process";
import { serveClaude, signInProgram } from "../lib/agent/index.ts";
import { serveBridge } from "../lib/bridge/index.ts";
import { demo } from "../lib/client/index.ts";
import { version } from "../lib/version.ts";

const usage = `bowline: Claude Code in any editor that speaks the Agent Client Protocol

usage:
  bowline [agent] [--legacy]   serve the agent on stdin and stdout; editors start it so
  bowline bridge [--callback-timeout <seconds>]
                               many Claude sessions for a program, as JSON lines on stdin and stdout
  bowline login                sign in to Claude Code, in a terminal
  bowline demo                 an example agent and a client, talking in this terminal
  bowline --version
  bowline --help

options of the agent:
  --legacy                     also speak the dialect of 2025 (models, current_model_update)
  --edits-in-editor            read and write files through the editor, where it can
  --commands-in-editor         run commands in the editor's terminals, where it can

options of the bridge:
  --callback-timeout <seconds> how long a permission or a hook waits for its answer (300; 0: for ever)

environment:
  BOWLINE_CLAUDE               the path of the Claude CLI; else it is looked for on PATH
  BOWLINE_AUTO_RESUME          1: a directory's first session continues its last conversation
  BOWLINE_PREWARM              0: no CLI is started before a session asks for one
  BOWLINE_EDITS                1: as --edits-in-editor
  BOWLINE_COMMANDS             1: as --commands-in-editor
  BOWLINE_IDLE_MINUTES         how long a session keeps its CLI without a prompt (30; 0: for ever)
`;

/** The longest a timer can be. */
const maxTimerSeconds = 2_147_483;
const agentFlags: readonly string[] = ["--legacy", "--edits-in-editor", "--commands-in-editor"];

process.exitCode = await main(process.argv.slice(2));

async function main(argv: readonly string[]): Promise<number> {
  const [command = "agent", ...rest] = argv[0]?.startsWith("--") && !isAbout(argv[0]) ? ["agent", ...argv] : argv;
  // A terminal sign-in adds its word to whatever the agent is started with.
  if (rest.includes("login")) return login();
  switch (command) {
    case "agent":
      return agent(rest);
    case "bridge":
      return bridge(rest);
    case "login":
      return rest.length > 0 ? wrongUsage("login takes no arguments") : login();
    case "demo":
      if (rest.length > 0) return wrongUsage("demo takes no arguments");
      await demo((text) => process.stdout.write(text));
      return 0;
    case "--version":
      process.stdout.write(`${version}\n`);
      return 0;
    case "--help":
      process.stdout.write(usage);
      return 0;
    default:
      return wrongUsage(`unknown command ${JSON.stringify(command)}`);
  }
}

function agent(flags: readonly string[]): Promise<number> | number {
  const unknown = flags.find((flag) => !agentFlags.includes(flag));
  if (unknown !== undefined) return wrongUsage(`unknown option ${JSON.stringify(unknown)}`);
  const { BOWLINE_AUTO_RESUME, BOWLINE_PREWARM, BOWLINE_EDITS, BOWLINE_COMMANDS } = process.env;
  const idle = process.env["BOWLINE_IDLE_MINUTES"];
  const restMinutes = idle === undefined || idle === "" ? undefined : Number(idle);
  if (restMinutes !== undefined && !(restMinutes >= 0))
    return wrongUsage("BOWLINE_IDLE_MINUTES must be a number of minutes");
  return serveClaude({
    isLegacy: flags.includes("--legacy"),
    settings: {
      autoResume: isOn(BOWLINE_AUTO_RESUME ?? "0"),
      edits: flags.includes("--edits-in-editor") || isOn(BOWLINE_EDITS ?? "0"),
      commands: flags.includes("--commands-in-editor") || isOn(BOWLINE_COMMANDS ?? "0"),
    },
    keepsWarm: isOn(BOWLINE_PREWARM ?? "1"),
    restMs: restMinutes === undefined ? undefined : restMinutes * 60_000,
  });
}

function bridge(flags: readonly string[]): Promise<number> | number {
  const [flag, ...values] = flags.flatMap((word) => word.split(/(?<=^--[a-z-]+)=/));
  if (flag === undefined) return serveBridge({});
  if (flag !== "--callback-timeout") return wrongUsage(`unknown option ${JSON.stringify(flag)}`);
  const seconds = Number(values[0]?.trim() || NaN);
  if (values.length !== 1 || !(seconds >= 0 && seconds <= maxTimerSeconds))
    return wrongUsage("--callback-timeout must be a number of seconds");
  return serveBridge({ callbackTimeoutMs: Math.ceil(seconds * 1000) });
}

function isOn(value: string): boolean {
  return value !== "" && value !== "0" && value !== "false";
}

function login(): number {
  try {
    const { command, args } = signInProgram(process.env);
    return spawnSync(command, args, { stdio: "inherit" }).status ?? 1;
  } catch (cause) {
    process.stderr.write(`bowline: ${cause instanceof Error ? cause.message : "signing in failed"}\n`);
    return 1;
  }
}

function isAbout(word: string): boolean {
  return word === "--version" || word === "--help";
}

function wrongUsage(why: string): number {
  process.stderr.write(`bowline: ${why}; see bowline --help\n`);
  return 2;
}
