/**
 * Builds all files of a release from the program.
 */
import { createHash } from "node:crypto";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { registryEntry, zedExtension } from "../../../lib/program/zed/registry-entry.ts";
import { releaseInfo, targets } from "../../../lib/program/zed/release-info.ts";
import { type Entry, tarGz, zip } from "./archive.ts";
import { packagingFiles } from "./packaging.ts";
import { posixLauncher, windowsLauncher } from "./launchers.ts";

export interface Parts {
  readonly program: Buffer;
  readonly licence: Buffer;
  readonly readme: Buffer;
  /** Seconds since 1970 that every file in an archive carries. */
  readonly timeSeconds: number;
  readonly repository?: string | undefined;
}

/** The earliest time that a zip can hold: 1980-01-01. */
export const defaultTimeSeconds = 315_532_800;

/** Writes the archives into a directory that may hold more files of the release, then the sums of all. */
export function writeRelease(directory: string, parts: Parts): void {
  mkdirSync(directory, { recursive: true });
  writeFileSync(join(directory, "bowline.mjs"), parts.program);
  for (const { archive, cmd } of targets) writeFileSync(join(directory, archive), pack(archive, cmd, parts));
  const names = readdirSync(directory).filter((name) => /\.(?:mjs|tar\.gz|tgz|zip)$/.test(name));
  const sums = new Map(names.sort().map((name) => [name, sha256(readFileSync(join(directory, name)))]));
  writeFileSync(join(directory, "SHA256SUMS"), [...sums].map(([name, sum]) => `${sum}  ${name}\n`).join(""));
  const release = { repository: parts.repository ?? releaseInfo.repository, sums };
  for (const [kind, files] of [
    ["registry", registryEntry(release)],
    ["extension", zedExtension(release)],
    ["packaging", packagingFiles(release)],
  ] as const) {
    for (const [name, text] of Object.entries(files)) {
      const path = join(directory, kind, name);
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, text);
    }
  }
}

/** Each file below a directory and its sum, to compare two of them. */
export function sumsBelow(directory: string): ReadonlyMap<string, string> {
  const files = readdirSync(directory, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
  const paths = files.map(({ parentPath, name }) => join(parentPath, name)).sort();
  return new Map(paths.map((path) => [path.slice(directory.length + 1), sha256(readFileSync(path))]));
}

function pack(archive: string, cmd: string, { program, licence, readme, timeSeconds }: Parts): Buffer {
  const isZip = archive.endsWith(".zip");
  const launcher = isZip ? windowsLauncher : posixLauncher;
  const entries: readonly Entry[] = [
    { name: cmd.slice(2), data: Buffer.from(launcher), isExecutable: true },
    { name: "bowline.mjs", data: program, isExecutable: false },
    { name: "LICENSE", data: licence, isExecutable: false },
    { name: "README.md", data: readme, isExecutable: false },
  ];
  return isZip ? zip(entries, timeSeconds) : tarGz(entries, timeSeconds);
}

function sha256(data: Buffer): string {
  return createHash("sha256").update(data).digest("hex");
}
