/**
 * All rows of the bench's table, in order.
 */
import { agentRows } from "./agent.ts";
import { codexRows } from "./codex.ts";
import { decodeRows } from "./decode.ts";
import { encodeRows } from "./encode.ts";
import { growthRows } from "./growth.ts";
import { pressureRows } from "./pressure.ts";
import { roundTripRows } from "./round-trip.ts";
import type { Row, Setting } from "./row.ts";
import { schemaRows } from "./schema.ts";
import { sessionRows } from "./sessions.ts";
import { startUpRows } from "./start-up.ts";
import { tapRows } from "./tap.ts";
import { transcriptRows } from "./transcripts.ts";

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
