/**
 * What the scripted agent does with a prompt, by the prompt's first word.
 *
 * A turn sends what it learned from the client back as JSON in one message, so that a
 * spec sees what the agent received.
 */
import { type PromptRequest, type StopReason, update } from "../../../lib/index.ts";
import { codeOf, untilAborted } from "./portable.ts";
import { linkOf, permission, requestForm, sessionForm, updates } from "./samples.ts";
import type { AgentCalls } from "./agent-calls.ts";

interface Turn {
  readonly calls: AgentCalls;
  readonly sessionId: string;
  readonly prompt: PromptRequest["prompt"];
  /** The words of the prompt after the first. */
  readonly words: readonly string[];
  readonly signal: AbortSignal;
}

/** Plays the turn a prompt names. */
export async function playTurn(
  calls: AgentCalls,
  { sessionId, prompt }: PromptRequest,
  signal: AbortSignal,
): Promise<StopReason> {
  const [name = "", ...words] = prompt[0]?.type === "text" ? prompt[0].text.split(" ") : [];
  const play = turns.get(name);
  if (play === undefined) throw calls.fail(-32602, `no turn is called ${name}`);
  return (await play({ calls, sessionId, prompt, words, signal })) ?? "end_turn";
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

async function sendEverything({ calls, sessionId }: Turn): Promise<void> {
  for (const one of updates) await calls.update(sessionId, one);
}

async function echo({ calls, sessionId, prompt }: Turn): Promise<void> {
  for (const block of prompt.slice(1)) await calls.update(sessionId, update.agentMessage(block));
}

async function flood({ calls, sessionId, words }: Turn): Promise<void> {
  const count = Number(words[0]);
  for (let i = 0; i < count; i++) await calls.update(sessionId, update.agentMessage(String(i)));
}

/** Does not withdraw the permission request when cancelled: the client has to answer it. */
async function askPermission(turn: Turn): Promise<void> {
  const { calls, sessionId, signal } = turn;
  const { outcome } = await calls.call("session/request_permission", { sessionId, ...permission });
  await say(turn, outcome);
  signal.throwIfAborted();
}

async function useFiles(turn: Turn): Promise<void> {
  const { calls, sessionId } = turn;
  const all = await calls.call("fs/read_text_file", { sessionId, path: "/notes.txt" });
  const part = await calls.call("fs/read_text_file", { sessionId, path: "/notes.txt", line: 2, limit: 1 });
  const content = all.content.toUpperCase();
  const written = await calls.call("fs/write_text_file", { sessionId, path: "/loud.txt", content });
  await say(turn, { all, part, written });
}

async function useTerminal(turn: Turn): Promise<void> {
  const { calls, sessionId } = turn;
  const { terminalId } = await calls.call("terminal/create", {
    sessionId,
    command: "serve",
    args: ["--port", "0"],
    env: [{ name: "LANG", value: "C" }],
    cwd: "/tmp",
    outputByteLimit: 1024,
  });
  const terminal = { sessionId, terminalId };
  const running = await calls.call("terminal/output", terminal);
  // Requested before the command has exited: the exit comes with the kill.
  const exit = calls.call("terminal/wait_for_exit", terminal);
  const killed = await calls.call("terminal/kill", terminal);
  const exited = await exit;
  const final = await calls.call("terminal/output", terminal);
  const released = await calls.call("terminal/release", terminal);
  const afterwards = await codeFrom(calls.call("terminal/output", terminal));
  await say(turn, { running, killed, exited, final, released, afterwards });
}

async function sendForm(turn: Turn): Promise<void> {
  const form = turn.words[0] === "request" ? requestForm : sessionForm(turn.sessionId);
  await say(turn, await turn.calls.call("elicitation/create", form));
}

async function sendLink(turn: Turn): Promise<void> {
  const { calls, sessionId } = turn;
  const answer = await calls.call("elicitation/create", linkOf(sessionId));
  calls.tell("elicitation/complete", { elicitationId: "link-1" });
  await say(turn, answer);
}

async function waitForCancel({ calls, sessionId, signal }: Turn): Promise<void> {
  await calls.update(sessionId, update.agentMessage("waiting"));
  try {
    await untilAborted(signal);
  } finally {
    await calls.update(sessionId, update.agentMessage("stopped"));
  }
}

/** How the client answers unknown methods and invalid params. */
async function probe(turn: Turn): Promise<void> {
  const { calls, sessionId } = turn;
  await say(turn, {
    unknownExtension: await codeFrom(calls.ask("_x/unknown", {})),
    unknownMethod: await codeFrom(calls.ask("session/unheard_of", {})),
    wrongParams: await codeFrom(calls.ask("fs/read_text_file", { sessionId, path: 5 })),
    noOptions: await codeFrom(calls.ask("session/request_permission", { sessionId, toolCall: permission.toolCall })),
    missingFile: await codeFrom(calls.call("fs/read_text_file", { sessionId, path: "/nowhere.txt" })),
    echo: await calls.ask("_x/echo", { from: "agent", list: [1, null] }),
  });
}

/** Sends a request to the client, and cancels it once the client handles it. */
async function takeBack(turn: Turn): Promise<void> {
  const taken = new AbortController();
  const answer = codeFrom(turn.calls.ask("_x/hold", { hold: "client" }, taken.signal));
  await turn.calls.ask("_x/holding", {});
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

function say({ calls, sessionId }: Turn, words: unknown): Promise<void> {
  return calls.update(sessionId, update.agentMessage(JSON.stringify(words)));
}

async function codeFrom(answer: Promise<unknown>): Promise<unknown> {
  return answer.then(() => "no error", codeOf);
}
