/**
 * All calls to compare, from the lists of commands, paths and rules.
 *
 * Calls with the same settings are next to each other, so that a worker can keep its session.
 */
import type { ComparedCall, Kind } from "./call.ts";
import { commands } from "./commands.ts";
import { pathCalls } from "./paths.ts";
import { ruleCalls } from "./rules.ts";

export function comparedCalls(): readonly ComparedCall[] {
  const all = [...commandCalls(), ...pathCalls(), ...ruleCalls()];
  const ids = new Set<string>();
  for (const { id } of all) {
    if (ids.has(id)) throw new Error(`two calls are called ${id}`);
    ids.add(id);
  }
  return all;
}

function commandCalls(): readonly ComparedCall[] {
  const kind: Kind = "commands";
  return Object.entries(commands).flatMap(([group, list]) =>
    list.map((command) => {
      const id = `Bash ${command}`;
      return { kind, group, id, tool: "Bash" as const, input: { command }, before: [], settings: [] };
    }),
  );
}
