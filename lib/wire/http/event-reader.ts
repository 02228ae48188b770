/**
 * Reads server-sent events from a byte stream: the data and the id of each event.
 *
 * Works on lines, so that an event costs time in proportion to its length in chunks of
 * any size. Comments and other fields are ignored.
 */
import { lineReader } from "../line-reader.ts";

export interface EventReaderCallbacks {
  readonly onEvent: (data: string, id: string | undefined) => void;
  /** An event is longer than the limit, or not UTF-8. */
  readonly onFault: () => void;
}

export interface EventReader {
  readonly push: (chunk: Uint8Array) => void;
}

/** Room for the name of the field. */
const fieldBytes = 16;

export function eventReader({ onEvent, onFault }: EventReaderCallbacks, maxEventBytes: number): EventReader {
  let id: string | undefined;
  // One line of JSON: an event has its id first and its data last, and the blank line
  // between events is not needed to tell them apart.
  const reader = lineReader(
    {
      onLine: (line) => {
        const [, field, value = ""] = /^(data|id): ?(.*)$/s.exec(line) ?? [];
        if (field === "id") id = value;
        if (field !== "data" || value.trim() === "") return;
        const ended = id;
        id = undefined;
        onEvent(value, ended);
      },
      onFault,
    },
    maxEventBytes + fieldBytes,
  );
  return { push: reader.push };
}
