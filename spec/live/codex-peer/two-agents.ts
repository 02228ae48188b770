/**
 * Runs one scenario with Bowline and with codex-acp, each with the real Codex, the same
 * scripted API, the same configuration and the official SDK's client.
 */
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import type { AcpClient } from "../../support/live/client/acp-client.ts";
import { codexBackend } from "../../support/live/codex/codex-agent.ts";
import type { CodexScript, ResponsesApi } from "../../support/live/api/fake-responses-api.ts";
import { withBackend } from "../../support/live/live-environment.ts";
import { codexPeerInstallation } from "../../support/live/real-cli.ts";
import { codexExecutable, type CodexHomeOptions } from "../../support/live/real-codex.ts";
import type { Workspace } from "../../support/live/workspace.ts";
import { killLeftovers, leftovers } from "../../support/processes.ts";

export type AgentName = "Bowline" | "codex-acp";

/** What a scenario is given. */
export interface Stage {
  readonly name: AgentName;
  readonly client: AcpClient;
  readonly api: ResponsesApi;
  readonly place: Workspace;
  readonly cwd: string;
  /** The text of config.toml now. */
  readonly config: () => string;
  /** Before the agent has started Codex. */
  readonly setConfig: (text: string) => void;
}

export interface StageOptions {
  readonly scripts?: Readonly<Record<string, CodexScript>>;
  readonly home?: CodexHomeOptions;
  readonly env?: Readonly<Record<string, string | undefined>>;
}

/** One line of the comparison: what happens, in a few words. */
export interface Scenario extends StageOptions {
  readonly what: string;
  /** The program that the agent finds as Codex ends at once. */
  readonly brokenCodex?: boolean;
  readonly observe: (stage: Stage) => Promise<string>;
}

export function peerProgram(): string | undefined {
  try {
    return codexPeerInstallation().program;
  } catch {
    return undefined;
  }
}

/** What happens with one of the two agents. */
export async function observe(name: AgentName, scenario: Scenario): Promise<string> {
  const { scripts = {}, home, env, observe: look } = scenario;
  let seen = "";
  await withBackend(codexBackend(scripts, home ?? {}), async ({ client: start, api, place }) => {
    // Both names of the variable, each agent reads its own.
    const codex = scenario.brokenCodex === true ? brokenCodex(place.root) : codexExecutable();
    const variables = { BOWLINE_PREWARM: "0", CODEX_EXECUTABLE: codex, CODEX_PATH: codex, ...env };
    const agent = name === "Bowline" ? {} : { agent: [process.execPath, peerProgram() ?? ""] };
    const client = start({ ...agent, env: variables });
    const path = join(place.home, ".codex", "config.toml");
    const config = (): string => readFileSync(path, "utf8");
    const setConfig = (text: string): void => writeFileSync(path, text);
    try {
      seen = await look({ name, client, api, place, cwd: place.cwd, config, setConfig });
    } finally {
      await Promise.race([client.hangUp(), pause(3000)]);
      // What the other agent leaves is part of an observation or of no interest.
      killLeftovers(place.root);
    }
  });
  return seen;
}

/** The end of a prompt: its stop reason or its error code. */
export async function endOf(prompt: Promise<{ readonly stopReason: string }>, limitMs = 30_000): Promise<string> {
  const end = prompt.then(
    ({ stopReason }) => stopReason,
    (cause: unknown) => `error ${String((cause as { readonly code?: unknown }).code)}`,
  );
  return Promise.race([end, pause(limitMs, `no answer in ${limitMs / 1000} s`)]);
}

/** Whether a process with these words in its command line runs; asked after two seconds. */
export async function runsAfterTwoSeconds(place: Workspace, words: string): Promise<string> {
  await pause(2000);
  return leftovers(place.root).some(({ command }) => command.startsWith(words)) ? "runs on" : "ends";
}

function brokenCodex(directory: string): string {
  const path = join(directory, "broken-codex");
  writeFileSync(path, "#!/bin/sh\necho 'the library is missing' >&2\nexit 7\n");
  chmodSync(path, 0o755);
  return path;
}
