/**
 * Saved sessions: listed, loaded, resumed, forked, closed and deleted, by agents
 * that say they can.
 */
import { type AgentCapabilities, ListSessionsResponse } from "../../../acp/index.ts";
import { expect, expectError, expectResult, must, need, type Rule, should } from "../rule.ts";
import type { Scene } from "../scene.ts";
import { faultIn, listOf, recordOf } from "../shape.ts";
import type { Answer, Subject } from "../subject.ts";

const listing = "session-list#listing-sessions";
const loading = "session-setup#loading-a-session";
const nowhere = "00000000-0000-4000-8000-000000000000";

type Ability = "list" | "resume" | "fork" | "close" | "delete";

export const saved: readonly Rule[] = [
  must("saved/list", "answers session/list as the schema has it", listing, async (scene) => {
    const result = expectResult(await ask(scene, "list", {}), "session/list");
    const fault = faultIn(ListSessionsResponse, result);
    expect(fault === undefined, `in the answer, ${fault}`);
  }),
  must("saved/list-none", "answers with an empty list where there is no session", listing, async (scene) => {
    const cwd = `${scene.options.cwd}-none`;
    const { sessions } = recordOf(expectResult(await ask(scene, "list", { cwd }), "session/list"));
    expect(Array.isArray(sessions) && sessions.length === 0, "a directory without sessions has some");
  }),
  should("saved/list-cursor", "refuses a cursor it did not give", "session-list#pagination", async (scene) =>
    expectError(await ask(scene, "list", { cursor: "bowline-none" }), "an unknown cursor"),
  ),
  should("saved/listed", "lists a session that had a turn", listing, async (scene) => {
    await able(scene, "list");
    const { sessionId } = await scene.turn();
    expect(await isListed(scene, sessionId), "the session of the turn is not listed");
  }),
  must("saved/load", "replays the conversation before it answers session/load", loading, async (scene) => {
    need((await scene.capabilities()).loadSession === true, "it does not offer loadSession");
    const kinds = await reopen(scene, "session/load");
    for (const kind of ["user_message_chunk", "agent_message_chunk"]) {
      expect(kinds.includes(kind), `no ${kind} came before the answer`);
    }
  }),
  should("saved/load-unknown", "refuses to load a session that does not exist", loading, async (scene) => {
    need((await scene.capabilities()).loadSession === true, "it does not offer loadSession");
    const { agent } = await scene.session();
    const { cwd } = scene.options;
    expectError(await agent.ask("session/load", { sessionId: nowhere, cwd, mcpServers: [] }), "an unknown session");
  }),
  must("saved/resume", "resumes a session without replaying it", "session-setup#resuming-sessions", async (scene) => {
    await able(scene, "resume");
    const kinds = await reopen(scene, "session/resume");
    expect(!kinds.some((kind) => kind.endsWith("message_chunk")), "the conversation was replayed");
  }),
  should("saved/fork", "forks a session into one with an id of its own", "rfds/session-fork", async (scene) => {
    await able(scene, "fork");
    const { sessionId } = await scene.turn();
    const result = expectResult(await ask(scene, "fork", { sessionId, cwd: scene.options.cwd, mcpServers: [] }), "it");
    const { sessionId: given } = recordOf(result);
    expect(typeof given === "string" && given !== sessionId, "the fork has no id of its own");
    scene.sessionIds.add(given);
  }),
  must(
    "saved/close",
    "refuses prompts for a session that was closed",
    "session-setup#closing-active-sessions",
    async (scene) => {
      await able(scene, "close");
      const { agent, sessionId } = await scene.open();
      expectResult(await ask(scene, "close", { sessionId }), "session/close");
      const prompt = [{ type: "text", text: scene.prompts().short }];
      expectError(await agent.ask("session/prompt", { sessionId, prompt }), "a prompt for a closed session");
    },
  ),
  must("saved/delete", "no longer lists a session that was deleted", "session-delete#semantics", async (scene) => {
    await able(scene, "delete");
    await able(scene, "list");
    const { sessionId } = await scene.turn();
    expectResult(await ask(scene, "delete", { sessionId }), "session/delete");
    expect(!(await isListed(scene, sessionId)), "it is still listed");
  }),
  should(
    "saved/delete-unknown",
    "deletes a session that does not exist without an error",
    "session-delete#semantics",
    async (scene) => void expectResult(await ask(scene, "delete", { sessionId: nowhere }), "it"),
  ),
];

async function able(scene: Scene, ability: Ability): Promise<Subject> {
  const { sessionCapabilities }: AgentCapabilities = await scene.capabilities();
  need(sessionCapabilities?.[ability] != null, `it does not offer sessionCapabilities.${ability}`);
  return scene.ready();
}

async function ask(scene: Scene, ability: Ability, params: Readonly<Record<string, unknown>>): Promise<Answer> {
  return (await able(scene, ability)).ask(`session/${ability}`, params);
}

async function isListed(scene: Scene, sessionId: string): Promise<boolean> {
  const { sessions } = recordOf((await ask(scene, "list", { cwd: scene.options.cwd })).result);
  return listOf(sessions).some((one) => recordOf(one)["sessionId"] === sessionId);
}

/** Opens the session of the turn in a fresh run; the kinds of updates that came before the answer. */
async function reopen(scene: Scene, method: string): Promise<readonly string[]> {
  const { sessionId } = await scene.turn();
  return scene.alone(async (agent) => {
    await scene.greet(agent);
    const from = scene.log.rows.length;
    expectResult(await agent.ask(method, { sessionId, cwd: scene.options.cwd, mcpServers: [] }), method);
    return scene.log.updates(from).flatMap(({ run, kind }) => (run === agent.run ? [kind] : []));
  });
}
