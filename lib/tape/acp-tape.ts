/**
 * The ACP messages of a recording, as rows to play or to wait for.
 *
 * Lines of the client that are no JSON-RPC message are left out.
 */
import { describeExit, type RowFields, isFields, type Row, textOf } from "./tape-rows.ts";

export type AcpRow =
  | { readonly kind: "said"; readonly atMs: number; readonly line: string; readonly msg: RowFields }
  | { readonly kind: "awaited"; readonly atMs: number; readonly msg: RowFields }
  | { readonly kind: "host-ended"; readonly atMs: number }
  | { readonly kind: "exit"; readonly atMs: number; readonly code: number; readonly why: string };

export interface AcpTape {
  readonly rows: readonly AcpRow[];
}

/** The messages between editor and agent, as rows to play or to wait for. */
export function acpTape(all: readonly Row[]): AcpTape {
  const rows: AcpRow[] = [];
  for (const row of all) {
    if (row.side !== "acp") continue;
    const { atMs } = row;
    if (row.kind === "eof") rows.push({ kind: "host-ended", atMs });
    if (row.kind === "exit") {
      const why = `the recorded agent ended with ${describeExit(row)}`;
      rows.push({ kind: "exit", atMs, code: row.code ?? 1, why });
    }
    if (row.kind !== "message") continue;
    const { line } = row;
    const msg = isFields(row.msg) ? row.msg : {};
    if (row.dir === "out") rows.push({ kind: "said", atMs, line, msg });
    else if ("id" in msg || "method" in msg) rows.push({ kind: "awaited", atMs, msg });
  }
  return { rows };
}

/** The id of a request or response as a map key; undefined for a notification. */
export function idOf({ id }: RowFields): string | undefined {
  return id === undefined ? undefined : JSON.stringify(id);
}

export function methodOf({ method }: RowFields): string | undefined {
  return textOf(method);
}

export function paramsOf({ params }: RowFields): RowFields {
  return isFields(params) ? params : {};
}

export function sessionIn(message: RowFields): string | undefined {
  return textOf(paramsOf(message)["sessionId"]);
}
