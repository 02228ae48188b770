/**
 * Defines `bowline chat`: a conversation with an agent in this terminal.
 */
import { statSync } from "node:fs";
import { resolve } from "node:path";
import { splitCommand } from "../chat/agent-source.ts";
import { runChat } from "../chat/run-chat.ts";
import { routes } from "../../agent/index.ts";
import { command } from "../command.ts";
import { readNumber, WrongUsage } from "../argv.ts";
import { continueVariables } from "../continue-settings.ts";
import { readRoute } from "../route-option.ts";

/** Long, because `npx some-agent` downloads the agent the first time. */
const defaultWaitSeconds = 60;
const maxWaitSeconds = 3600;
const maxWords = 10_000;

export const chatCommand = command({
  name: "chat",
  summary: "talk to Claude Code, Codex or any other agent in this terminal",
  operands: "[prompt] [-- <agent command>]",
  operandCount: [0, maxWords],
  takesProgram: "optional",
  about: [
    "A conversation in the terminal: streamed text, plans, tool calls with their diffs and output, and permission requests that you answer with a key (y or n, or arrows and Enter). Esc or Ctrl-C stops the agent, a second Ctrl-C leaves. @ attaches a file, ! runs a command in your shell, Shift-Tab changes the mode, Ctrl-O shows folded output; /help lists all commands and keys.",
    "By default it talks to the Claude Code or Codex installed on this machine. With --agent, or a command after --, it starts any other program that speaks the Agent Client Protocol and talks to that.",
    "When stdin is not a terminal, each line of it is a prompt and every permission request is refused. When stdout is not a terminal, the output is plain text.",
  ],
  options: {
    "--route": {
      value: "<engine>",
      about: "claude, codex, or duet for both (default: claude, or codex if only Codex is installed)",
      completes: [...routes],
    },
    "--agent": {
      value: "<command>",
      short: "-a",
      about: "command line of the agent to start (not run by a shell)",
    },
    "--continue": { short: "-c", about: "continue the last conversation in this directory" },
    "--resume": {
      value: "[session]",
      about: "continue this conversation; without a session a list of the saved ones opens",
    },
    "--cwd": { value: "<dir>", about: "work in this directory instead of the current one", completes: "directory" },
    "--mode": { value: "<mode>", about: "the mode at the start, e.g. plan or acceptEdits" },
    "--model": { value: "<model>", about: "the model at the start" },
    "--thoughts": { about: "show thoughts in full instead of in one line" },
    "--quiet": { short: "-q", about: "print only the agent's text" },
    "--wait": { value: "<seconds>", about: `how long the agent may take to start (default ${defaultWaitSeconds})` },
    "--no-history": { about: "neither read nor write the history of prompts" },
  },
  environment: {
    BOWLINE_ROUTE: "same as --route",
    BOWLINE_CLAUDE: "path of the Claude CLI (default: searched on PATH)",
    CODEX_EXECUTABLE: "path of the Codex CLI (default: searched on PATH)",
    ...continueVariables,
    NO_COLOR: "any value: no colours",
    FORCE_COLOR: "1: colours even in a pipe",
    XDG_STATE_HOME: "directory of the history file, bowline/chat-history.jsonl (default ~/.local/state)",
  },
  examples: [
    { line: "bowline chat", about: "talk to Claude Code in this directory" },
    { line: "bowline chat --route codex", about: "talk to Codex in this directory" },
    { line: 'bowline chat "why does the build fail?"', about: "start with a prompt" },
    { line: "bowline chat -- gemini --experimental-acp", about: "talk to another agent" },
    {
      line: 'echo "sum up README.md" | bowline chat --quiet > summary.md',
      about: "write the answer to one prompt to a file",
    },
  ],
  exitCodes: {
    0: "you left the chat; in a pipe: every prompt was answered and no permission refused",
    1: "the agent could not be started or ended early; in a pipe: a prompt failed or a permission was refused; stderr says why",
  },
  seeAlso: ["demo", "login", "doctor"],
  run: ({ options, operands, program }, terminal) => {
    const words = agentWords(options["--agent"], program);
    if (words !== undefined && options["--route"] !== undefined)
      throw new WrongUsage("--route chooses the engine of our own agent; leave it out for another agent");
    const wait = options["--wait"];
    const settings = { mode: options["--mode"], model: options["--model"] };
    const seconds =
      wait === undefined ? defaultWaitSeconds : readNumber("--wait", wait, 0.1, maxWaitSeconds, "seconds");
    const isContinued = options["--continue"] || options["--resume"] !== undefined;
    return runChat(terminal, {
      program: words,
      route: words === undefined ? readRoute(options["--route"], terminal.env) : undefined,
      self: programName(),
      startLimitMs: seconds * 1000,
      first: operands.length === 0 ? undefined : operands.join(" "),
      settings,
      resume: isContinued
        ? { sessionId: options["--resume"] || undefined, isPicked: options["--resume"] === "" }
        : undefined,
      cwd: readDirectory(options["--cwd"]),
      isQuiet: options["--quiet"],
      showsThoughts: options["--thoughts"],
      keepsHistory: !options["--no-history"],
    });
  },
});

/** The agent's command line, from --agent or from after --; undefined for our own agent. */
function agentWords(line: string | undefined, program: readonly string[] | undefined): readonly string[] | undefined {
  if (line !== undefined && program !== undefined)
    throw new WrongUsage("the agent is named twice, by --agent and after --");
  const words = line === undefined ? program : splitCommand(line);
  if (words?.length === 0) throw new WrongUsage("the agent's command is empty");
  return words;
}

function readDirectory(given: string | undefined): string | undefined {
  if (given === undefined) return undefined;
  const path = resolve(given);
  if (statSync(path, { throwIfNoEntry: false })?.isDirectory() !== true)
    throw new WrongUsage(`--cwd ${JSON.stringify(given)} is not a directory`);
  return path;
}

/** The command by which the user starts this program, for hints. */
export function programName(): string {
  return process.argv[1]?.endsWith(".ts") === true ? "npm run bowline --" : "bowline";
}
