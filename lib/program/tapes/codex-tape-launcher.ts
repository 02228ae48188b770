/**
 * Launches tapes instead of `codex app-server`, one recorded process per launch.
 */
import type { AgentOptions } from "../../agent/index.ts";
import { EngineFailure } from "../../engine/index.ts";
import { codexTapeLink, codexTapes, isOtherHostsRequest, type Row } from "../../tape/index.ts";
import type { TapeLauncherOptions } from "./tape-launcher.ts";

export function codexTapeLauncher(
  rows: readonly Row[],
  options: TapeLauncherOptions,
): Pick<AgentOptions, "route" | "codexLauncher" | "textOf"> {
  const isTwoSided = rows.some(({ side }) => side === "acp");
  const tapes = [...codexTapes(rows)];
  return {
    route: "codex",
    codexLauncher: () => {
      const tape = tapes.shift();
      if (tape === undefined) throw new EngineFailure("exited", "the tape has no more of Codex");
      const link = codexTapeLink(tape, {
        ...options,
        onWait: (message) => message && !isTwoSided && isOtherHostsRequest(message) && link.skip(),
      });
      return link;
    },
    // The files of the recording are not here.
    textOf: () => undefined,
  };
}
