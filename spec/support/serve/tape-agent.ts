/**
 * The Claude agent with recordings in place of the CLI, for a server.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { emptyStore } from "../claude/agent-harness.ts";
import { claudeAgent } from "../claude/claude-agent.ts";
import type { SessionStore } from "../../../lib/claude/engine/saved/session-store.ts";
import { realTimer } from "../../../lib/wire/index.ts";
import type { ServerOptions } from "../../../lib/serve/index.ts";
import { relocate, readTape, tapeLink } from "../../../lib/tape/index.ts";

export interface TapedClaude {
  readonly start: ServerOptions["startAgent"];
  readonly bugs: unknown[];
  /** How many recordings are being played. */
  readonly playing: () => number;
}

export function tapedClaude(name: string, store: SessionStore = emptyStore): TapedClaude {
  const path = join(import.meta.dirname, `../../../fixtures/claude/${name}.ndjson`);
  const tape = readTape(readFileSync(path, "utf8"));
  const bugs: unknown[] = [];
  let count = 0;
  return {
    bugs,
    playing: () => count,
    start: (link) =>
      claudeAgent(link, {
        launcher: ({ cwd }) => {
          const played = tapeLink(relocate(tape, cwd));
          count++;
          const closing = {
            ...played,
            open: (callbacks: Parameters<typeof played.open>[0]) =>
              played.open({ ...callbacks, onClose: (reason) => (count--, callbacks.onClose(reason)) }),
          };
          return { link: closing, ready: () => {} };
        },
        after: realTimer,
        env: {},
        program: { command: "bowline", args: [] },
        store,
        prewarms: false,
        onBug: (doing, cause) => bugs.push([doing, cause]),
      }),
  };
}
