/**
 * Parses and compares the version number that `claude --version` prints. Has the oldest version
 * that is accepted and the newest that is tested.
 */

export interface Version {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

/**
 * The minimum: an older CLI is refused (find-cli.ts, startup.ts, `bowline doctor`). It is the
 * version that npm installs on Node 20: later packages require Node 22, although the binary
 * inside them needs no Node at all.
 */
export const minimumVersion: Version = { major: 2, minor: 1, patch: 197 };

/** The newest CLI that the live tests run with. */
export const testedVersion: Version = { major: 2, minor: 1, patch: 325 };

/** Parses text such as `2.1.325 (Claude Code)`. */
export function readVersion(text: string): Version | undefined {
  const found = /(?:^|\s)v?(\d{1,9})\.(\d{1,9})\.(\d{1,9})(?:\s|-|\+|$)/.exec(text);
  if (found === null) return undefined;
  return { major: Number(found[1]), minor: Number(found[2]), patch: Number(found[3]) };
}

export function isOlder(version: Version, than: Version): boolean {
  if (version.major !== than.major) return version.major < than.major;
  if (version.minor !== than.minor) return version.minor < than.minor;
  return version.patch < than.patch;
}

export function describeVersion({ major, minor, patch }: Version): string {
  return `${major}.${minor}.${patch}`;
}
