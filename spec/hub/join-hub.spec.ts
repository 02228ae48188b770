/**
 * Two hubs: the sessions of an editor's hub, shown by the hub of a server.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClientHandlers, update } from "../../lib/acp/index.ts";
import { type UpstreamSource, Hub } from "../../lib/hub/index.ts";
import { memoryPair } from "../../lib/wire/index.ts";
import { type HubHarness, hubOf, load, open, type TestClient } from "../support/hub/hub-harness.ts";
import { type ScriptedAgent, scriptedAgent, type TurnScript } from "../support/serve/scripted-agent.ts";

const says = (text: string) => update.agentMessage(text);

interface Joined {
  readonly editors: HubHarness;
  /** A client of the editor's hub: the first one. */
  readonly editor: TestClient;
  readonly servers: HubHarness;
  /** The agent of the editor's hub. */
  readonly player: ScriptedAgent;
  /** Resolves when the two hubs are no longer connected. */
  readonly ended: Promise<string>;
  readonly close: () => Promise<void>;
}

async function joined(script?: TurnScript, handlers?: Partial<ClientHandlers>): Promise<Joined> {
  const player = scriptedAgent(...(script === undefined ? [] : [script]));
  const editors = hubOf(player, { hasOneProfile: true, keepMs: 0 });
  const editor = await editors.connect({ ...(handlers && { handlers }) });
  const servers = hubOf(scriptedAgent());
  const source: UpstreamSource = {
    name: "shared",
    title: "a shared agent",
    start: () => {
      const [theirs, ours] = memoryPair();
      editors.hub.connect(theirs, { role: "owner", keepsOpen: false });
      return { link: ours, stop: async (reason) => ours.close(reason) };
    },
  };
  const ended = servers.hub.join(source);
  const close = async (): Promise<void> => {
    await editors.close();
    await ended;
    await servers.close();
    assert.deepEqual([...editors.bugs, ...servers.bugs], []);
  };
  return { editors, editor, servers, player, ended, close };
}

/** Resolves when the condition holds; asked whenever a session of the hub changes. */
function until(hub: Hub, holds: () => boolean): Promise<void> {
  return new Promise((resolve) => {
    const look = (): void => {
      if (!holds()) return;
      unfollow();
      resolve();
    };
    const unfollow = hub.follow(() => setImmediate(look));
    setImmediate(look);
  });
}

describe("a hub that joins another", () => {
  it("a hub that joins another shows sessions that were open before, from their beginning, and those that are opened later", async () => {
    const player = scriptedAgent(({ show, prompt: [first] }) => show(says(`re:${Object(first).text};`)));
    const editors = hubOf(player, { hasOneProfile: true, keepMs: 0 });
    const editor = await editors.connect();
    const first = await open(editor);
    await editor.prompt(first, "one");
    const servers = hubOf(scriptedAgent());
    const [theirs, ours] = memoryPair();
    editors.hub.connect(theirs, { role: "owner", keepsOpen: false });
    const ended = servers.hub.join({ name: "s", title: "s", start: () => ({ link: ours, stop: async () => {} }) });
    await until(servers.hub, () => servers.hub.list().length === 1);
    assert.equal(servers.hub.list()[0]?.title, "one");
    const page = await servers.connect();
    await load(page, first);
    assert.deepEqual([page.text("user_message_chunk"), page.text()], ["one", "re:one;"]);
    await editor.prompt(first, "two");
    await page.until(() => page.text() === "re:one;re:two;");
    const second = await open(editor);
    await until(servers.hub, () => servers.hub.get(second) !== undefined);
    await editors.close();
    await ended;
    await servers.close();
    assert.deepEqual([...editors.bugs, ...servers.bugs], []);
  });

  it("a client of the server answers a permission request of the editor's turn, and the editor's question is withdrawn", async () => {
    const { editor, servers, close } = await joined(async ({ ask, show }) => {
      await show(says(`${await ask({ toolCallId: "t1", title: "Edit" })}!`));
    });
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect();
    await load(page, id);
    const turn = editor.prompt(id, "edit");
    await page.until(() => page.asked.length === 1);
    assert.equal(servers.hub.questions().length, 1);
    assert.equal(servers.hub.list()[0]?.status, "asking");
    page.asked[0]?.choose("yes");
    assert.equal(await turn, "end_turn");
    assert.equal(editor.text(), "yes!");
    assert.equal(editor.asked[0]?.signal.aborted, true);
    assert.deepEqual(servers.hub.questions(), []);
    await close();
  });

  it("the editor's answer wins over a later one, and the question goes away at the server", async () => {
    const { editor, servers, close } = await joined(async ({ ask, show }) => {
      await show(says(`${await ask({ toolCallId: "t1", title: "Edit" })}!`));
    });
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect();
    await load(page, id);
    const turn = editor.prompt(id, "edit");
    await page.until(() => page.asked.length === 1);
    editor.asked[0]?.choose("no");
    assert.equal(await turn, "end_turn");
    await page.until(() => page.asked[0]?.signal.aborted === true && page.text() === "no!");
    assert.deepEqual(servers.hub.questions(), []);
    await close();
  });

  it("a prompt of the server's client runs in the editor's session, and the editor sees it", async () => {
    const { editor, servers, player, close } = await joined(({ show }) => show(says("done")));
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect();
    await load(page, id);
    assert.equal(await page.prompt(id, "from the page"), "end_turn");
    await editor.until(() => editor.text() === "done");
    assert.equal(editor.text("user_message_chunk"), "from the page");
    assert.equal(page.text(), "done");
    assert.equal(page.text("user_message_chunk"), "", "its author is not told its own prompt");
    assert.equal(player.opened.length, 1);
    await close();
  });

  it("files are read at the editor also when the prompt comes from the server", async () => {
    const { editor, servers, player, close } = await joined(
      async ({ show, sessionId }) => {
        const file = await player.connection?.call("fs/read_text_file", { sessionId, path: "/a.txt" });
        await show(says(file?.content ?? ""));
      },
      { "fs/read_text_file": () => ({ content: "at the editor" }) },
    );
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect();
    await load(page, id);
    await page.prompt(id, "read");
    assert.equal(page.text(), "at the editor");
    await close();
  });

  it("the server reports that a session runs while the editor's turn runs, and sends its clients the end of the turn", async () => {
    let finish = (): void => {};
    const { editor, servers, close } = await joined(() => new Promise<void>((resolve) => (finish = resolve)));
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect({ isBowline: true });
    await load(page, id);
    const turn = editor.prompt(id, "wait");
    await until(servers.hub, () => servers.hub.list()[0]?.status === "running");
    finish();
    await turn;
    await until(servers.hub, () => servers.hub.list()[0]?.status === "idle");
    await page.until(() => page.extras.some(([method]) => method === "turn_ended"));
    assert.equal(page.extras.filter(([method]) => method === "turn_ended").length, 1);
    await close();
  });

  it("a cancel of the server's client cancels the editor's turn", async () => {
    const { editor, servers, close } = await joined(
      ({ signal }) => new Promise((resolve) => signal.addEventListener("abort", () => resolve("cancelled"))),
    );
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect();
    await load(page, id);
    const turn = editor.prompt(id, "wait");
    await until(servers.hub, () => servers.hub.list()[0]?.status === "running");
    page.connection.cancel(id);
    assert.equal(await turn, "cancelled");
    await close();
  });

  it("closing the session at the server leaves it open at the editor, and it is not shown again", async () => {
    const { editor, servers, player, close } = await joined(({ show }) => show(says("on")));
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect();
    await load(page, id);
    await page.connection.call("session/close", { sessionId: id });
    assert.deepEqual(servers.hub.list(), []);
    await editor.prompt(id, "go on");
    assert.equal(editor.text(), "on");
    assert.deepEqual(player.closed, []);
    assert.deepEqual(servers.hub.list(), []);
    await close();
  });

  it("a session that the editor closes goes away at the server, although the server looks on", async () => {
    const { editor, servers, player, close } = await joined();
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    await editor.connection.call("session/close", { sessionId: id });
    await until(servers.hub, () => servers.hub.list().length === 0);
    assert.deepEqual(player.closed, [id]);
    await close();
  });

  it("all sessions go away at the server when the editor's process ends", async () => {
    const { editors, editor, servers, ended, close } = await joined();
    await open(editor);
    await open(editor);
    await until(servers.hub, () => servers.hub.list().length === 2);
    await editors.hub.stop("the editor is gone");
    await ended;
    assert.deepEqual(servers.hub.list(), []);
    await close();
  });

  it("a session whose id the server has already gets another id there", async () => {
    const { editor, servers, close } = await joined();
    const page = await servers.connect();
    const own = await open(page);
    const original = crypto.randomUUID.bind(crypto);
    crypto.randomUUID = () => own as ReturnType<typeof crypto.randomUUID>;
    try {
      assert.equal(await open(editor), own);
    } finally {
      crypto.randomUUID = original;
    }
    await until(servers.hub, () => servers.hub.list().length === 2);
    const other = servers.hub.list().find(({ agent }) => agent === "shared");
    assert.notEqual(other?.id, own);
    await close();
  });

  it("a shared session cannot be forked at the server, and the server says why", async () => {
    const { editor, servers, close } = await joined();
    const id = await open(editor);
    await until(servers.hub, () => servers.hub.get(id) !== undefined);
    const page = await servers.connect();
    await load(page, id);
    await assert.rejects(
      page.connection.call("session/fork", { sessionId: id, cwd: "/", mcpServers: [] }),
      /shared|advertise/,
    );
    await close();
  });

  it("the agent gets the editor's initialize, and is started once for all clients", async () => {
    const player = scriptedAgent();
    let starts = 0;
    const source: UpstreamSource = {
      name: "agent",
      title: "agent",
      start: () => {
        starts++;
        const [agentEnd, hubEnd] = memoryPair();
        return { link: hubEnd, stop: player.start(agentEnd).stop };
      },
    };
    const harness = hubOf([source], { hasOneProfile: true });
    await harness.connect();
    assert.equal(player.connection?.clientInfo?.name, "test-client");
    await harness.connect({ handlers: { "fs/read_text_file": () => ({ content: "" }) } });
    assert.equal(starts, 1);
    await harness.close();
  });
});
