/**
 * The environment of one live test of the Codex engine: a fake Responses API, a project, a
 * home directory, and a check for leftover processes.
 */
import assert from "node:assert/strict";
import { codexEngine } from "../../../../lib/codex/index.ts";
import type { Engine } from "../../../../lib/engine/index.ts";
import type { Schedule } from "../../../../lib/wire/index.ts";
import { ConversationDriver, type DriverOptions } from "../../codex/conversation-driver.ts";
import { killLeftovers, waitUntilGone } from "../../processes.ts";
import { type CodexScript, ResponsesApi } from "../api/fake-responses-api.ts";
import { codexEnvironment, type CodexHomeOptions } from "../real-codex.ts";
import { workspace, type Workspace } from "../workspace.ts";

export interface CodexPlay {
  readonly engine: Engine;
  readonly api: ResponsesApi;
  readonly place: Workspace;
  readonly env: Readonly<Record<string, string>>;
  /** Opens a conversation, without starting it. */
  readonly open: (options?: Partial<DriverOptions>) => ConversationDriver;
  /** Opens and starts a conversation. */
  readonly start: (options?: Partial<DriverOptions>) => Promise<ConversationDriver>;
  /** Another engine with the same home, as another program would have. */
  readonly otherEngine: () => Engine;
}

export interface CodexPlayOptions extends CodexHomeOptions {
  readonly env?: Readonly<Record<string, string>>;
  readonly after?: Schedule;
}

/** A test that takes longer is stuck. */
const playLimitMs = 60_000;

export async function withCodex(
  scripts: Readonly<Record<string, CodexScript>>,
  play: (given: CodexPlay) => Promise<void>,
  options: CodexPlayOptions = {},
): Promise<void> {
  await using place = workspace();
  await using api = await ResponsesApi.start(scripts);
  const env = codexEnvironment(api.port, place.home, options, options.env);
  const bugs: string[] = [];
  const drivers: ConversationDriver[] = [];
  const engines: Engine[] = [];
  const otherEngine = (): Engine => {
    const onBug = (doing: string, cause: unknown): void => void bugs.push(`${doing}: ${String(cause)}`);
    const engine = codexEngine({ env, version: "0.0.0", onBug, after: options.after });
    engines.push(engine);
    return engine;
  };
  const engine = otherEngine();
  const open = (given: Partial<DriverOptions> = {}): ConversationDriver => {
    const driver = new ConversationDriver(engine, { cwd: place.cwd, ...given });
    drivers.push(driver);
    return driver;
  };
  const start = async (given?: Partial<DriverOptions>): Promise<ConversationDriver> => {
    const driver = open(given);
    await driver.conversation.start();
    return driver;
  };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`the play was not over after ${playLimitMs / 1000} s`)), playLimitMs);
  });
  try {
    await Promise.race([play({ engine, api, place, env, open, start, otherEngine }), limit]);
    for (const { conversation } of drivers) await conversation.close("the test is over");
    for (const one of engines) await one.close("the test is over");
    assert.deepEqual(await waitUntilGone(place.root), [], "processes outlive the test");
    assert.deepEqual([...bugs, ...drivers.flatMap((driver) => driver.bugs)], []);
  } finally {
    clearTimeout(timer);
    killLeftovers(place.root);
    await Promise.allSettled(engines.map((one) => one.close("the test is over")));
  }
}
