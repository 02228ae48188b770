/**
 * Reads a recording as rows that can be played and damaged.
 */
import { isObject } from "../json.ts";
import { recording } from "../claude/claude-recording.ts";
import type { ClaudeRow } from "./claude-fault-runner.ts";

export function script(name: string): readonly ClaudeRow[] {
  return recording(name).flatMap(({ dir, msg, raw }): readonly ClaudeRow[] => {
    if (dir === "out") return [{ said: raw ?? JSON.stringify(msg) }];
    return dir === "in" && isObject(msg) ? [{ heard: msg }] : [];
  });
}

/** The rows as texts, to be damaged as texts; `rowsOf` reads them back. */
export function linesOf(rows: readonly ClaudeRow[]): readonly string[] {
  return rows.map((row, i) => ("said" in row ? row.said : `${hostMark}${i}`));
}

export function rowsOf(lines: readonly string[], rows: readonly ClaudeRow[]): readonly ClaudeRow[] {
  return lines.flatMap((line) => {
    if (!line.startsWith(hostMark)) return [{ said: line }];
    const row = rows[Number(line.slice(hostMark.length))];
    return row === undefined ? [] : [row];
  });
}

const hostMark = "the host says row ";
