/**
 * Records the duet that `bowline demo --duet` plays, from both real CLIs.
 *
 * `node --import tsx spec/live/record/record-duet.ts` runs the built program: Claude reads a file and
 * answers, then Codex runs a command and answers, in one turn. Only the traffic with the client
 * is kept, without the lists of commands.
 */
import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { duetPrompt, duetScripts, prepareDuet } from "../scenarios/duet.ts";
import { isObject, textAt, at } from "../../support/json.ts";
import { inSessionOfBoth } from "../../support/live/with-both-engines.ts";
import { workspace } from "../../support/live/workspace.ts";

const file = fileURLToPath(new URL("../../../lib/program/demo/duet.ndjson", import.meta.url));
const maxBytes = 20_000;

await using recorded = workspace();
let cwd = "";
await inSessionOfBoth(
  duetScripts(() => cwd),
  async ({ tell, place }) => {
    cwd = place.cwd;
    prepareDuet(place);
    const lines = await tell(duetPrompt);
    assert.equal(lines.at(-1), "answers end_turn");
    process.stderr.write(`${lines.join("\n")}\n`);
  },
  { env: { BOWLINE_ROUTE: "duet", BOWLINE_RECORD: recorded.cwd } },
);

const [tape = ""] = readdirSync(recorded.cwd).filter((name) => name.endsWith(".ndjson"));
const rows = readFileSync(join(recorded.cwd, tape), "utf8")
  .trim()
  .split("\n")
  .map((line): unknown => JSON.parse(line))
  .filter((row) => isObject(row) && (row["side"] ?? "acp") === "acp")
  .filter((row) => kindOf(row) !== "available_commands_update");
const text = rows
  .map((row) => `${JSON.stringify(row)}\n`)
  .join("")
  .replaceAll(cwd, "/project")
  .replaceAll("[[duet]] ", "");
assert.ok(text.length <= maxBytes, `the tape has ${text.length} bytes, more than ${maxBytes}`);
writeFileSync(file, text);
process.stderr.write(`record: ${file}, ${rows.length} lines, ${text.length} bytes\n`);

/** The kind of the session update in a row; undefined for another message. */
function kindOf(row: unknown): string | undefined {
  const params = isObject(row) && isObject(row["msg"]) ? at(row["msg"], "params") : undefined;
  const update = isObject(params) ? at(params, "update") : undefined;
  return isObject(update) ? textAt(update, "sessionUpdate") : undefined;
}
