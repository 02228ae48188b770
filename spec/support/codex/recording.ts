/**
 * Plays recordings of `codex app-server` through the translation, as a host does: folds
 * notifications, turns requests into questions, and answers them as the recorded host did.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionUpdate } from "../../../lib/acp/index.ts";
import { CodexNotification, OpenedThread, ServerRequest, threadIdOf } from "../../../lib/codex/protocol/index.ts";
import {
  type CodexQuestion,
  approvalQuestion,
  CodexState,
  fold,
  foldEnd,
  turnEndOf,
} from "../../../lib/codex/translate/index.ts";
import type { ClientView } from "../../../lib/display/index.ts";
import type { TurnEnd, UserAnswers } from "../../../lib/engine/index.ts";
import { Fault, isRecord } from "../../../lib/schema/index.ts";

const fixtures = join(import.meta.dirname, "../../../fixtures/codex");

export const cwd = "/home/dev/project";

interface Row {
  readonly dir: string;
  readonly msg?: Readonly<Record<string, unknown>>;
}

/** One step of a played recording. */
export type Step =
  | { readonly kind: "updates"; readonly updates: readonly SessionUpdate[] }
  | { readonly kind: "asked"; readonly asked: CodexQuestion }
  | { readonly kind: "ended"; readonly end: TurnEnd };

export interface PlayedConversation {
  readonly state: CodexState;
  readonly steps: readonly Step[];
}

export function recordingNames(directory: string = fixtures): readonly string[] {
  return readdirSync(directory)
    .filter((name) => /^[\w-]+\.ndjson$/.test(name))
    .map((name) => name.slice(0, -".ndjson".length));
}

export function recordedRows(name: string, directory: string = fixtures): readonly Row[] {
  const lines = readFileSync(join(directory, `${name}.ndjson`), "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Row => JSON.parse(line));
}

export function viewOf(fields: Partial<ClientView> = {}): ClientView {
  return {
    cwd,
    showsTerminals: false,
    showsNotices: false,
    showsCompaction: false,
    textOf: () => undefined,
    ...fields,
  };
}

/** The notifications of a recording, as they are on the wire. */
export function notificationsOf(rows: readonly Row[]): readonly Readonly<Record<string, unknown>>[] {
  return rows.flatMap(({ dir, msg }) => (dir === "out" && msg !== undefined && !("id" in msg) ? [msg] : []));
}

/** Each thread that the host opened is a conversation. */
export function play(rows: readonly Row[], view: ClientView): readonly PlayedConversation[] {
  const players = new Map<string, Player>();
  for (const { dir, msg } of rows) {
    if (msg === undefined) continue;
    if (dir === "in" && "result" in msg) for (const player of players.values()) player.answer(msg["id"], msg["result"]);
    if (dir !== "out") continue;
    const opened = "result" in msg ? OpenedThread.read(msg["result"]) : undefined;
    if (opened !== undefined && !(opened instanceof Fault) && "approvalPolicy" in opened) {
      const { id } = opened.thread;
      if (!players.has(id)) players.set(id, new Player(id, view));
    }
    if (!("method" in msg)) continue;
    for (const player of players.values()) {
      if ("id" in msg) player.ask(msg, msg["id"]);
      else player.take(msg);
    }
  }
  return [...players.values()].map((player) => player.ended());
}

/** A clock that is never advanced. */
const now = new Date(2026, 10, 16, 13, 0);

class Player {
  readonly #state: CodexState;
  readonly #steps: Step[] = [];
  readonly #open = new Map<unknown, CodexQuestion>();

  constructor(threadId: string, view: ClientView) {
    this.#state = new CodexState(view, threadId);
  }

  take(message: unknown): void {
    const notification = CodexNotification.read(message);
    // Whatever cannot be read is unknown, so a fault is not possible.
    if (notification instanceof Fault) return;
    this.#show(fold(this.#state, notification));
    if (notification.method === "turn/completed" && notification.params.threadId === this.#state.threadId) {
      this.#steps.push({ kind: "ended", end: turnEndOf(notification.params.turn, now) });
    }
  }

  ask(message: Readonly<Record<string, unknown>>, id: unknown): void {
    const request = ServerRequest.read(message);
    const threadId = threadIdOf(message);
    if (request instanceof Fault || threadId === undefined || !this.#state.ownsThread(threadId)) return;
    const asked = approvalQuestion(request, this.#state);
    if (asked.kind === "permission" || asked.kind === "user") this.#show(asked.announced);
    this.#steps.push({ kind: "asked", asked });
    this.#open.set(id, asked);
  }

  answer(id: unknown, answer: unknown): void {
    const asked = this.#open.get(id);
    this.#open.delete(id);
    if (asked?.kind === "permission") {
      const { choices, rejected } = asked.question;
      const same = choices.find(({ decision }) => isSame(decision.result, answer));
      this.#show(asked.settled(same?.decision ?? rejected));
    } else if (asked?.kind === "user") {
      this.#show(asked.settled(givenAnswers(asked.questions.questions, answer)));
    }
  }

  ended(): PlayedConversation {
    this.#show(foldEnd(this.#state, "Codex has exited."));
    return { state: this.#state, steps: this.#steps };
  }

  #show(updates: readonly SessionUpdate[]): void {
    if (updates.length > 0) this.#steps.push({ kind: "updates", updates });
  }
}

function givenAnswers(questions: readonly { readonly question: string }[], answer: unknown): UserAnswers {
  const given = isRecord(answer) && isRecord(answer["answers"]) ? Object.values(answer["answers"]) : [];
  const texts = given.map((one) => (isRecord(one) && Array.isArray(one["answers"]) ? String(one["answers"][0]) : ""));
  const answers = questions.map(({ question }, i) => [question, (texts[i] ?? "").replace(/^user_note: /, "")] as const);
  return texts.length === 0 ? { kind: "dismissed" } : { kind: "answered", answers: Object.fromEntries(answers) };
}

function isSame(left: unknown, right: unknown): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
