/**
 * Rules about JSON-RPC: requests, notifications, ids and errors.
 */
import { errorCodes, type RpcResponse } from "../../../rpc/index.ts";
import { codeOf, expect, expectError, must, need, type Rule, should } from "../rule.ts";
import { asSkipped, type CheckContext } from "../check-context.ts";
import { recordOf } from "../schema-check.ts";
import type { RawAnswer } from "../agent-under-test.ts";

const response = "jsonrpc#response_object";
const error = "jsonrpc#error_object";
const { parseError, invalidRequest, methodNotFound, invalidParams } = errorCodes;
const unknownMethod = "bowline/unknown";
const badLine = '{"jsonrpc":"2.0","id":1,"method';

export const rpc: readonly Rule[] = [
  must("rpc/unknown-method", "answers a method it does not know with error -32601", error, async (context) =>
    expectError(await (await context.ready()).ask(unknownMethod, {}), "an unknown method", methodNotFound),
  ),
  must(
    "rpc/custom-request",
    "answers a custom request it does not know",
    "extensibility#custom-requests",
    async (context) => expectError(await (await context.ready()).ask("_bowline.check/unknown", {}), "a custom request"),
  ),
  should(
    "rpc/custom-notification",
    "ignores a notification it does not know",
    "extensibility#custom-notifications",
    async (context) => {
      const agent = await context.ready();
      agent.notify("_bowline.check/told", {});
      agent.notify("$/bowline_check", {});
      await agent.settle();
    },
  ),
  should("rpc/invalid-params", "answers params of the wrong kind with error -32602", error, async (context) => {
    const answer = await (await context.ready()).ask("session/new", { cwd: 5, mcpServers: [] });
    expectError(answer, "a cwd that is a number", invalidParams);
  }),
  must("rpc/number-id", "echoes a number as id exactly", response, (context) =>
    echoes(context, ["0", "-7", "9007199254740991"]),
  ),
  must("rpc/string-id", "echoes a string as id exactly", response, (context) =>
    echoes(context, ['"1"', '""', '"\\u00e9\\n"']),
  ),
  should("rpc/parse-error", "answers a line that is not JSON with error -32700", error, async (context) =>
    expectError(await answerTo(context, badLine), "a line that is not JSON", parseError),
  ),
  must("rpc/parse-error-id", "answers a request whose id cannot be read with id null", response, async (context) => {
    const agent = await context.ready();
    const from = context.log.rows.length;
    agent.send(badLine);
    await agent.settle().catch(asSkipped);
    const parseErrors = responses(context, from).filter((answer) => codeOf(answer) === parseError);
    need(parseErrors.length > 0, "a line that is not JSON is not answered");
    expect(
      parseErrors.every(({ id }) => id === null),
      "a line that is not JSON was answered with an id",
    );
  }),
  should("rpc/invalid-request", "answers JSON that is no request with error -32600", error, async (context) =>
    expectError(
      await answerTo(context, '{"jsonrpc":"2.0","method":1,"params":"bar"}'),
      "a method that is a number",
      invalidRequest,
    ),
  ),
  should("rpc/survives", "goes on after lines that are no messages", error, async (context) => {
    const agent = await context.ready();
    for (const line of ["{", "[]", "null", '{"jsonrpc":"2.0","id":"never asked","result":{}}']) agent.send(line);
    await agent.settle();
  }),
];

/** Rules that inspect the log of all traffic. */
export const answers: readonly Rule[] = [
  must("rpc/answers-once", "answers each request once", response, async (context) => {
    await context.initializeResponse();
    for (const { id, asked, answered } of answerCounts(context)) {
      expect(asked === 0 || answered <= asked, `the request with id ${id} was answered ${answered} times`);
    }
  }),
  must("rpc/no-answer", "never answers a notification", "jsonrpc#notification", async (context) => {
    const agent = await context.ready();
    agent.notify("session/cancel", { sessionId: "bowline-none" });
    await agent.settle();
    for (const { id, asked, answered } of answerCounts(context)) {
      expect(asked > 0 || answered === 0, `there was an answer with id ${id}, which was not asked`);
    }
  }),
  must("rpc/result-or-error", "answers with a result or an error, never both", response, async (context) => {
    await context.initializeResponse();
    for (const { result, error: fault } of responses(context)) {
      expect(result === undefined || fault === undefined, "an answer had both a result and an error");
    }
  }),
  must("rpc/error-shape", "gives each error an integer code and a message", error, async (context) => {
    await (await context.ready()).ask(unknownMethod, {});
    for (const { error: fault } of responses(context)) {
      if (fault === undefined) continue;
      const { code, message } = recordOf(fault);
      expect(Number.isInteger(code) && typeof message === "string", "an error had no integer code or no message");
    }
  }),
];

async function echoes(context: CheckContext, ids: readonly string[]): Promise<void> {
  const agent = await context.ready();
  for (const id of ids) await agent.ask(unknownMethod, {}, context.options.limitMs, id);
}

/** Sends a line and waits for the response with id null. */
async function answerTo(context: CheckContext, line: string): Promise<RawAnswer> {
  const agent = await context.ready();
  const answer = agent.answerTo("null", "it");
  agent.send(line);
  return answer;
}

function responses({ log }: CheckContext, from = 0): readonly RpcResponse[] {
  return log.rows.slice(from).flatMap((row) => {
    return row.from === "agent" && row.message.kind === "response" ? [row.message] : [];
  });
}

/** How often each id was requested and answered, per run. A malformed line counts as a request with id null. */
function answerCounts({
  log,
}: CheckContext): readonly { readonly id: string; readonly asked: number; readonly answered: number }[] {
  const counts = new Map<string, { id: string; asked: number; answered: number }>();
  for (const { run, from, message } of log.rows) {
    const isOurs = from === "client";
    if (message.kind === "notification" || (message.kind === "malformed" && !isOurs)) continue;
    if ((message.kind === "response") === isOurs && message.kind !== "malformed") continue;
    const id = JSON.stringify(message.id) ?? "none";
    const count = counts.get(`${run} ${id}`) ?? { id, asked: 0, answered: 0 };
    counts.set(`${run} ${id}`, count);
    if (isOurs) count.asked++;
    else count.answered++;
  }
  return [...counts.values()];
}
