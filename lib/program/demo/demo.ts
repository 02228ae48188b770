/**
 * Runs `bowline demo`: plays a recorded session through the real agent and the chat.
 *
 * The model's text and the tool results come from the tape; translation, permissions and
 * rendering are real, and the user answers the questions. Reads and writes no file of the
 * user and starts no program.
 */
import { tmpdir } from "node:os";
import { type AgentOptions, createAgent } from "../../agent/index.ts";
import { emptyStore } from "../../claude/engine/index.ts";
import { locateClaude } from "../../claude/index.ts";
import { type Schedule, wallClock, memoryPair } from "../../wire/index.ts";
import { chat } from "../chat/chat.ts";
import type { Frontend } from "../chat/frontend/frontend.ts";
import { promptHistory } from "../chat/input/prompt-history.ts";
import type { Theme } from "../chat/render/theme.ts";
import { detectFrontend } from "../chat/frontend/detect.ts";
import { approval } from "../chat/render/permission-prompt.ts";
import { wrap } from "../chat/render/text-width.ts";
import type { Terminal } from "../command.ts";
import { printLine } from "../print.ts";
import { branchingLink, type BranchingTape, demoTapeText, readBranchingTape, recordedFile } from "./branching-tape.ts";

/** Delays are this much longer than recorded, so that the text can be read. */
const delayFactor = 1.6;
const typingMs = 28;
const pauseBeforeTypingMs = 700;

/** Resolves with the exit code. `program`: the command by which the user starts this program. */
export async function demo(terminal: Terminal, program: string): Promise<number> {
  const cwd = tmpdir();
  const tape = readBranchingTape(demoTapeText(), cwd);
  const detected = detectFrontend(terminal, {
    history: () => promptHistory(undefined),
    isShow: true,
    unattended: approval,
  });
  const { theme, drawn, frontend } = detected;
  const [agentEnd, clientEnd] = memoryPair();
  const { stop } = createAgent(agentEnd, agentOptions(tape, drawn !== undefined));
  return chat({
    source: {
      link: clientEnd,
      name: "a recorded session",
      explainExit: (reason) => reason,
      stopped: () => stop("the demo is over"),
    },
    frontend:
      drawn === undefined
        ? withPrompts(frontend, [tape.prompt.text])
        : withTypedPrompt(drawn, drawn.type.bind(drawn), tape.prompt.text),
    theme,
    cwd,
    where: "a recorded session",
    startLimitMs: 10_000,
    echoes: true,
    howToSignIn: () => "a recording needs no sign-in",
    warn: (sentence) => void printLine(terminal.stderr, `bowline: ${sentence}`),
    farewell: farewell(theme, terminal.env, program),
  });
}

function agentOptions(tape: BranchingTape, isPaced: boolean): AgentOptions {
  const after: Schedule = (delayMs, run) => wallClock(delayMs * delayFactor, run);
  return {
    launcher: () => ({ link: branchingLink(tape, isPaced ? { after } : {}), ready: () => {} }),
    after: wallClock,
    env: {},
    program: { command: "bowline", args: [] },
    store: emptyStore,
    prewarms: false,
    mayBypass: false,
    textOf: (path) => recordedFile(tape, path),
  };
}

/** Submits the prompts one after the other, and leaves. */
function withPrompts(frontend: Frontend, prompts: readonly string[]): Frontend {
  const left = [...prompts];
  return { ...frontend, next: () => Promise.resolve(left.shift()) };
}

/** Types the prompt visibly, submits it, and leaves after its turn. */
function withTypedPrompt(
  frontend: Frontend,
  type: (text: string, everyMs: number) => Promise<void>,
  prompt: string,
): Frontend {
  let isTyped = false;
  const next = async (): Promise<string | undefined> => {
    if (isTyped) return undefined;
    isTyped = true;
    await Promise.race([frontend.left, new Promise((resolve) => setTimeout(resolve, pauseBeforeTypingMs))]);
    await Promise.race([frontend.left, type(prompt, typingMs)]);
    return frontend.next();
  };
  return { ...frontend, next };
}

function farewell({ paint, columns }: Theme, env: Terminal["env"], program: string): readonly string[] {
  const chatLine = paint.bold(paint.cyan(`${program} chat`));
  const next = hasClaude(env)
    ? `Claude Code is installed here: ${chatLine} starts a real conversation.`
    : `With Claude Code installed (npm install -g @anthropic-ai/claude-code), ${chatLine} is a real conversation.`;
  return [
    "",
    ...wrap("That was a recording, played through the whole agent.", columns()),
    ...wrap(next, columns()),
    "",
  ];
}

function hasClaude(env: Terminal["env"]): boolean {
  try {
    locateClaude({ env });
    return true;
  } catch {
    return false;
  }
}
