/**
 * A connected client, made with either library.
 */
import type { AgentMethods, InitializeResponse } from "../../../lib/index.ts";
import type { Ask, CallOf, Tell } from "./portable.ts";

export interface Caller {
  /** What the agent answered to `initialize`. */
  readonly agent: Pick<InitializeResponse, "agentInfo" | "agentCapabilities" | "authMethods">;
  readonly call: CallOf<AgentMethods>;
  readonly ask: Ask;
  readonly tell: Tell;
  /** Cancels a session's turn, and its open permission request with it. */
  readonly cancel: (sessionId: string) => void;
  /** Closes the connection and waits until the agent has exited. */
  readonly close: () => Promise<void>;
}

/** Signs in and opens a session. */
export async function openSession(caller: Caller, cwd = "/work"): Promise<string> {
  await caller.call("authenticate", { methodId: "token" });
  return (await caller.call("session/new", { cwd, mcpServers: [] })).sessionId;
}

/** Runs a turn of the scripted agent with this prompt. */
export async function runTurn(caller: Caller, sessionId: string, words: string): Promise<string> {
  const prompt = [{ type: "text", text: words } as const];
  return (await caller.call("session/prompt", { sessionId, prompt })).stopReason;
}
