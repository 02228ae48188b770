/**
 * Defines `bowline chat`: a conversation with an agent in this terminal.
 */
import { splitCommand } from "../chat/agent-source.ts";
import { runChat } from "../chat/run-chat.ts";
import { command } from "../command.ts";
import { readNumber, WrongUsage } from "../argv.ts";

/** Long, because `npx some-agent` downloads the agent the first time. */
const defaultWaitSeconds = 60;
const maxWaitSeconds = 3600;
const maxWords = 10_000;

export const chatCommand = command({
  name: "chat",
  summary: "talk to Claude Code, or to any other agent, in this terminal",
  operands: "[prompt] [-- <agent command>]",
  operandCount: [0, maxWords],
  takesProgram: "optional",
  about: [
    "A conversation in the terminal: streamed text, plans, tool calls with their diffs and output, and questions that you answer by a key (y, a, n or a number). Ctrl-C stops the agent, a second one leaves. Shift-Tab changes the mode, Ctrl-O the model; /help tells the rest.",
    "Without more words it talks to the Claude Code installed on this machine. With --agent, or a command after --, it starts any other program that speaks the Agent Client Protocol and talks to that.",
    "Where stdin is no terminal, each of its lines is a prompt and every question is answered with no. Where stdout is no terminal, the output is plain text.",
  ],
  options: {
    "--agent": {
      value: "<command>",
      short: "-a",
      about: "the agent to start, as one command line (no shell reads it)",
    },
    "--continue": { short: "-c", about: "go on with the last conversation in this directory" },
    "--resume": { value: "<session>", about: "go on with this conversation" },
    "--mode": { value: "<mode>", about: "the mode to begin in, e.g. plan or acceptEdits" },
    "--model": { value: "<model>", about: "the model to begin with" },
    "--thoughts": { about: "show thoughts whole instead of in one line" },
    "--quiet": { short: "-q", about: "print nothing but what the agent says" },
    "--wait": { value: "<seconds>", about: `how long the agent may take to start (${defaultWaitSeconds})` },
    "--no-history": { about: "neither read nor keep what you type" },
  },
  environment: {
    BOWLINE_CLAUDE: "the path of the Claude CLI; else it is looked for on PATH",
    NO_COLOR: "any text: no colours",
    FORCE_COLOR: "1: colours also in a pipe",
    XDG_STATE_HOME: "where the history is kept, in bowline/chat-history.jsonl (~/.local/state)",
  },
  examples: [
    { line: "bowline chat", about: "talk to Claude Code in this directory" },
    { line: 'bowline chat "why does the build fail?"', about: "begin with a prompt" },
    { line: "bowline chat -- gemini --experimental-acp", about: "talk to another agent" },
    { line: 'echo "sum up README.md" | bowline chat --quiet > summary.md', about: "one prompt, its answer in a file" },
  ],
  exitCodes: {
    0: "you left; in a pipe: every prompt was answered",
    1: "the agent could not be reached, is gone, or failed a prompt in a pipe; stderr says why",
  },
  seeAlso: ["demo", "login", "doctor"],
  run: ({ options, operands, program }, terminal) => {
    const words = agentWords(options["--agent"], program);
    const wait = options["--wait"];
    const settings = { mode: options["--mode"], model: options["--model"] };
    const seconds =
      wait === undefined ? defaultWaitSeconds : readNumber("--wait", wait, 0.1, maxWaitSeconds, "seconds");
    const isContinued = options["--continue"] || options["--resume"] !== undefined;
    return runChat(terminal, {
      program: words,
      self: programName(),
      startLimitMs: seconds * 1000,
      first: operands.length === 0 ? undefined : operands.join(" "),
      settings,
      resume: isContinued ? { sessionId: options["--resume"] } : undefined,
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

/** The command by which the user starts this program, for hints. */
export function programName(): string {
  return process.argv[1]?.endsWith(".ts") === true ? "npm run bowline" : "bowline";
}
