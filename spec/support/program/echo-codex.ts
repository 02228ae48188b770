/**
 * A small `codex app-server` on stdin and stdout: every prompt is answered with its own text.
 *
 * Keeps its threads in a file in CODEX_HOME, so they can be listed, resumed and deleted.
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { stdioLink } from "../../../lib/wire/index.ts";

type Json = Readonly<Record<string, unknown>>;

interface SavedThread {
  readonly id: string;
  readonly cwd: unknown;
  readonly turns: object[];
  name: unknown;
  preview: string;
}

const host = stdioLink();
const home = process.env["CODEX_HOME"] ?? "";
const file = join(home, "threads.json");
const saved = existsSync(file) ? (JSON.parse(readFileSync(file, "utf8")) as readonly SavedThread[]) : [];
const threads = new Map<unknown, SavedThread>(saved.map((thread) => [thread.id, thread]));

/** Codex saves a thread with its first prompt. */
function save(): void {
  mkdirSync(home, { recursive: true });
  writeFileSync(file, JSON.stringify([...threads.values()].filter(({ preview }) => preview !== "")));
}

function send(message: object): void {
  host.send(JSON.stringify(message));
}

function notify(method: string, params: object): void {
  send({ method, params, emittedAtMs: 0 });
}

function start({ cwd }: Json): SavedThread {
  const thread = { id: crypto.randomUUID(), cwd, turns: [], name: null, preview: "" };
  threads.set(thread.id, thread);
  return thread;
}

function shown(thread: SavedThread): object {
  return { ...thread, turns: [], updatedAt: 0, createdAt: 0 };
}

function opened(thread: SavedThread): object {
  return {
    thread: shown(thread),
    model: "gpt-a",
    modelProvider: "openai",
    cwd: thread.cwd,
    approvalPolicy: "on-request",
    approvalsReviewer: "user",
    sandbox: { type: "readOnly", networkAccess: false },
    reasoningEffort: null,
  };
}

function run(thread: SavedThread, { input, clientUserMessageId }: Json): object {
  const threadId = thread.id;
  const turn = { id: crypto.randomUUID(), status: "inProgress", items: [], error: null };
  const text = (input as readonly Json[])
    .map((block) => (typeof block["text"] === "string" ? block["text"] : ""))
    .join(" ");
  const user = { type: "userMessage", id: `user-${turn.id}`, clientId: clientUserMessageId, content: input };
  const answer = { type: "agentMessage", id: `msg-${turn.id}`, text: `You said: ${text}`, phase: "final_answer" };
  thread.preview ||= text || "a prompt";
  thread.turns.push({ ...turn, status: "completed", items: [user, answer] });
  save();
  setImmediate(() => {
    const place = { threadId, turnId: turn.id };
    notify("turn/started", { threadId, turn });
    notify("item/started", { ...place, item: user });
    notify("item/completed", { ...place, item: user });
    notify("item/started", { ...place, item: { ...answer, text: "" } });
    notify("item/agentMessage/delta", { ...place, itemId: answer.id, delta: answer.text });
    notify("item/completed", { ...place, item: answer });
    notify("turn/completed", { threadId, turn: { ...turn, status: "completed" } });
  });
  return { turn };
}

function listed(cwd: unknown): readonly object[] {
  const all = [...threads.values()].filter(({ preview }) => preview !== "");
  return all.filter((thread) => cwd === undefined || thread.cwd === cwd).map(shown);
}

function resultOf(method: unknown, params: Json): object | undefined {
  const thread = threads.get(params["threadId"]);
  switch (method) {
    case "initialize":
      return { userAgent: "bowline/0.166.0 (echo)", codexHome: "/home/user/.codex" };
    case "account/read":
      return { account: { type: "apiKey" }, requiresOpenaiAuth: true };
    case "config/read":
      return { config: {} };
    case "model/list":
      return { data: [{ id: "gpt-a", model: "gpt-a", displayName: "GPT A", isDefault: true }], nextCursor: null };
    case "thread/list":
      return params["cursor"] === undefined ? { data: listed(params["cwd"]), nextCursor: null } : undefined;
    case "thread/start":
      return opened(start(params));
    case "thread/fork": {
      const copy = thread && start({ cwd: thread.cwd });
      copy?.turns.push(...(thread?.turns ?? []));
      if (copy !== undefined) copy.preview = thread?.preview ?? "";
      save();
      return copy && opened(copy);
    }
    case "thread/resume":
      return thread && opened(thread);
    case "thread/read":
      return thread && { thread: shown(thread) };
    case "thread/turns/list":
      return thread && { data: thread.turns, nextCursor: null };
    case "thread/delete":
      if (!threads.delete(params["threadId"])) return undefined;
      save();
      return {};
    case "turn/start":
      return thread && run(thread, params);
    default:
      return {};
  }
}

host.open({
  onLine: (line) => {
    const { id, method, params } = JSON.parse(line) as Json;
    if (id === undefined || method === undefined) return;
    const result = resultOf(method, (params ?? {}) as Json);
    send(
      result === undefined
        ? { id, error: { code: -32600, message: "no rollout found for thread id" } }
        : { id, result },
    );
  },
  onFault: () => {},
  onDrain: () => {},
  onEnd: () => host.close("the host ended"),
  onClose: () => process.exit(0),
});
