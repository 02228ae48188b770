/**
 * The specs that `npm test` leaves to commands of their own, so that it takes less than three
 * minutes on two cores. `.ci/run` runs all of them.
 */

/** `npm run test:<name>` runs the specs whose paths begin with one of these. */
export const specSets = {
  /** They start Chromium. */
  browser: [
    "spec/program/inspect/inspect.spec.ts",
    "spec/serve/page/page-access.spec.ts",
    "spec/serve/page/page-features.spec.ts",
    "spec/serve/page/page-sessions.spec.ts",
    "spec/serve/page/page.spec.ts",
  ],
  /** They try a fault at every place, let something grow or flood, start many programs, or build what is shipped. */
  slow: [
    "spec/bridge/many-sessions",
    "spec/claude/engine/memory-growth",
    "spec/faults/",
    "spec/fuzz/",
    "spec/library-docs",
    "spec/packets/hostile",
    "spec/program/chat/render/markdown-growth",
    "spec/program/codex/codex-commands",
    "spec/program/tapes/record.spec.ts",
    "spec/program/tapes/tap.spec.ts",
    "spec/program/terminal-escapes",
    "spec/serve/page/text/markdown-growth",
    "spec/serve/slow-readers",
    "spec/tooling/pack/supply",
  ],
} as const;

export type SpecSet = keyof typeof specSets;

/** The set that a spec belongs to; undefined when `npm test` runs it. */
export function setOf(path: string): SpecSet | undefined {
  for (const name of ["browser", "slow"] as const)
    if (specSets[name].some((prefix) => path.startsWith(prefix))) return name;
  return undefined;
}
