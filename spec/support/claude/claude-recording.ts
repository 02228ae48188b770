/**
 * Reads a recording of fixtures/claude as typed rows.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

export interface RecordedRow {
  readonly dir: "meta" | "in" | "out" | "stderr" | "exit" | "note";
  readonly msg?: unknown;
  readonly raw?: string;
}

const fixtures = join(import.meta.dirname, "../../../fixtures/claude");

export function recordingNames(directory: string = fixtures): readonly string[] {
  return readdirSync(directory)
    .filter((name) => name.endsWith(".ndjson"))
    .map((name) => name.slice(0, -".ndjson".length));
}

export function recording(name: string, directory: string = fixtures): readonly RecordedRow[] {
  const text = readFileSync(join(directory, `${name}.ndjson`), "utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line): RecordedRow => JSON.parse(line));
}

/** The CLI's lines, in order. */
export function saidByCli(name: string, directory?: string): readonly unknown[] {
  return recording(name, directory)
    .filter((row) => row.dir === "out")
    .map((row) => row.msg);
}
