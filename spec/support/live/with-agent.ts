/**
 * Runs the built program in a live environment, driven by the official SDK's client.
 *
 * After every test each line of the wire is checked against the official schema, and no
 * started process is alive.
 */
import assert from "node:assert/strict";
import type { ContentBlock, NewSessionRequest } from "@agentclientprotocol/sdk";
import type { AcpClient } from "./client/acp-client.ts";
import type { Script } from "./api/model-script.ts";
import type { MessagesApi } from "./api/fake-messages-api.ts";
import {
  claudeBackend,
  withBackend,
  type AgentOptions,
  type BackendEnvironment,
  type LiveBackend,
} from "./live-environment.ts";
import type { Workspace } from "./workspace.ts";
import { transcript } from "./client/shown-transcript.ts";
import type { CheckOptions } from "../acp/wire-check.ts";

export interface Play<Api = MessagesApi> extends Omit<BackendEnvironment<Api>, "client"> {
  readonly client: AcpClient;
  readonly cwd: string;
  /** Starts another program with the same options and the same home directory. */
  readonly another: () => AcpClient;
  /** Absolute path of a file of the project. */
  readonly path: (name: string) => string;
}

export interface SessionDriver<Api = MessagesApi> extends Play<Api> {
  readonly sessionId: string;
  /** Sends a prompt and returns what the user saw up to and including its response. */
  readonly tell: (prompt: string | readonly ContentBlock[]) => Promise<readonly string[]>;
  /** What the user has seen since the last call. */
  readonly seen: () => readonly string[];
}

export interface PlayOptions extends AgentOptions {
  /** What the wire check ignores: lines that are wrong on purpose, or everything when the test checks itself. */
  readonly overlook?: CheckOptions | "all";
  readonly session?: Partial<NewSessionRequest>;
  /** Prepares the project before the program starts. */
  readonly prepare?: (place: Workspace) => void;
}

type Scripts = Readonly<Record<string, Script>>;

/** Runs a test with the agent before `initialize`. */
export function withAgent(
  scripts: Scripts,
  play: (driver: Play) => Promise<void>,
  options: PlayOptions = {},
): Promise<void> {
  return withBackendAgent(claudeBackend(scripts), play, options);
}

/** Plays in an open session. */
export function inSession(
  scripts: Scripts,
  play: (driver: SessionDriver) => Promise<void>,
  options: PlayOptions = {},
): Promise<void> {
  return inBackendSession(claudeBackend(scripts), play, options);
}

/** Runs a test with any engine and the agent before `initialize`. */
export function withBackendAgent<Api extends AsyncDisposable>(
  backend: LiveBackend<Api>,
  play: (driver: Play<Api>) => Promise<void>,
  options: PlayOptions = {},
): Promise<void> {
  return withBackend(backend, async (environment) => {
    const { cwd, path } = environment.place;
    options.prepare?.(environment.place);
    const client = environment.client(options);
    const others: AcpClient[] = [];
    const another = (): AcpClient => {
      const other = environment.client(options);
      others.push(other);
      return other;
    };
    await play({ ...environment, client, another, cwd, path });
    // A program writes its last lines before it exits.
    await client.hangUp();
    if (options.overlook === "all") return;
    assert.deepEqual(client.faults(options.overlook), []);
    for (const other of others) {
      const { signal } = await other.hangUp();
      // A program that the test has killed leaves requests unanswered.
      if (signal === null) assert.deepEqual(other.faults(options.overlook), []);
    }
  });
}

/** Plays in an open session of any engine. */
export function inBackendSession<Api extends AsyncDisposable>(
  backend: LiveBackend<Api>,
  play: (driver: SessionDriver<Api>) => Promise<void>,
  options: PlayOptions = {},
): Promise<void> {
  return withBackendAgent(
    backend,
    async (driver) => {
      const { client, cwd } = driver;
      const sessionId = await client.open(cwd, options.session);
      await play(sessionDriver(driver, sessionId));
    },
    options,
  );
}

/** Drives a session that is open. */
export function sessionDriver<Api>(play: Play<Api>, sessionId: string): SessionDriver<Api> {
  const { client, cwd } = play;
  let looked = 0;
  const seen = (): readonly string[] => {
    const all = transcript(client, cwd, sessionId);
    const fresh = all.slice(looked);
    looked = all.length;
    return fresh;
  };
  const tell = async (prompt: string | readonly ContentBlock[]): Promise<readonly string[]> => {
    // An error is a response too, and the transcript has it.
    await client.prompt(sessionId, prompt).catch(() => {});
    return seen();
  };
  return { ...play, sessionId, tell, seen };
}
