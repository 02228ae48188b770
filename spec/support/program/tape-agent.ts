/**
 * The whole Claude agent with tapes instead of the CLI, and a store in which its
 * conversations stay, so that another run can load them.
 */
import type { Launcher } from "../../../lib/claude/engine/index.ts";
import { claudeAgent } from "../claude/claude-agent.ts";
import type { SessionStore } from "../../../lib/claude/engine/saved/session-store.ts";
import { type ConversationEvent } from "../../../lib/claude/index.ts";
import { realTimer, type Link, memoryPair } from "../../../lib/wire/index.ts";
import { readTape, type Tape, tapeLink } from "../../../lib/tape/index.ts";
import { emptyStore } from "../claude/agent-harness.ts";
import { readText } from "../files.ts";

export interface Shelves {
  readonly kept: Map<string, { readonly cwd: string; readonly said: readonly ConversationEvent[] }>;
}

/** Starts the agent: a session plays `read`, one with MCP servers is cancelled twice. */
export function startTapedAgent({ kept }: Shelves): Link {
  const [near, far] = memoryPair();
  const launcher: Launcher = ({ cwd, launch, mcpServers }) => {
    const tape = Object.keys(mcpServers).length > 0 ? cancelledTwice() : readTape(recording("read"));
    const { session } = launch;
    const id = session?.kind === "resume" ? (session.forkTo ?? session.id) : (session?.id ?? "");
    const link = tapeLink(tape);
    const send = (line: string): boolean => {
      if (line.includes('"type":"user"')) kept.set(id, { cwd, said });
      return link.send(line);
    };
    return { link: { ...pick(link), send, exit: () => undefined }, ready: () => {} };
  };
  const options = { env: {}, program: { command: "bowline", args: [] }, prewarms: false };
  claudeAgent(far, { ...options, launcher, after: realTimer, store: savedIn(kept) });
  return near;
}

const said = [
  { type: "user", message: { role: "user", content: "hello" } },
  { type: "assistant", message: { id: "msg_1", role: "assistant", content: [{ type: "text", text: "Hello." }] } },
] as unknown as readonly ConversationEvent[]; // as the CLI writes them, without the fields that are not read

function savedIn(kept: Shelves["kept"]): SessionStore {
  return {
    ...emptyStore,
    list: async (cwd, cursor) => {
      if (cursor !== undefined) return { kind: "bad-cursor" };
      const all = [...kept].map(([sessionId, one]) => ({ sessionId, cwd: one.cwd, ...listed }));
      const sessions = all.filter((one) => cwd === undefined || one.cwd === cwd);
      return { kind: "page", sessions, nextCursor: undefined, unreadableCount: 0 };
    },
    has: async (id) => kept.has(id),
    replay: async (id, onEvent) => {
      for (const event of kept.get(id)?.said ?? []) await onEvent(event);
      return undefined;
    },
    remove: async (id) => void kept.delete(id),
  };
}

const listed = { title: undefined, updatedAt: "2026-01-01T00:00:00.000Z" };

/** A turn that is cancelled, twice. */
function cancelledTwice(): Tape {
  const lines = recording("cancelled-mid-text").split("\n");
  const first = lines.findIndex((line) => line.includes('"type":"user"'));
  const end = lines.findIndex((line) => line.includes('"state":"cancelled"')) + 1;
  const turn = lines.slice(first, end);
  return readTape([...lines.slice(0, first), ...turn, ...turn].join("\n"));
}

function recording(name: string): string {
  return readText(`fixtures/claude/${name}.ndjson`);
}

/** A link without the additional members of tapes; not spread, which would lose the methods of a class. */
function pick({ open, pause, resume, close }: Link): Omit<Link, "send"> {
  return { open, pause, resume, close };
}
