/**
 * Name, version and archives of a release, for registries that list it.
 *
 * Equal to package.json; spec/program/zed/zed.spec.ts compares them.
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

/** Used until the project has a public repository. */
export const placeholderRepository = "https://example.com/bowline";

export interface Target {
  /** The platform's name in the registry and in Zed. */
  readonly name: string;
  readonly archive: string;
  readonly cmd: string;
}

/** The platforms that have an archive. */
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
