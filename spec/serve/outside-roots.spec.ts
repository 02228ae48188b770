/**
 * Conversations from outside the server's directories: every route answers as if the
 * conversation did not exist.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { update } from "../../lib/acp/index.ts";
import { diskStore } from "../../lib/claude/engine/saved/session-store.ts";
import { projectSlug } from "../../lib/claude/index.ts";
import { scriptedAgent, savedId } from "../support/serve/scripted-agent.ts";
import { type Served, served, type RequestParts } from "../support/serve/test-server.ts";
import { tapedClaude } from "../support/serve/tape-agent.ts";

const base = realpathSync(mkdtempSync(join(tmpdir(), "bowline-outside-")));
const root = join(base, "root");
const outside = join(base, "outside");
const ids = {
  inside: "aaaaaaaa-0000-4000-8000-000000000001",
  below: "aaaaaaaa-0000-4000-8000-000000000002",
  outside: "bbbbbbbb-0000-4000-8000-000000000001",
  linked: "bbbbbbbb-0000-4000-8000-000000000002",
  sibling: "bbbbbbbb-0000-4000-8000-000000000003",
  gone: "bbbbbbbb-0000-4000-8000-000000000004",
  relative: "bbbbbbbb-0000-4000-8000-000000000005",
  unknown: "cccccccc-0000-4000-8000-000000000001",
};
/** The directory of each conversation, as its transcript names it. */
const heldIn = {
  inside: root,
  below: join(root, "below"),
  outside,
  linked: join(root, "link-out"),
  sibling: `${root}-sibling`,
  gone: join(base, "gone"),
  relative: "below",
};
const hidden = ["outside", "linked", "sibling", "gone", "relative"] as const;

function transcriptOf(name: keyof typeof heldIn): string {
  return join(base, "config", "projects", projectSlug(heldIn[name]), `${ids[name]}.jsonl`);
}

function save(name: keyof typeof heldIn): void {
  const uuid = "dddddddd-0000-4000-8000-000000000001";
  const common = { isSidechain: false, cwd: heldIn[name], sessionId: ids[name], timestamp: "2026-01-22T19:13:30.000Z" };
  const path = transcriptOf(name);
  mkdirSync(join(path, ".."), { recursive: true });
  const message = { role: "user", content: "the secret plan" };
  writeFileSync(path, `${JSON.stringify({ ...common, parentUuid: null, type: "user", uuid, message })}\n`);
}

describe("conversations from outside the server's directories", () => {
  let harness: Served;
  before(async () => {
    for (const directory of [join(root, "below"), outside, `${root}-sibling`]) {
      mkdirSync(directory, { recursive: true });
    }
    symlinkSync(outside, join(root, "link-out"));
    for (const name of Object.keys(heldIn) as (keyof typeof heldIn)[]) save(name);
    const claude = tapedClaude("text", diskStore({ CLAUDE_CONFIG_DIR: join(base, "config") }));
    harness = await served({ startAgent: claude.start, roots: [root] });
  });
  after(async () => {
    await harness.close();
    rmSync(base, { recursive: true, force: true });
  });

  const call = async (method: string, path: string, parts?: RequestParts): Promise<readonly [number, string]> => {
    const { status, text } = await harness.call(method, path, parts);
    return [status, text];
  };

  it("POST /sessions answers for a conversation outside the server's directories exactly as for an unknown id", async () => {
    const unknown = await call("POST", "/sessions", { body: { sessionId: ids.unknown } });
    assert.equal(unknown[0], 404);
    for (const name of hidden) {
      for (const cwd of [undefined, ".", "below"]) {
        const answer = await call("POST", "/sessions", { body: { sessionId: ids[name], cwd } });
        assert.deepEqual(answer, unknown, name);
      }
    }
    assert.deepEqual((await harness.call("GET", "/sessions")).json.sessions, []);
  });

  for (const [method, route, body] of [
    ["GET", "/sessions/{id}"],
    ["DELETE", "/sessions/{id}"],
    ["POST", "/sessions/{id}/close"],
    ["GET", "/sessions/{id}/messages"],
    ["GET", "/sessions/{id}/events"],
    ["POST", "/sessions/{id}/interrupt"],
    ["POST", "/sessions/{id}/send-message", { content: "hi" }],
    ["POST", "/sessions/{id}/options/mode", { value: "plan" }],
    ["POST", "/sessions/{id}/permissions/permission-1", { optionId: "allow" }],
  ] as const) {
    it(`${method} ${route} answers for a conversation outside the server's directories exactly as for an unknown id`, async () => {
      const unknown = await call(method, route.replace("{id}", ids.unknown), { body });
      for (const name of hidden) {
        await harness.call("POST", "/sessions", { body: { sessionId: ids[name] } });
        assert.deepEqual(await call(method, route.replace("{id}", ids[name]), { body }), unknown, name);
        assert.ok(existsSync(transcriptOf(name)), `${name} is still on disk`);
      }
    });
  }

  it("GET /saved does not list a conversation outside the server's directories", async () => {
    const { sessions } = (await harness.call("GET", "/saved")).json;
    assert.deepEqual(
      sessions.map(({ sessionId }: { readonly sessionId: string }) => sessionId),
      [ids.inside],
    );
  });

  it("conversations in the server's directories can be opened and deleted", async () => {
    for (const name of ["inside", "below"] as const) {
      assert.equal((await call("POST", "/sessions", { body: { sessionId: ids[name] } }))[0], 201);
      assert.match((await call("GET", `/sessions/${ids[name]}/messages`))[1], /the secret plan/);
      assert.equal((await call("DELETE", `/sessions/${ids[name]}`))[0], 204);
      assert.equal(existsSync(transcriptOf(name)), false);
    }
    assert.deepEqual(harness.bugs, []);
  });
});

describe("saved conversations of any agent", () => {
  it("GET /saved leaves out conversations outside the server's directories, whatever the agent lists", async () => {
    const player = scriptedAgent();
    player.heldIn = "/";
    const harness = await served({ startAgent: player.start });
    assert.deepEqual((await harness.call("GET", "/saved")).json.sessions, []);
    await harness.close();
  });

  it("a conversation opens once when two requests ask for it at the same time", async () => {
    const player = scriptedAgent();
    player.past = [update.userMessage("hello", "m1")];
    const harness = await served({ startAgent: player.start });
    const parts = { body: { sessionId: savedId } };
    const answers = await Promise.all([1, 2, 3].map(() => harness.call("POST", "/sessions", parts)));
    assert.deepEqual(answers.map(({ status }) => status).toSorted(), [201, 409, 409]);
    assert.equal(player.opened.length, 1);
    assert.equal((await harness.call("GET", `/sessions/${savedId}`)).status, 200);
    await harness.close();
  });
});
