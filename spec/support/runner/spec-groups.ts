/**
 * Decides which specs share a process. Most specs take less time than the start of a
 * process; together in a few processes they take a third of it.
 *
 * A spec has a process of its own if it or its support code starts other programs, or if
 * it changes or measures what a process has once: the environment, memory, signals, the
 * test runner's hooks for all tests.
 */
import type { Metafile } from "esbuild";

export interface SpecGroup {
  /** Paths from the root. */
  readonly specs: readonly string[];
}

/** Enough groups to keep the cores busy; a longer group saves little more. */
const maxGroupSpecs = 16;
/** Their specs take 10 s and more each. */
const slowFolders = ["spec/faults/", "spec/fuzz/"] as const;
const startsPrograms = /^(?:node:)?(?:child_process|worker_threads|cluster)$/;
const usesItsProcess =
  /\bprocess\.(?:chdir|on|once|kill|emit|exit\w*|memoryUsage|cpuUsage|umask)\b|\bprocess\.env\b.*(?:=[^=>]|\bdelete\b)|delete process\.env|\bgc\(|\bsetFlagsFromString\b|\bmock\.|\bglobalThis\b|^(?:before|beforeEach|afterEach)\(/m;

export interface GroupingOptions {
  readonly specs: readonly string[];
  readonly metafile: Metafile;
  readonly readText: (path: string) => string;
}

export function groupSpecs({ specs, metafile, readText }: GroupingOptions): readonly SpecGroup[] {
  const alone: SpecGroup[] = [];
  const shared = new Map<string, string[][]>();
  for (const spec of specs) {
    if (needsOwnProcess(spec)) {
      alone.push({ specs: [spec] });
      continue;
    }
    const folder = spec.split("/").slice(0, 2).join("/");
    const groups = shared.get(folder) ?? [];
    shared.set(folder, groups);
    const last = groups.at(-1);
    if (last === undefined || last.length >= maxGroupSpecs) groups.push([spec]);
    else last.push(spec);
  }
  return [...alone, ...[...shared.values()].flat().map((group) => ({ specs: group }))];

  function needsOwnProcess(spec: string): boolean {
    return (
      slowFolders.some((folder) => spec.startsWith(folder)) ||
      supportOf(spec).some((path) => importsPrograms(path) || usesItsProcess.test(readText(path)))
    );
  }

  /** The spec and the files below spec/ that it imports, directly or not. */
  function supportOf(spec: string): readonly string[] {
    const found = new Set([spec]);
    for (const path of found)
      for (const { path: imported, external } of metafile.inputs[path]?.imports ?? [])
        if (external !== true && imported.startsWith("spec/")) found.add(imported);
    return [...found];
  }

  function importsPrograms(path: string): boolean {
    return (metafile.inputs[path]?.imports ?? []).some((one) => one.external === true && startsPrograms.test(one.path));
  }
}
