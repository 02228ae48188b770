/**
 * The traffic between editor and agent, in a form for golden files.
 *
 * Ids and directories of the machine get stable names, and the long lists of every
 * session are cut to their keys. `in` is towards the agent, as in the recordings.
 */
import type { WireLine } from "../live/agent-program.ts";
import { at, isObject, listAt } from "../json.ts";
import type { Replayed } from "./replay-recording.ts";

export function goldenTraffic({ wire, cwd }: Replayed): string {
  const named = new Map<string, string>();
  const name = (uuid: string): string => {
    const known = named.get(uuid) ?? `uuid-${named.size + 1}`;
    named.set(uuid, known);
    return known;
  };
  const lines = wire.map((line) =>
    JSON.stringify({ dir: line.from === "client" ? "in" : "out", msg: shortened(line) })
      .replaceAll(cwd, "/home/dev/project")
      .replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/g, name),
  );
  return `${lines.join("\n")}\n`;
}

const maxNames = 3;

/** Lists that are the session's, not the conversation's, by their keys alone. */
function shortened({ message }: WireLine): unknown {
  return JSON.parse(JSON.stringify(message), (key, value: unknown) => {
    if (key === "agentInfo") return { ...(isObject(value) ? value : {}), version: "…" };
    if (key === "agentCapabilities" && isObject(value)) return Object.keys(value);
    if (key === "authMethods" && Array.isArray(value)) return value.map((one) => at(one, "id"));
    if (key === "availableCommands" && Array.isArray(value)) {
      const names = value.map((one) => at(one, "name"));
      return names.length > maxNames ? [...names.slice(0, maxNames), "…"] : names;
    }
    if (key === "availableModes" && Array.isArray(value)) return value.map((one) => at(one, "id"));
    if (key === "configOptions" && Array.isArray(value)) {
      return value.map(
        (one) => `${String(at(one, "id"))}=${String(at(one, "currentValue"))} of ${listAt(one, "options").length}`,
      );
    }
    return value;
  });
}
