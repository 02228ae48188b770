/**
 * Tape: the Claude agent with a recording in the place of the CLI, for a server.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { nothingSaved } from "../../agent/support/desk.ts";
import { claudeAgent } from "../../../lib/agent/index.ts";
import type { Saved } from "../../../lib/agent/saved.ts";
import { wallClock } from "../../../lib/claude/index.ts";
import type { ServerOptions } from "../../../lib/serve/index.ts";
import { inDirectory, readTape, tapeLink } from "../../../lib/tape/index.ts";

export interface TapedClaude {
  readonly start: ServerOptions["startAgent"];
  readonly bugs: unknown[];
  /** How many recordings are played now. */
  readonly playing: () => number;
}

export function tapedClaude(name: string, saved: Saved = nothingSaved): TapedClaude {
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
          const played = tapeLink(inDirectory(tape, cwd));
          count++;
          const closing = {
            ...played,
            open: (ends: Parameters<typeof played.open>[0]) =>
              played.open({ ...ends, onClose: (reason) => (count--, ends.onClose(reason)) }),
          };
          return { link: closing, ready: () => {} };
        },
        after: wallClock,
        env: {},
        program: { command: "bowline", args: [] },
        saved,
        keepsWarm: false,
        onBug: (doing, cause) => bugs.push([doing, cause]),
      }),
  };
}
