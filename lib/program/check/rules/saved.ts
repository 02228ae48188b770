/**
 * Rules about saved sessions: list, load, resume, fork, close and delete, tested on
 * agents that advertise them.
 */
import { type AgentCapabilities, ListSessionsResponse } from "../../../acp/index.ts";
import { expect, expectError, expectResult, must, need, type Rule, should } from "../rule.ts";
import type { CheckContext } from "../check-context.ts";
import { faultIn, listOf, recordOf } from "../schema-check.ts";
import type { RawAnswer, AgentUnderTest } from "../agent-under-test.ts";

const listing = "session-list#listing-sessions";
const loading = "session-setup#loading-a-session";
const unknownSessionId = "00000000-0000-4000-8000-000000000000";

type Ability = "list" | "resume" | "fork" | "close" | "delete";

export const saved: readonly Rule[] = [
  must("saved/list", "answers session/list as the schema has it", listing, async (context) => {
    const result = expectResult(await ask(context, "list", {}), "session/list");
    const fault = faultIn(ListSessionsResponse, result);
    expect(fault === undefined, `in the answer, ${fault}`);
  }),
  must("saved/list-none", "answers with an empty list where there is no session", listing, async (context) => {
    const cwd = `${context.options.cwd}-none`;
    const { sessions } = recordOf(expectResult(await ask(context, "list", { cwd }), "session/list"));
    expect(Array.isArray(sessions) && sessions.length === 0, "a directory without sessions has some");
  }),
  should("saved/list-cursor", "refuses a cursor it did not give", "session-list#pagination", async (context) =>
    expectError(await ask(context, "list", { cursor: "bowline-none" }), "an unknown cursor"),
  ),
  should("saved/listed", "lists a session that had a turn", listing, async (context) => {
    await agentWith(context, "list");
    const { sessionId } = await context.turn();
    expect(await isListed(context, sessionId), "the session of the turn is not listed");
  }),
  must("saved/load", "replays the conversation before it answers session/load", loading, async (context) => {
    need((await context.capabilities()).loadSession === true, "it does not offer loadSession");
    const kinds = await reopen(context, "session/load");
    for (const kind of ["user_message_chunk", "agent_message_chunk"]) {
      expect(kinds.includes(kind), `no ${kind} came before the answer`);
    }
  }),
  should("saved/load-unknown", "refuses to load a session that does not exist", loading, async (context) => {
    need((await context.capabilities()).loadSession === true, "it does not offer loadSession");
    const { agent } = await context.session();
    const { cwd } = context.options;
    expectError(
      await agent.ask("session/load", { sessionId: unknownSessionId, cwd, mcpServers: [] }),
      "an unknown session",
    );
  }),
  must("saved/resume", "resumes a session without replaying it", "session-setup#resuming-sessions", async (context) => {
    await agentWith(context, "resume");
    const kinds = await reopen(context, "session/resume");
    expect(!kinds.some((kind) => kind.endsWith("message_chunk")), "the conversation was replayed");
  }),
  should("saved/fork", "forks a session into one with an id of its own", "rfds/session-fork", async (context) => {
    await agentWith(context, "fork");
    const { sessionId } = await context.turn();
    const result = expectResult(
      await ask(context, "fork", { sessionId, cwd: context.options.cwd, mcpServers: [] }),
      "it",
    );
    const { sessionId: given } = recordOf(result);
    expect(typeof given === "string" && given !== sessionId, "the fork has no id of its own");
    context.sessionIds.add(given);
  }),
  must(
    "saved/close",
    "refuses prompts for a session that was closed",
    "session-setup#closing-active-sessions",
    async (context) => {
      await agentWith(context, "close");
      const { agent, sessionId } = await context.open();
      expectResult(await ask(context, "close", { sessionId }), "session/close");
      const prompt = [{ type: "text", text: context.prompts().short }];
      expectError(await agent.ask("session/prompt", { sessionId, prompt }), "a prompt for a closed session");
    },
  ),
  must("saved/delete", "no longer lists a session that was deleted", "session-delete#semantics", async (context) => {
    await agentWith(context, "delete");
    await agentWith(context, "list");
    const { sessionId } = await context.turn();
    expectResult(await ask(context, "delete", { sessionId }), "session/delete");
    expect(!(await isListed(context, sessionId)), "it is still listed");
  }),
  should(
    "saved/delete-unknown",
    "deletes a session that does not exist without an error",
    "session-delete#semantics",
    async (context) => void expectResult(await ask(context, "delete", { sessionId: unknownSessionId }), "it"),
  ),
];

async function agentWith(context: CheckContext, ability: Ability): Promise<AgentUnderTest> {
  const { sessionCapabilities }: AgentCapabilities = await context.capabilities();
  need(sessionCapabilities?.[ability] != null, `it does not offer sessionCapabilities.${ability}`);
  return context.ready();
}

async function ask(
  context: CheckContext,
  ability: Ability,
  params: Readonly<Record<string, unknown>>,
): Promise<RawAnswer> {
  return (await agentWith(context, ability)).ask(`session/${ability}`, params);
}

async function isListed(context: CheckContext, sessionId: string): Promise<boolean> {
  const { sessions } = recordOf((await ask(context, "list", { cwd: context.options.cwd })).result);
  return listOf(sessions).some((one) => recordOf(one)["sessionId"] === sessionId);
}

/** Reopens the session of the first turn in a new process; the kinds of updates that came before the response. */
async function reopen(context: CheckContext, method: string): Promise<readonly string[]> {
  const { sessionId } = await context.turn();
  return context.alone(async (agent) => {
    await context.initialize(agent);
    const from = context.log.rows.length;
    expectResult(await agent.ask(method, { sessionId, cwd: context.options.cwd, mcpServers: [] }), method);
    return context.log.updates(from).flatMap(({ run, kind }) => (run === agent.run ? [kind] : []));
  });
}
