/**
 * Stage: one API, one project, one home, and at the end nothing alive.
 *
 * Whatever a play starts through the stage is stopped when the play is over,
 * also when it fails; a process that belongs to the project and outlives it
 * fails the test by name.
 */
import assert from "node:assert/strict";
import { ClaudeHost, type HostOptions } from "./claude-host.ts";
import { MessagesApi } from "./messages-api.ts";
import { killLeftovers, waitUntilGone } from "./processes.ts";
import type { Script } from "./script.ts";
import { workspace, type Workspace } from "./workspace.ts";

export interface Stage {
  readonly api: MessagesApi;
  readonly place: Workspace;
  /** Ends this at the end of the play, last in, first out. */
  own<T extends AsyncDisposable>(thing: T): T;
  /** The real CLI without Bowline, initialized. */
  host(options?: Partial<HostOptions>): Promise<ClaudeHost>;
}

export async function onStage(
  scripts: Readonly<Record<string, Script>>,
  play: (stage: Stage) => Promise<void>,
): Promise<void> {
  await using place = workspace();
  await using api = await MessagesApi.start(scripts);
  const owned: AsyncDisposable[] = [];
  const own = <T extends AsyncDisposable>(thing: T): T => {
    owned.unshift(thing);
    return thing;
  };
  const host = async (options: Partial<HostOptions> = {}): Promise<ClaudeHost> => {
    const started = own(new ClaudeHost({ api, workspace: place, ...options }));
    await started.initialize();
    return started;
  };
  try {
    await play({ api, place, own, host });
    for (const thing of owned) await thing[Symbol.asyncDispose]();
    const left = await waitUntilGone(place.root);
    assert.deepEqual(left, [], "processes outlive the test");
  } finally {
    killLeftovers(place.root);
  }
}
