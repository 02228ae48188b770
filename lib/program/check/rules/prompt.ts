/**
 * Rules about prompts: turns, their updates and tool calls, and cancellation.
 */
import { isAbsolutePath, RequestPermissionRequest, SessionUpdate, StopReason } from "../../../acp/index.ts";
import type { LoggedUpdate } from "../wire-log.ts";
import { expect, expectResult, must, need, type Rule, should } from "../rule.ts";
import type { CheckContext, CheckedTurn } from "../check-context.ts";
import { faultIn, listOf, recordOf } from "../schema-check.ts";

const cancellation = "prompt-turn#cancellation";
const creating = "tool-calls#creating";

/** A turn that ends sooner was over before the agent could read the cancel. */
const tooShortMs = 100;

/** How long to wait for the first update before the turn is cancelled. */
const firstUpdateMs = 3000;

export const prompt: readonly Rule[] = [
  should("cancel/idle", "takes a cancel when no turn runs", cancellation, async (context) => {
    const { agent, sessionId } = await context.session();
    agent.notify("session/cancel", { sessionId });
    await agent.settle();
    if (context.options.prompts === undefined) return;
    expect(stopReason(await context.turn()) !== "cancelled", "the next turn was cancelled");
  }),
  must(
    "prompt/answers",
    "answers a prompt with one of the stop reasons",
    "prompt-turn#stop-reasons",
    async (context) => {
      const { answer } = await (await context.turns()).first;
      const { stopReason: given } = recordOf(expectResult(answer, "the prompt"));
      expect(faultIn(StopReason, given) === undefined, `the stop reason was ${JSON.stringify(given)}`);
    },
  ),
  should("prompt/text", "tells what the model said", "prompt-turn#3-agent-reports-output", async (context) => {
    const { sessionId, from } = await context.turn();
    const allUpdates = context.log
      .updates(from)
      .some((one) => one.sessionId === sessionId && one.kind === "agent_message_chunk");
    expect(allUpdates, "the turn had no agent_message_chunk");
  }),
  must(
    "cancel/at-once",
    "answers a turn that is cancelled at once with the stop reason cancelled",
    cancellation,
    async (context) => expectCancelled(await (await context.turns()).second),
  ),
  must(
    "cancel/mid-turn",
    "answers a turn that is cancelled while it runs with the stop reason cancelled",
    cancellation,
    async (context) => {
      const opened = await context.second();
      const { agent, sessionId } = opened;
      const waits = async (): Promise<void> => {
        await agent.untilUpdate(({ sessionId: whose, kind }) => whose === sessionId && isContent(kind), firstUpdateMs);
        agent.notify("session/cancel", { sessionId });
      };
      expectCancelled(await context.prompt(opened, "long", waits));
    },
  ),
  should("prompt/empty", "answers a prompt without content", "schema#promptrequest", async (context) => {
    const { answer } = await context.prompt(await context.second(), "empty");
    const { stopReason: given } = recordOf(answer.result);
    const isAnswered = answer.error !== undefined || faultIn(StopReason, given) === undefined;
    expect(isAnswered, `the stop reason was ${JSON.stringify(given)}`);
  }),
  should("cancel/others", "leaves other sessions alone when one is cancelled", "session-setup", async (context) =>
    expect(stopReason(await context.turn()) !== "cancelled", "a cancel in one session ended the turn of another"),
  ),
  should(
    "session/mcp-connects",
    "connects to the MCP servers it is given",
    "session-setup#mcp-servers",
    async (context) => {
      await context.turn();
      need(context.mcpFailure === undefined, "it does not take one");
      expect(context.options.mcp.wasStarted(), "the server was not started by the end of a turn");
    },
  ),
];

/** Rules that inspect the log of all traffic. */
export const updates: readonly Rule[] = [
  must("prompt/updates", "sends updates as the schema has them", "schema#sessionupdate", async (context) => {
    for (const { update, kind } of await allUpdates(context)) {
      const fault = faultIn(SessionUpdate, update);
      expect(fault === undefined, `in an update of kind ${kind}, ${fault}`);
    }
  }),
  must(
    "prompt/own-session",
    "sends updates only for sessions that were opened",
    "session-setup#session-id",
    async (context) => {
      for (const { sessionId, kind } of await allUpdates(context)) {
        const isOurs = typeof sessionId === "string" && context.sessionIds.has(sessionId);
        expect(isOurs, `an update of kind ${kind} was for an unknown session`);
      }
    },
  ),
  should("prompt/updates-first", "sends all updates of a turn before its answer", cancellation, async (context) => {
    const { agent } = await context.turn();
    await agent.settle();
    const kind = lateUpdate(context);
    expect(kind === undefined, `an update of kind ${kind} came after the answer`);
  }),
  must(
    "prompt/unasked",
    "sends no update the client did not advertise",
    "initialization#capabilities",
    async (context) => {
      for (const { kind } of await allUpdates(context)) {
        expect(!/^(?:notice|compaction_)/.test(kind), `there was an update of kind ${kind}`);
      }
    },
  ),
  must(
    "prompt/client-methods",
    "calls no client method that was not advertised",
    "file-system#checking-support",
    async (context) => {
      await context.turn().catch(() => context.ready());
      for (const { message } of context.log.agentRows) {
        const method = message.kind === "request" ? message.method : "";
        expect(!/^(?:fs|terminal|elicitation)\//.test(method), `it called ${method}`);
      }
    },
  ),
  must(
    "tools/permission",
    "asks for permission as the schema has it, with options of their own ids",
    "tool-calls#requesting-permission",
    async (context) => {
      await allUpdates(context);
      const asked = context.log.agentRows.flatMap(({ message }) => {
        return message.kind === "request" && message.method === "session/request_permission" ? [message.params] : [];
      });
      need(asked.length > 0, "it asked for none");
      for (const params of asked) {
        const fault = faultIn(RequestPermissionRequest, params);
        expect(fault === undefined, `in a request for permission, ${fault}`);
        const ids = listOf(recordOf(params)["options"]).map((option) => recordOf(option)["optionId"]);
        expect(ids.length > 0 && new Set(ids).size === ids.length, "a request had no options, or two of one id");
      }
    },
  ),
  should("tools/announced", "announces a tool call before it updates it", creating, async (context) => {
    for (const { isAnnounced } of await toolCalls(context))
      expect(isAnnounced, "an update was for a tool call that was not announced");
  }),
  must("tools/unique-ids", "gives each tool call an id of its own", creating, async (context) => {
    for (const { times } of await toolCalls(context)) expect(times < 2, "two tool calls have the same id");
  }),
  should(
    "tools/ended",
    "ends every tool call before the turn ends",
    "prompt-turn#4-check-for-completion",
    async (context) => {
      for (const { status } of await toolCalls(context)) {
        expect(status === "completed" || status === "failed", `a tool call was left ${String(status)}`);
      }
    },
  ),
  must("tools/paths", "sends only absolute paths", "overview#argument-requirements", async (context) => {
    const paths = (await allUpdates(context)).flatMap(({ update }) => {
      return [...listOf(update["locations"]), ...listOf(update["content"])].map((one) => recordOf(one)["path"]);
    });
    const given = paths.filter((path) => typeof path === "string");
    need(given.length > 0, "it sent none");
    expect(given.every(isAbsolutePath), "a path of a tool call is not absolute");
  }),
];

function expectCancelled({ answer, tookMs }: CheckedTurn): void {
  const { stopReason: given } = recordOf(expectResult(answer, "the cancelled turn"));
  need(given === "cancelled" || tookMs > tooShortMs, "the turn was over before it could be cancelled");
  expect(given === "cancelled", `the stop reason was ${JSON.stringify(given)}`);
}

function stopReason({ answer }: CheckedTurn): unknown {
  return recordOf(answer.result)["stopReason"];
}

async function allUpdates(context: CheckContext): Promise<readonly LoggedUpdate[]> {
  const why = await context.turn().then(
    () => "it sent no updates",
    (cause: Error) => cause.message,
  );
  const all = context.log.updates();
  need(all.length > 0, why);
  return all;
}

/** Whether updates of this kind belong to a turn; others may come at any time. */
function isContent(kind: string): boolean {
  return /^(?:agent_(?:message|thought)_chunk|tool_call(?:_update)?|plan)$/.test(kind);
}

/** The kind of the first turn update that came while its session had no open request. */
function lateUpdate({ log }: CheckContext): string | undefined {
  const open = new Map<string, unknown>();
  const updatesByRow = new Map(log.updates().map((one) => [one.row, one]));
  for (const [i, { run, from, message }] of log.rows.entries()) {
    const update = updatesByRow.get(i);
    if (from === "client" && message.kind === "request") {
      open.set(`${run} ${String(message.id)}`, recordOf(message.params)["sessionId"]);
    } else if (from === "agent" && message.kind === "response") {
      open.delete(`${run} ${String(message.id)}`);
    } else if (update !== undefined && isContent(update.kind) && ![...open.values()].includes(update.sessionId)) {
      return update.kind;
    }
  }
  return undefined;
}

interface ToolCallSeen {
  readonly isAnnounced: boolean;
  /** How often the call was announced. */
  times: number;
  status: unknown;
}

/** The final state of each tool call. Keyed by run, because a replayed history repeats ids in another run. */
async function toolCalls(context: CheckContext): Promise<readonly ToolCallSeen[]> {
  const calls = new Map<string, ToolCallSeen>();
  for (const { run, sessionId, update, kind } of await allUpdates(context)) {
    if (!kind.startsWith("tool_call")) continue;
    const isAnnounced = kind === "tool_call";
    const key = [run, sessionId, update["toolCallId"]].join(" ");
    const call = calls.get(key) ?? { isAnnounced, times: 0, status: "pending" };
    calls.set(key, call);
    if (isAnnounced) call.times++;
    if (update["status"] != null) call.status = update["status"];
  }
  need(calls.size > 0, "the turn had no tool call");
  return [...calls.values()];
}
