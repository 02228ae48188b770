/**
 * Reads server-sent events from a byte stream: the data and the id of each event.
 *
 * Reads only events with one line of data, which is how ACP sends its messages: each line with
 * data is an event, and an `id` belongs to the data that follows it. Comments and other fields
 * are ignored. The time for an event grows with its length, not with the number of chunks it
 * comes in.
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
  // The data of an event is one line and comes last, so the blank line that ends an event is
  // not needed.
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
