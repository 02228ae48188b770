/**
 * Runs the built program with `--route codex` in a live environment, driven by the official
 * SDK's client.
 */
import type { ProcessEntry } from "../../processes.ts";
import { waitForCommand } from "../../processes.ts";
import { type CodexScript, ResponsesApi } from "../api/fake-responses-api.ts";
import type { LiveBackend } from "../live-environment.ts";
import { codexEnvironment, type CodexHomeOptions } from "../real-codex.ts";
import { inBackendSession, type Play, type PlayOptions, type SessionDriver, withBackendAgent } from "../with-agent.ts";

export type CodexAgent = Play<ResponsesApi>;
export type CodexSession = SessionDriver<ResponsesApi>;

export interface CodexAgentOptions extends PlayOptions {
  readonly home?: CodexHomeOptions;
}

type Scripts = Readonly<Record<string, CodexScript>>;

export function codexBackend(scripts: Scripts, home: CodexHomeOptions = {}): LiveBackend<ResponsesApi> {
  return {
    startApi: () => ResponsesApi.start(scripts),
    environment: (api, place, more = {}) => {
      const all: Record<string, string | undefined> = {
        ...codexEnvironment(api.port, place.home, home),
        BOWLINE_ROUTE: "codex",
        // A test file that looks at the process table sets it to 0 itself.
        BOWLINE_PREWARM: process.env["BOWLINE_PREWARM"],
        ...more,
      };
      const defined: Record<string, string> = {};
      for (const [key, value] of Object.entries(all)) if (value !== undefined) defined[key] = value;
      return defined;
    },
  };
}

/** Runs a test with the agent before `initialize`. */
export function withCodexAgent(
  scripts: Scripts,
  play: (driver: CodexAgent) => Promise<void>,
  { home, ...options }: CodexAgentOptions = {},
): Promise<void> {
  return withBackendAgent(codexBackend(scripts, home), play, options);
}

/** Plays in an open session. */
export function inCodexSession(
  scripts: Scripts,
  play: (driver: CodexSession) => Promise<void>,
  { home, ...options }: CodexAgentOptions = {},
): Promise<void> {
  return inBackendSession(codexBackend(scripts, home), play, options);
}

/** The app-server of the agent. */
export function appServerOf({ place }: Pick<CodexAgent, "place">): Promise<ProcessEntry> {
  return waitForCommand(place.root, "app-server");
}
