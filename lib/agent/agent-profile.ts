/**
 * The agent's answer to `initialize`: its name, capabilities and sign-in methods.
 *
 * Loaded before the rest of the agent (see early-initialize.ts), so it must not import
 * the handlers, the sessions or an engine's code.
 */
import type { AgentProfile } from "../acp/index.ts";
import { type Program, terminalSignIn } from "../display/index.ts";
import { version } from "../version.ts";
import { isSingleExecutable } from "../wire/index.ts";
import { type Route, routeFacts } from "./route.ts";

export function agentProfile(route: Route, program: Program): AgentProfile {
  const { title, signIn } = routeFacts[route];
  return {
    info: { name: "bowline", title, version },
    prompt: { image: true, embeddedContext: true },
    mcp: { http: true, sse: route !== "codex" },
    additionalDirectories: true,
    systemPrompt: true,
    // The extension `_session/steering`, under the name by which clients look for it.
    responseMeta: { steering: { supported: true }, bowline: { rejectReason: true } },
    authMethods: (request) => signIn.map((method) => terminalSignIn(method, request, program)),
  };
}

/** The command line of this program. A client starts it again in a terminal to sign in. */
export function thisProgram(): Program {
  return { command: process.execPath, args: isSingleExecutable() ? [] : process.argv.slice(1, 2) };
}

/** The agent implements every ACP method. */
export function servesAll(): boolean {
  return true;
}
