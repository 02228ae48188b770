/**
 * Runs the built program with the real Codex CLI, driven by the official SDK's client.
 *
 * After every test each line of the wire is checked against the official schema, and no
 * started process is alive.
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import type { ContentBlock, NewSessionRequest } from "@agentclientprotocol/sdk";
import { killLeftovers, waitUntilGone } from "../../processes.ts";
import type { CheckOptions } from "../../acp/wire-check.ts";
import { AcpClient, type AcpClientOptions } from "../client/acp-client.ts";
import { type CodexScript, ResponsesApi } from "../api/fake-responses-api.ts";
import { codexEnvironment, type CodexHomeOptions } from "../real-codex.ts";
import { transcript } from "../client/shown-transcript.ts";
import { workspace, type Workspace } from "../workspace.ts";

export interface CodexSession {
  readonly api: ResponsesApi;
  readonly client: AcpClient;
  readonly place: Workspace;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  readonly sessionId: string;
  /** Sends a prompt and returns what the user saw up to and including its response. */
  readonly tell: (prompt: string | readonly ContentBlock[]) => Promise<readonly string[]>;
  /** What the user has seen since the last call. */
  readonly seen: () => readonly string[];
  /** Another program with the same home. */
  readonly another: () => AcpClient;
}

export interface CodexAgentOptions extends CodexHomeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly capabilities?: AcpClientOptions["capabilities"];
  readonly session?: Partial<NewSessionRequest>;
  readonly overlook?: CheckOptions;
  /** Prepares the project before the program starts. */
  readonly prepare?: (place: Workspace) => void;
}

const builtAgent = fileURLToPath(new URL("../../../../dist/bowline.mjs", import.meta.url));
/** A test that takes longer is stuck. */
const playLimitMs = 90_000;

/** Plays in an open session. */
export async function inCodexSession(
  scripts: Readonly<Record<string, CodexScript>>,
  play: (session: CodexSession) => Promise<void>,
  options: CodexAgentOptions = {},
): Promise<void> {
  await using place = workspace();
  await using api = await ResponsesApi.start(scripts);
  options.prepare?.(place);
  // A prewarmed session would have an app-server of its own accord; the tests look at the process table.
  const more = { BOWLINE_ROUTE: "codex", BOWLINE_PREWARM: "0", ...options.env };
  const env = codexEnvironment(api.port, place.home, options, more);
  const { cwd } = place;
  const clients: AcpClient[] = [];
  const another = (): AcpClient => {
    const { capabilities } = options;
    const program = { command: process.execPath, args: [builtAgent, "agent"], env, cwd };
    const client = new AcpClient({ ...program, ...(capabilities && { capabilities }) });
    clients.push(client);
    return client;
  };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the play was not over after ${playLimitMs / 1000} s`)), playLimitMs);
  });
  const run = async (): Promise<void> => {
    const client = another();
    const sessionId = await client.open(cwd, options.session);
    let looked = 0;
    const seen = (): readonly string[] => {
      const all = transcript(client, cwd, sessionId);
      const fresh = all.slice(looked);
      looked = all.length;
      // Whether bubblewrap is installed is a matter of the machine.
      return fresh
        .map((line) => line.replace(/\n*Codex could not find bubblewrap.*\n*/, ""))
        .filter((line) => line !== "says ");
    };
    const tell = async (prompt: string | readonly ContentBlock[]): Promise<readonly string[]> => {
      // An error is a response too, and the transcript has it.
      await client.prompt(sessionId, prompt).catch(() => {});
      return seen();
    };
    await play({ api, client, place, env, cwd, sessionId, tell, seen, another });
    for (const one of clients) {
      const { signal } = await one.hangUp();
      // A program that the test has killed leaves requests unanswered.
      if (signal === null) assert.deepEqual(one.faults(options.overlook), []);
    }
    assert.deepEqual(await waitUntilGone(place.root), [], "processes outlive the test");
  };
  try {
    await Promise.race([run(), limit]);
  } finally {
    clearTimeout(timer);
    killLeftovers(place.root);
    await Promise.allSettled(clients.map((one) => one[Symbol.asyncDispose]()));
  }
}
