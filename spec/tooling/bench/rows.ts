/**
 * All rows of the bench's table, in order.
 */
import { agentRows } from "./rows/agent.ts";
import { codexRows } from "./rows/codex.ts";
import { decodeRows } from "./rows/decode.ts";
import { encodeRows } from "./rows/encode.ts";
import { growthRows } from "./rows/growth.ts";
import { pressureRows } from "./rows/pressure.ts";
import { roundTripRows } from "./rows/round-trip.ts";
import type { Row, Setting } from "./row.ts";
import { schemaRows } from "./rows/schema.ts";
import { sessionRows } from "./rows/sessions.ts";
import { startUpRows } from "./rows/start-up.ts";
import { tapRows } from "./rows/tap.ts";
import { transcriptRows } from "./rows/transcripts.ts";

export function rowsOf(setting: Setting): readonly Row[] {
  return [
    ...decodeRows(setting),
    ...encodeRows(setting),
    ...roundTripRows(setting),
    ...schemaRows(setting),
    ...startUpRows(setting),
    ...sessionRows(setting),
    ...growthRows(setting),
    ...pressureRows(setting),
    ...tapRows(setting),
    ...transcriptRows(setting),
    ...agentRows(setting),
    ...codexRows(setting),
  ];
}
