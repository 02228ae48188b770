/**
 * Runs `bowline demo`: plays a recorded session through the real agent and the chat, or with
 * `--duet` a recorded turn of both engines through the chat.
 *
 * The model's text and the tool results come from the tape; translation, permissions and
 * rendering are real, and the user answers the questions. Reads and writes no file of the
 * user and starts no program.
 */
import { tmpdir } from "node:os";
import { type AgentOptions, createAgent } from "../../agent/index.ts";
import { emptyStore } from "../../claude/engine/index.ts";
import { locateClaude } from "../../claude/index.ts";
import { acpTape, agentTapeLink, readRows } from "../../tape/index.ts";
import { type Link, type Schedule, realTimer, memoryPair } from "../../wire/index.ts";
import { chat } from "../chat/chat.ts";
import type { Frontend } from "../chat/frontend/frontend.ts";
import { promptHistory } from "../chat/input/prompt-history.ts";
import type { Theme } from "../chat/render/theme.ts";
import { detectFrontend } from "../chat/frontend/detect.ts";
import { approval } from "../chat/render/permission-prompt.ts";
import { wrap } from "../chat/render/text-width.ts";
import type { ProgramStreams } from "../command.ts";
import { printLine } from "../print.ts";
import { version } from "../../version.ts";
import duetTapeText from "./duet.ndjson.text.ts";
import { branchingLink, type BranchingTape, demoTapeText, readBranchingTape, recordedFile } from "./branching-tape.ts";

/** Delays are this much longer than recorded, so that the text can be read. */
const delayFactor = 1.6;
const typingMs = 28;
const pauseBeforeTypingMs = 700;

const slowly: Schedule = (delayMs, run) => realTimer(delayMs * delayFactor, run);

/** The prompt of the recorded duet. */
const duetPrompt = "Is the retry in src/fetch.js safe?";

/** Which recording is played: one of Claude with questions, or one of Claude and Codex. */
export type DemoRecording = "session" | "duet";

/** Resolves with the exit code. `program`: the command by which the user starts this program. */
export async function demo(
  terminal: ProgramStreams,
  program: string,
  recording: DemoRecording = "session",
): Promise<number> {
  const cwd = tmpdir();
  const detected = detectFrontend(terminal, {
    history: () => promptHistory(undefined),
    isShow: true,
    unattended: approval,
  });
  const { theme, drawn, frontend } = detected;
  const { prompt, ...played } = (recording === "duet" ? playDuet : playSession)(cwd, drawn !== undefined);
  return chat({
    source: { ...played, name: "a recorded session", explainExit: (reason) => reason },
    frontend:
      drawn === undefined ? withPrompts(frontend, [prompt]) : withTypedPrompt(drawn, drawn.type.bind(drawn), prompt),
    theme,
    cwd,
    greeting: greeting(theme),
    startLimitMs: 10_000,
    echoes: true,
    howToSignIn: () => "a recording needs no sign-in",
    warn: (sentence) => void printLine(terminal.stderr, `bowline: ${sentence}`),
    farewell: farewell(theme, terminal.env, program),
  });
}

/** A recording that plays: the link to its agent, and the prompt that was recorded. */
interface PlayedRecording {
  readonly link: Link;
  readonly prompt: string;
  readonly stopped: () => Promise<void>;
}

/** Plays the Claude CLI's side through the real agent. */
function playSession(cwd: string, isPaced: boolean): PlayedRecording {
  const tape = readBranchingTape(demoTapeText(), cwd);
  const [agentEnd, link] = memoryPair();
  const { stop } = createAgent(agentEnd, agentOptions(tape, isPaced));
  return { link, prompt: tape.prompt.text, stopped: () => stop("the demo is over") };
}

/** Plays the agent's side of a turn with both engines. */
function playDuet(_cwd: string, isPaced: boolean): PlayedRecording {
  const rows = readRows(duetTapeText());
  const link = agentTapeLink(acpTape(rows), isPaced ? { after: slowly } : {});
  return { link, prompt: duetPrompt, stopped: () => Promise.resolve() };
}

function agentOptions(tape: BranchingTape, isPaced: boolean): AgentOptions {
  return {
    launcher: () => ({ link: branchingLink(tape, isPaced ? { after: slowly } : {}), ready: () => {} }),
    after: realTimer,
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

function greeting({ paint, columns }: Theme): readonly string[] {
  const what =
    "Claude Code and Codex in your editor, in the terminal and on a web page, over the Agent Client Protocol.";
  return wrap(`${paint.bold(`Bowline ${version}`)}: ${what} ${paint.dim("This is a recorded session.")}`, columns());
}

function farewell({ paint, columns }: Theme, env: ProgramStreams["env"], program: string): readonly string[] {
  const chatLine = paint.bold(paint.cyan(`${program} chat`));
  const editorLine = paint.bold(paint.cyan(`${program} install zed`));
  const next = hasClaude(env)
    ? `Claude Code is installed here: ${chatLine} starts a real conversation, ${editorLine} sets up an editor.`
    : `With Claude Code installed (npm install -g @anthropic-ai/claude-code), ${chatLine} is a real conversation and ${editorLine} sets up an editor.`;
  return ["", ...wrap("That was a recording, shown by Bowline's own chat.", columns()), ...wrap(next, columns()), ""];
}

function hasClaude(env: ProgramStreams["env"]): boolean {
  try {
    locateClaude({ env });
    return true;
  } catch {
    return false;
  }
}
