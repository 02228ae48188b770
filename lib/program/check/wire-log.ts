/**
 * A log of every line of every agent process, in both directions.
 */
import { errorCodes, type Incoming, readMessage } from "../../rpc/index.ts";
import { isRecord } from "../../schema/index.ts";

/** Further rows are not kept. */
const maxLogRows = 100_000;

export interface LogRow {
  readonly run: number;
  readonly from: "client" | "agent";
  readonly line: string;
  readonly message: Incoming;
}

/** A `session/update` as the agent sent it. */
export interface LoggedUpdate {
  readonly row: number;
  readonly run: number;
  readonly sessionId: unknown;
  readonly update: Readonly<Record<string, unknown>>;
  readonly kind: string;
}

export class WireLog {
  readonly rows: LogRow[] = [];

  add(run: number, from: LogRow["from"], line: string): Incoming {
    const message = readMessage(line);
    if (this.rows.length < maxLogRows) this.rows.push({ run, from, line, message });
    return message;
  }

  /** Logs a line that the link could not decode. */
  fault(run: number, why: string): void {
    const message = { kind: "malformed", id: null, code: errorCodes.parseError, why } as const;
    this.rows.push({ run, from: "agent", line: "", message });
  }

  get agentRows(): readonly LogRow[] {
    return this.rows.filter(({ from }) => from === "agent");
  }

  updates(from = 0): readonly LoggedUpdate[] {
    return this.rows.slice(from).flatMap(({ from: who, run, message }, i) => {
      if (who === "client" || message.kind !== "notification" || message.method !== "session/update") return [];
      const { params } = message;
      const update = isRecord(params) && isRecord(params["update"]) ? params["update"] : {};
      const sessionId = isRecord(params) ? params["sessionId"] : undefined;
      return [{ row: from + i, run, sessionId, update, kind: String(update["sessionUpdate"]) }];
    });
  }
}
