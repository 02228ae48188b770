/**
 * Turns: what the scripted agent does with a prompt, by the prompt's first word.
 *
 * What a turn learns from the client it says back as JSON in one message, so a
 * spec sees the client through the agent's eyes.
 */
import { type PromptRequest, type StopReason, update } from "../../lib/index.ts";
import { codeOf, untilAborted } from "./portable.ts";
import { linkOf, permission, requestForm, sessionForm, updates } from "./samples.ts";
import type { Stage } from "./stage.ts";

interface Turn {
  readonly stage: Stage;
  readonly sessionId: string;
  readonly prompt: PromptRequest["prompt"];
  /** The words after the first. */
  readonly words: readonly string[];
  readonly signal: AbortSignal;
}

/** Plays the turn a prompt names. */
export async function playTurn(
  stage: Stage,
  { sessionId, prompt }: PromptRequest,
  signal: AbortSignal,
): Promise<StopReason> {
  const [name = "", ...words] = prompt[0]?.type === "text" ? prompt[0].text.split(" ") : [];
  const play = turns.get(name);
  if (play === undefined) throw stage.fail(-32602, `no turn is called ${name}`);
  return (await play({ stage, sessionId, prompt, words, signal })) ?? "end_turn";
}

type Play = (turn: Turn) => Promise<StopReason | void>;

const turns: ReadonlyMap<string, Play> = new Map<string, Play>([
  ["updates", sendEverything],
  ["echo", echo],
  ["stop", async ({ words }) => words[0] as StopReason],
  ["flood", flood],
  ["permission", askPermission],
  ["files", useFiles],
  ["terminal", useTerminal],
  ["form", sendForm],
  ["link", sendLink],
  ["wait", waitForCancel],
  ["probe", probe],
  ["take-back", takeBack],
  ["bug", breakDown],
  ["print", printLine],
  ["die", async () => process.exit(7)],
]);

async function sendEverything({ stage, sessionId }: Turn): Promise<void> {
  for (const one of updates) await stage.update(sessionId, one);
}

async function echo({ stage, sessionId, prompt }: Turn): Promise<void> {
  for (const block of prompt.slice(1)) await stage.update(sessionId, update.agentMessage(block));
}

async function flood({ stage, sessionId, words }: Turn): Promise<void> {
  const count = Number(words[0]);
  for (let i = 0; i < count; i++) await stage.update(sessionId, update.agentMessage(String(i)));
}

/** Does not take the question back when cancelled: the client has to answer it. */
async function askPermission(turn: Turn): Promise<void> {
  const { stage, sessionId, signal } = turn;
  const { outcome } = await stage.call("session/request_permission", { sessionId, ...permission });
  await say(turn, outcome);
  signal.throwIfAborted();
}

async function useFiles(turn: Turn): Promise<void> {
  const { stage, sessionId } = turn;
  const all = await stage.call("fs/read_text_file", { sessionId, path: "/notes.txt" });
  const part = await stage.call("fs/read_text_file", { sessionId, path: "/notes.txt", line: 2, limit: 1 });
  const content = all.content.toUpperCase();
  const written = await stage.call("fs/write_text_file", { sessionId, path: "/loud.txt", content });
  await say(turn, { all, part, written });
}

async function useTerminal(turn: Turn): Promise<void> {
  const { stage, sessionId } = turn;
  const { terminalId } = await stage.call("terminal/create", {
    sessionId,
    command: "serve",
    args: ["--port", "0"],
    env: [{ name: "LANG", value: "C" }],
    cwd: "/tmp",
    outputByteLimit: 1024,
  });
  const terminal = { sessionId, terminalId };
  const running = await stage.call("terminal/output", terminal);
  // Asked before it can be answered: the exit comes with the kill.
  const exit = stage.call("terminal/wait_for_exit", terminal);
  const killed = await stage.call("terminal/kill", terminal);
  const exited = await exit;
  const final = await stage.call("terminal/output", terminal);
  const released = await stage.call("terminal/release", terminal);
  const afterwards = await codeFrom(stage.call("terminal/output", terminal));
  await say(turn, { running, killed, exited, final, released, afterwards });
}

async function sendForm(turn: Turn): Promise<void> {
  const form = turn.words[0] === "request" ? requestForm : sessionForm(turn.sessionId);
  await say(turn, await turn.stage.call("elicitation/create", form));
}

async function sendLink(turn: Turn): Promise<void> {
  const { stage, sessionId } = turn;
  const answer = await stage.call("elicitation/create", linkOf(sessionId));
  stage.tell("elicitation/complete", { elicitationId: "link-1" });
  await say(turn, answer);
}

async function waitForCancel({ stage, sessionId, signal }: Turn): Promise<void> {
  await stage.update(sessionId, update.agentMessage("waiting"));
  try {
    await untilAborted(signal);
  } finally {
    await stage.update(sessionId, update.agentMessage("stopped"));
  }
}

/** What the client answers to what it does not know or cannot read. */
async function probe(turn: Turn): Promise<void> {
  const { stage, sessionId } = turn;
  await say(turn, {
    unknownExtension: await codeFrom(stage.ask("_x/unknown", {})),
    unknownMethod: await codeFrom(stage.ask("session/unheard_of", {})),
    wrongParams: await codeFrom(stage.ask("fs/read_text_file", { sessionId, path: 5 })),
    noOptions: await codeFrom(stage.ask("session/request_permission", { sessionId, toolCall: permission.toolCall })),
    missingFile: await codeFrom(stage.call("fs/read_text_file", { sessionId, path: "/nowhere.txt" })),
    echo: await stage.ask("_x/echo", { from: "agent", list: [1, null] }),
  });
}

/** Asks the client something, and takes it back once the client is at it. */
async function takeBack(turn: Turn): Promise<void> {
  const taken = new AbortController();
  const answer = codeFrom(turn.stage.ask("_x/hold", { hold: "client" }, taken.signal));
  await turn.stage.ask("_x/holding", {});
  taken.abort();
  await say(turn, { code: await answer });
}

async function breakDown(): Promise<void> {
  throw new TypeError("a secret of the agent");
}

async function printLine(turn: Turn): Promise<void> {
  console.log("not a message");
  await say(turn, "printed");
}

function say({ stage, sessionId }: Turn, words: unknown): Promise<void> {
  return stage.update(sessionId, update.agentMessage(JSON.stringify(words)));
}

async function codeFrom(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(() => "no error", codeOf);
}
