/**
 * Facts: what a release is called and made of, for those who distribute it.
 *
 * As package.json has them; a spec compares the two.
 */
import { version } from "../../version.ts";

export const releaseInfo = {
  id: "bowline",
  name: "Bowline",
  description:
    "Ties an editor to an agent with one line: a zero-dependency runtime for the Agent Client Protocol, and Claude Code in any editor that speaks it.",
  license: "MIT",
  version,
} as const;

/** Stands where the project's own address belongs until it has one. */
export const placeholderRepository = "https://example.com/bowline";

export interface Target {
  /** As the registry and Zed name it. */
  readonly name: string;
  readonly archive: string;
  readonly cmd: string;
}

/** Every system there is an archive for. */
export const targets: readonly Target[] = ["darwin", "linux", "windows"].flatMap((system) =>
  ["aarch64", "x86_64"].map((machine) => {
    const isWindows = system === "windows";
    const name = `${system}-${machine}`;
    return {
      name,
      archive: `bowline-${version}-${name}${isWindows ? ".zip" : ".tar.gz"}`,
      cmd: isWindows ? "./bowline.cmd" : "./bowline",
    };
  }),
);
