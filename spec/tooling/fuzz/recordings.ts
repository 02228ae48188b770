/**
 * All recorded lines of the CLI, to be damaged.
 */
import { recording, recordingNames } from "../../support/claude/claude-recording.ts";

/** The CLI's lines of each recording, as they came. */
export const recorded: ReadonlyMap<string, readonly string[]> = new Map(
  recordingNames().map((name) => [
    name,
    recording(name)
      .filter(({ dir }) => dir === "out")
      .map(({ raw, msg }) => raw ?? JSON.stringify(msg)),
  ]),
);

/** All recorded lines in one pool. */
export const recordedLines: readonly string[] = [...recorded.values()].flat();
