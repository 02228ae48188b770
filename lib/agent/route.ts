/**
 * The route of an agent: which engine its sessions use.
 *
 * Loaded before the rest of the agent (see early-initialize.ts), so it must not import an
 * engine's code.
 */
import { claudeExecutable, claudeSignIn } from "../claude/setup/index.ts";
import { codexExecutable, codexSignIn } from "../codex/setup/index.ts";
import type { TerminalSignIn } from "../display/index.ts";
import { type Environment, findExecutable } from "../process/index.ts";

/** The engines. */
export const engineIds = ["claude", "codex"] as const;
export type EngineId = (typeof engineIds)[number];

export function otherEngine(id: EngineId): EngineId {
  return id === "claude" ? "codex" : "claude";
}

/** Where the prompts of a session go. `duet`: to both engines, one after the other. */
export const routes = [...engineIds, "duet"] as const;
export type Route = (typeof routes)[number];

interface RouteFacts {
  /** The agent's name as editors show it. */
  readonly title: string;
  readonly signIn: readonly TerminalSignIn[];
}

export const routeFacts: { readonly [R in Route]: RouteFacts } = {
  claude: { title: "Claude Agent (Bowline)", signIn: claudeSignIn },
  codex: { title: "Codex Agent (Bowline)", signIn: codexSignIn },
  duet: { title: "Claude and Codex Agent (Bowline)", signIn: [...claudeSignIn, ...codexSignIn] },
};

/** Whether both CLIs are installed, so that a session can use both. */
export function areBothInstalled(env: Environment): boolean {
  return [claudeExecutable, codexExecutable].every((query) => findExecutable(query, { env }).kind === "found");
}

/** With only one of the CLIs installed, that one is the default; with both or none, Claude. */
export function defaultRoute(env: Environment): Route {
  if (findExecutable(claudeExecutable, { env }).kind !== "missing") return "claude";
  return findExecutable(codexExecutable, { env }).kind === "missing" ? "claude" : "codex";
}
