/**
 * Rules about the standard streams of an agent and its exit.
 */
import { errorCodes } from "../../../rpc/index.ts";
import type { LogRow } from "../wire-log.ts";
import { expect, must, type Rule, should } from "../rule.ts";

const stdio = "transports#stdio";

export const leaving: readonly Rule[] = [
  should("transport/exits", "exits when its stdin is closed", stdio, async (context) => {
    const agent = context.fresh();
    await context.initialize(agent);
    const startedMs = performance.now();
    await agent.close();
    const { limitMs } = context.options;
    expect(performance.now() - startedMs < limitMs, `it was still there after ${limitMs / 1000} s`);
  }),
];

/** Rules that inspect the log of all traffic. */
export const lines: readonly Rule[] = [
  must("transport/only-json", "writes nothing to stdout but lines of JSON in UTF-8", stdio, async (context) => {
    await context.initializeResponse().catch(() => {});
    for (const row of context.log.agentRows) expect(!isMalformed(row, true), `stdout had the line ${show(row)}`);
  }),
  must("transport/only-messages", "writes nothing to stdout but JSON-RPC 2.0 messages", stdio, async (context) => {
    await context.initializeResponse().catch(() => {});
    for (const row of context.log.agentRows) {
      const isMessage = row.message.kind !== "response" || JSON.parse(row.line).jsonrpc === "2.0";
      expect(isMessage && !isMalformed(row, false), `stdout had the line ${show(row)}`);
    }
  }),
];

function isMalformed({ message }: LogRow, isUnreadable: boolean): boolean {
  return message.kind === "malformed" && (message.code === errorCodes.parseError) === isUnreadable;
}

const shownChars = 60;

function show({ line }: LogRow): string {
  return JSON.stringify(line.length > shownChars ? `${line.slice(0, shownChars)}…` : line);
}
