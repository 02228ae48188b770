/**
 * The scripted agents of the load tests.
 *
 * `timedAgent` is Bowline's agent with a scripted engine; it streams updates with the time
 * at which each was sent. `storedAgent` keeps
 * its conversations in a directory, as the CLI does, so that another server can load what
 * a killed one has begun; its updates are numbered over the whole conversation.
 */
import { appendFileSync, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createAgent } from "../../../lib/agent/index.ts";
import { agent, update } from "../../../lib/acp/index.ts";
import { errorCodes, RpcError } from "../../../lib/rpc/index.ts";
import type { Link } from "../../../lib/wire/index.ts";
import { AnsweringEngine } from "../../support/agent/answering-engine.ts";

type StartAgent = (link: Link) => { readonly stop: (reason: string) => Promise<void> };

export interface Pace {
  readonly updatesPerTurn: number;
  /** Between two updates of a turn. */
  readonly pauseMs: number;
}

/** Milliseconds since 1970 with fractions: the same clock in every process of this machine. */
export function nowMs(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * Bowline's own agent, as `bowline serve` starts it, with an engine that needs no process.
 * Each update is the number of the update in its turn, and the time.
 */
export function timedAgent({ updatesPerTurn, pauseMs }: Pace): StartAgent {
  const engine = new AnsweringEngine();
  engine.onPrompt = async (conversation) => {
    conversation.take();
    for (let i = 0; i < updatesPerTurn; i++) {
      // A message of its own each: the agent joins chunks of one message that come within 16 ms.
      conversation.update(update.agentMessage(`${i} ${nowMs()}`, String(i)));
      await pause(pauseMs);
    }
    conversation.end();
  };
  return (link) => createAgent(link, { engine, prewarms: false, maxSessions: 10_000, textOf: () => undefined });
}

/** Each update is its number in the conversation and a space. It is saved before it is sent. */
export function storedAgent(directory: string, { updatesPerTurn, pauseMs }: Pace): StartAgent {
  const fileOf = (sessionId: string): string => join(directory, `${sessionId}.txt`);
  const linesOf = (sessionId: string): readonly string[] => {
    if (!existsSync(fileOf(sessionId)))
      throw new RpcError(errorCodes.resourceNotFound, "Session not found", { sessionId });
    return readFileSync(fileOf(sessionId), "utf8").split("\n").slice(0, -1);
  };
  return (link) => {
    const connection = agent(link, {
      info: { name: "stored", version: "1" },
      authMethods: () => [],
      handlers: (client) => ({
        "session/new": () => {
          const sessionId = crypto.randomUUID();
          writeFileSync(fileOf(sessionId), "");
          return { sessionId };
        },
        "session/load": async ({ sessionId }) => {
          for (const line of linesOf(sessionId))
            await client.update(
              sessionId,
              line.startsWith(">") ? update.userMessage(line.slice(1)) : update.agentMessage(line),
            );
          return {};
        },
        "session/status": ({ sessionId }) => {
          linesOf(sessionId);
          return { status: "saved", _meta: { cwd: directory } };
        },
        "session/close": () => {},
        "session/prompt": async ({ sessionId, prompt: [first] }, { signal }) => {
          const said = linesOf(sessionId).filter((line) => !line.startsWith(">")).length;
          appendFileSync(fileOf(sessionId), `>${first?.type === "text" ? first.text : ""}\n`);
          for (let i = said; i < said + updatesPerTurn && !signal.aborted; i++) {
            appendFileSync(fileOf(sessionId), `${i} \n`);
            await client.update(sessionId, update.agentMessage(`${i} `));
            await pause(pauseMs);
          }
          return { stopReason: signal.aborted ? "cancelled" : "end_turn" };
        },
      }),
    });
    return { stop: async () => connection.close("stopped") };
  };
}

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
