/**
 * Decides which specs share a process, and in which order the processes start. Most specs
 * take less time than the start of a process; together in a few processes they take a third
 * of it.
 *
 * A spec has a process of its own if it is slow, or if it or its support code changes or
 * measures what a process has once: the environment, memory, signals, the test runner's
 * hooks for all tests. Specs that start other programs share processes with each other, few
 * in each: while one process waits, another one works.
 */
import type { Metafile } from "esbuild";

export interface SpecGroup {
  /** Paths from the root. */
  readonly specs: readonly string[];
}

/** Enough groups to keep the cores busy; a longer group saves little more. */
const maxGroupSpecs = 16;
const maxWaitingGroupSpecs = 5;
/** They take five seconds and more, the slowest first. They start first, so that none is still running at the end. */
const longestSpecs = [
  "spec/faults/",
  "spec/program/codex/",
  "spec/program/tapes/",
  "spec/fuzz/",
  "spec/program/terminal-escapes",
  "spec/program/chat/frontend/",
  "spec/tooling/pack/",
  "spec/bin/",
  "spec/program/chat/render/markdown-growth",
  "spec/packets/hostile",
  "spec/library-docs",
  "spec/bridge/many-sessions",
] as const;
const startsPrograms = /^(?:node:)?(?:child_process|worker_threads|cluster)$/;
const usesItsProcess =
  /\bprocess\.(?:chdir|emit|memoryUsage|umask)\b|\bprocess\.(?:on|once)\((?!"exit")|\bprocess\.env\b.*(?:(?<![=!])=[^=>]|\bdelete\b)|delete process\.env|\bgc\(|\bsetFlagsFromString\b|\bmock\.|\bglobalThis\b|^(?:before|beforeEach|afterEach)\(/m;

export interface GroupingOptions {
  readonly specs: readonly string[];
  readonly metafile: Metafile;
  readonly readText: (path: string) => string;
}

export function groupSpecs({ specs, metafile, readText }: GroupingOptions): readonly SpecGroup[] {
  const alone: string[] = [];
  const waiting: string[] = [];
  const computing: string[] = [];
  for (const spec of specs) {
    const support = supportOf(spec);
    if (rankOf(spec) < longestSpecs.length || support.some((path) => usesItsProcess.test(readText(path))))
      alone.push(spec);
    else if (support.some(importsPrograms)) waiting.push(spec);
    else computing.push(spec);
  }
  return [
    ...alone.toSorted((a, b) => rankOf(a) - rankOf(b)).map((spec) => ({ specs: [spec] })),
    ...grouped(waiting, maxWaitingGroupSpecs),
    ...grouped(computing, maxGroupSpecs),
  ];

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

/** The place among the slow specs. */
function rankOf(spec: string): number {
  const rank = longestSpecs.findIndex((prefix) => spec.startsWith(prefix));
  return rank < 0 ? longestSpecs.length : rank;
}

/** Groups of specs of the same folder. */
function grouped(specs: readonly string[], maxSpecs: number): readonly SpecGroup[] {
  const folders = new Map<string, string[][]>();
  for (const spec of specs) {
    const folder = spec.split("/").slice(0, 2).join("/");
    const groups = folders.get(folder) ?? [];
    folders.set(folder, groups);
    const last = groups.at(-1);
    if (last === undefined || last.length >= maxSpecs) groups.push([spec]);
    else last.push(spec);
  }
  return [...folders.values()].flat().map((group) => ({ specs: group }));
}
