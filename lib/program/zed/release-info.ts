/**
 * Name, version and archives of a release, for registries that list it.
 *
 * Everything comes from package.json, which is the one place to edit when the project gets
 * its public address. The values of its `repository` and `homepage` are placeholders until then.
 */
import manifest from "../../../package.json" with { type: "json" };
import { version } from "../../version.ts";

export const releaseInfo = {
  id: "bowline",
  name: "Bowline",
  description: manifest.description,
  license: manifest.license,
  author: manifest.author,
  /** The page about the project. */
  website: manifest.homepage,
  /** Where the archives of releases are, without a slash at the end. */
  repository: manifest.repository.url.replace(/^git\+|\.git$/g, ""),
  version,
} as const;

/** Whether an address is one of the domain that is reserved for examples. */
export function isPlaceholder(address: string): boolean {
  return new URL(address).hostname === "example.com";
}

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
