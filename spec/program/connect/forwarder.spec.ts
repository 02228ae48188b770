/**
 * Specs of the forwarder of `bowline connect`, with a scripted remote agent in memory.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { pathMap } from "../../../lib/program/connect/path-map.ts";
import { type Any, type ConnectedEditor, connectedEditor, RemoteAgent } from "../../support/connect/remote-agent.ts";
import { settle } from "../../support/wire/link-log.ts";

const text = (message: Any): string => message["params"]?.update?.content?.text ?? "";
const texts = ({ messages }: ConnectedEditor): string =>
  messages()
    .filter(({ method }) => method === "session/update")
    .map(text)
    .join("");
const chunk = (kind: string, value: string): Any => ({ sessionUpdate: kind, content: { type: "text", text: value } });

async function opened(remote: RemoteAgent): Promise<ConnectedEditor> {
  const editor = connectedEditor(remote);
  await editor.call(1, "initialize", { protocolVersion: 1 });
  await editor.call(2, "session/new", { cwd: "/project", mcpServers: [] });
  return editor;
}

/** Cuts the connection and lets the forwarder reconnect. */
async function reconnect(remote: RemoteAgent, { clock }: ConnectedEditor): Promise<void> {
  remote.cut();
  await settle();
  clock.advance(100);
  await settle();
}

describe("the forwarder of bowline connect", () => {
  it("the forwarder of bowline connect forwards requests, responses and updates unchanged", async () => {
    const remote = new RemoteAgent({ hasEventIds: false });
    remote.onRequest = ({ id }) => {
      remote.text("hello");
      remote.send({ id, result: { stopReason: "end_turn" } });
    };
    const editor = await opened(remote);
    const response = await editor.call(3, "session/prompt", {
      sessionId: "s1",
      prompt: [{ type: "text", text: "hi" }],
    });
    assert.deepEqual(response["result"], { stopReason: "end_turn" });
    assert.equal(texts(editor), "hello");
    assert.deepEqual(remote.received[2]?.["params"], { sessionId: "s1", prompt: [{ type: "text", text: "hi" }] });
    editor.close();
    assert.equal(await editor.forwarder.closed, undefined);
  });

  it("a turn goes on over a lost connection, and its prompt is answered once", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const prompts: Any[] = [];
    remote.onRequest = (message) => prompts.push(message);
    const editor = await opened(remote);
    editor.send({ id: 3, method: "session/prompt", params: { sessionId: "s1", prompt: [] } });
    await settle();
    remote.text("one ");
    await settle();
    remote.cut();
    remote.text("two ");
    await settle();
    editor.clock.advance(100);
    await settle();
    remote.text("three");
    assert.equal(prompts.length, 2, "the prompt is sent again");
    assert.equal(prompts[0]?.["params"]._meta.bowline.promptId, prompts[1]?.["params"]._meta.bowline.promptId);
    remote.send({ id: 3, result: { stopReason: "end_turn" } });
    await editor.until(({ id }) => id === 3);
    assert.equal(texts(editor), "one two three");
    assert.equal(editor.messages().filter(({ id }) => id === 3).length, 1);
    assert.deepEqual(editor.notices, ["the server is gone (cut); trying to reconnect", "connected to the server"]);
  });

  it("the forwarder of bowline connect loses and doubles no update over 1,000 reconnects", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const editor = await opened(remote);
    let sent = 0;
    let seed = 20;
    for (let round = 0; round < 1000; round++) {
      seed = (seed * 1103515245 + 12345) % 2 ** 31;
      for (let i = seed % 4; i > 0; i--) remote.text(`${++sent} `);
      if (seed % 3 === 0) await settle();
      remote.cut();
      for (let i = seed % 3; i > 0; i--) remote.text(`${++sent} `);
      await settle();
      editor.clock.advance(100);
      await settle();
    }
    await reconnect(remote, editor);
    await settle();
    const expected = Array.from({ length: sent }, (_, i) => `${i + 1} `).join("");
    assert.equal(texts(editor), expected);
  });

  it("an update that comes before the response to a load is not asked for again after the next cut", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const editor = await opened(remote);
    remote.text("one ");
    await settle();
    // The server makes its response, then sends an update, and then the response.
    remote.staleEventId = "e-1";
    remote.onLoad = () => remote.text("two ");
    await reconnect(remote, editor);
    remote.onLoad = () => {};
    await reconnect(remote, editor);
    assert.equal(texts(editor), "one two ");
  });

  it("a server without event ids loads the session again, and only what was missed is shown", async () => {
    const remote = new RemoteAgent({ hasEventIds: false });
    remote.onRequest = () => {};
    const editor = await opened(remote);
    editor.send({
      id: 3,
      method: "session/prompt",
      params: { sessionId: "s1", prompt: [{ type: "text", text: "hi" }] },
    });
    await settle();
    remote.text("Hello ");
    remote.update({ sessionUpdate: "tool_call", toolCallId: "t1", title: "Read", status: "pending" });
    await settle();
    remote.replayed = [
      chunk("user_message_chunk", "hi"),
      chunk("agent_message_chunk", "Hello world"),
      { sessionUpdate: "tool_call", toolCallId: "t1", title: "Read", status: "completed" },
      { sessionUpdate: "tool_call", toolCallId: "t2", title: "Write", status: "completed" },
    ];
    await reconnect(remote, editor);
    const response = await editor.until(({ id }) => id === 3);
    assert.match(response["error"].message, /^the connection to the server was lost during this turn/);
    assert.equal(texts(editor), "Hello world");
    const calls = editor.messages().flatMap(({ params }) => (params?.update?.toolCallId ? [params.update] : []));
    assert.deepEqual(
      calls.map(({ sessionUpdate, toolCallId, status }) => `${sessionUpdate} ${toolCallId} ${status}`),
      ["tool_call t1 pending", "tool_call_update t1 completed", "tool_call t2 completed"],
    );
    assert.equal(remote.received.filter(({ method }) => method === "session/prompt").length, 1, "never run twice");
  });

  describe("a replay of the whole conversation", () => {
    const said = (kind: string, messageId: string, value: string): Any => ({ ...chunk(kind, value), messageId });
    const hello = said("user_message_chunk", "u1", "look at /project/a.txt");
    const image = {
      sessionUpdate: "user_message_chunk",
      messageId: "u1",
      content: { type: "image", data: "", mimeType: "image/png" },
    };

    /** A conversation of one turn, with a prompt that the agent replays in other words. */
    async function talked(): Promise<readonly [RemoteAgent, ConnectedEditor]> {
      const remote = new RemoteAgent({ hasEventIds: false });
      const editor = await opened(remote);
      const link = { type: "resource_link", uri: "file:///project/a.txt", name: "a.txt" };
      remote.onRequest = ({ id }) => {
        remote.update(said("agent_message_chunk", "m1", "I see"));
        remote.send({ id, result: { stopReason: "end_turn" } });
      };
      await editor.call(3, "session/prompt", { sessionId: "s1", prompt: [{ type: "text", text: "look at " }, link] });
      return [remote, editor];
    }

    const shown = ({ messages }: ConnectedEditor): readonly string[] =>
      messages()
        .filter(({ method }) => method === "session/update")
        .map(({ params: { update: one } }) => one.content?.text ?? one.content?.type ?? one.sessionUpdate);

    it("a replay of the whole conversation shows no part of a prompt again, though the agent replays it in other words", async () => {
      const [remote, editor] = await talked();
      remote.replayed = [hello, image, said("agent_message_chunk", "m1", "I see"), { sessionUpdate: "plan" }];
      await reconnect(remote, editor);
      assert.deepEqual(shown(editor), ["I see", "plan"]);
    });

    it("a replay of the whole conversation shows what another client has said and got meanwhile, also after text that is not saved", async () => {
      const [remote, editor] = await talked();
      remote.update(said("agent_message_chunk", "live-only", "a notice that is not in the saved conversation"));
      await settle();
      remote.replayed = [
        hello,
        said("agent_message_chunk", "m1", "I see it"),
        said("user_message_chunk", "u2", "and now?"),
        said("agent_message_chunk", "m2", "Now this."),
      ];
      await reconnect(remote, editor);
      assert.deepEqual(shown(editor).slice(2), [" it", "and now?", "Now this."]);
      await reconnect(remote, editor);
      assert.equal(shown(editor).length, 5, "a second replay shows nothing more");
    });

    it("a replay of the whole conversation shows a prompt once whose turn was lost before its first word", async () => {
      const [remote, editor] = await talked();
      remote.onRequest = () => {};
      editor.send({
        id: 4,
        method: "session/prompt",
        params: { sessionId: "s1", prompt: [{ type: "text", text: "lost" }] },
      });
      await settle();
      remote.replayed = [
        hello,
        said("agent_message_chunk", "m1", "I see"),
        said("user_message_chunk", "u2", "lost"),
        said("user_message_chunk", "u3", "of another client"),
      ];
      await reconnect(remote, editor);
      assert.deepEqual(shown(editor), ["I see", "of another client"]);
    });

    it("a replay of the whole conversation counts the text where the agent names its messages anew", async () => {
      const [remote, editor] = await talked();
      remote.replayed = [hello, said("agent_message_chunk", "other-id", "I see it")];
      await reconnect(remote, editor);
      assert.deepEqual(shown(editor), ["I see", " it"]);
    });
  });

  it("a permission request that is asked again is one question, and its answer counts", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const editor = await opened(remote);
    const ask = (id: number): void =>
      remote.send({
        id,
        method: "session/request_permission",
        params: { sessionId: "s1", toolCall: { toolCallId: "t1" }, options: [] },
      });
    ask(7);
    const question = await editor.until(({ method }) => method === "session/request_permission");
    await reconnect(remote, editor);
    ask(0);
    await settle();
    editor.send({ id: question["id"], result: { outcome: { outcome: "selected", optionId: "allow" } } });
    await settle();
    const answers = remote.received.filter((message) => !("method" in message));
    assert.deepEqual(
      answers.map(({ id }) => id),
      [0],
    );
    assert.equal(editor.messages().filter(({ method }) => method === "session/request_permission").length, 1);
  });

  it("an answer that is given while the connection is lost reaches the server when it asks again", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const editor = await opened(remote);
    const ask = (id: number): void =>
      remote.send({
        id,
        method: "session/request_permission",
        params: { sessionId: "s1", toolCall: { toolCallId: "t1" }, options: [] },
      });
    ask(7);
    const question = await editor.until(({ method }) => method === "session/request_permission");
    remote.cut();
    await settle();
    editor.send({ id: question["id"], result: { outcome: { outcome: "cancelled" } } });
    await settle();
    editor.clock.advance(100);
    await settle();
    ask(3);
    await settle();
    const answers = remote.received.filter((message) => !("method" in message));
    assert.deepEqual(answers, [{ jsonrpc: "2.0", id: 3, result: { outcome: { outcome: "cancelled" } } }]);
  });

  it("an answer is not used for another request about the same tool call, nor after the next prompt", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    remote.onRequest = ({ id }) => remote.send({ id, result: { stopReason: "end_turn" } });
    const editor = await opened(remote);
    const ask = (id: number, title: string): void =>
      remote.send({
        id,
        method: "session/request_permission",
        params: { sessionId: "s1", toolCall: { toolCallId: "t1", title }, options: [] },
      });
    const asked = (): readonly Any[] =>
      editor.messages().filter(({ method }) => method === "session/request_permission");
    const allow = (message: Any | undefined): void =>
      editor.send({ id: message?.["id"], result: { outcome: { outcome: "selected", optionId: "allow" } } });
    const answers = (): readonly Any[] => remote.received.filter((message) => !("method" in message));
    ask(7, "ls");
    await settle();
    remote.cut();
    await settle();
    allow(asked()[0]);
    editor.clock.advance(100);
    await settle();
    ask(3, "rm -rf ~");
    await settle();
    assert.deepEqual(answers(), [], "the answer to another question");
    assert.equal(asked().length, 2, "it is asked");
    await editor.call(9, "session/prompt", { sessionId: "s1", prompt: [] });
    ask(4, "ls");
    await settle();
    assert.deepEqual(answers(), [], "the answer of an earlier turn");
    assert.equal(asked().length, 3);
    await reconnect(remote, editor);
    ask(5, "rm -rf ~");
    await settle();
    allow(asked()[2]);
    await settle();
    assert.deepEqual(answers(), [], "the answer to a question that stayed open");
  });

  it("requests fail with one sentence when the server stays away for a minute, and work when it is back", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const editor = await opened(remote);
    remote.onRequest = () => {};
    editor.send({ id: 3, method: "session/prompt", params: { sessionId: "s1", prompt: [] } });
    await settle();
    remote.isReachable = false;
    remote.cut();
    for (let i = 0; i < 601; i++) {
      await settle();
      editor.clock.advance(100);
    }
    const gone = "the server is gone; bowline connect goes on trying to reach it";
    assert.equal((await editor.until(({ id }) => id === 3))["error"].message, gone);
    assert.equal((await editor.call(4, "session/list", {}))["error"].message, gone);
    remote.isReachable = true;
    remote.onRequest = ({ id }) => remote.send({ id, result: { sessions: [] } });
    for (let i = 0; i < 3; i++) {
      await settle();
      editor.clock.advance(100);
    }
    await settle();
    assert.deepEqual((await editor.call(5, "session/list", {}))["result"], { sessions: [] });
  });

  it("a running turn says once in its session that the server is gone, and a short outage is not mentioned", async () => {
    const gone = "bowline connect: the server is gone (cut); trying to reconnect";
    const sentence = { sessionUpdate: "notice", severity: "warning", title: gone };
    for (const [session, expected] of [
      [{ notices: {} }, sentence],
      [{}, chunk("agent_message_chunk", `\n${gone}\n\n`)],
    ] as const) {
      const remote = new RemoteAgent({ hasEventIds: true });
      const editor = connectedEditor(remote);
      await editor.call(1, "initialize", { protocolVersion: 1, clientCapabilities: { session } });
      await editor.call(2, "session/new", { cwd: "/project", mcpServers: [] });
      editor.send({ id: 3, method: "session/prompt", params: { sessionId: "s1", prompt: [] } });
      remote.text("hello");
      await settle();
      await reconnect(remote, editor);
      editor.clock.advance(5000);
      await settle();
      assert.equal(texts(editor), "hello");
      remote.isReachable = false;
      remote.cut();
      await settle();
      for (let i = 0; i < 60; i++) {
        editor.clock.advance(100);
        await settle();
      }
      const [, ...updates] = editor.messages().filter(({ method }) => method === "session/update");
      assert.deepEqual(
        updates.map(({ params }) => [params.sessionId, params.update]),
        [["s1", expected]],
      );
      editor.close();
    }
  });

  it("a server that refuses the token ends the forwarder, and initialize fails with the sentence", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    remote.isReachable = false;
    remote.refusal = "the server does not accept the token";
    const editor = connectedEditor(remote);
    editor.send({ id: 1, method: "initialize", params: {} });
    assert.equal(await editor.forwarder.closed, "the server does not accept the token");
  });

  it("a server that never answers ends the forwarder after ten seconds", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    remote.isReachable = false;
    const editor = connectedEditor(remote);
    for (let i = 0; i < 101; i++) {
      await settle();
      editor.clock.advance(100);
    }
    assert.match((await editor.forwarder.closed) ?? "", /^nobody listens; check the address/);
  });

  it("no spelling of a path leads out of the map", () => {
    const posix = pathMap([{ remote: "/srv/app", local: "/home/me/app" }]);
    const windows = pathMap([{ remote: "/srv/app", local: "C:\\me\\app" }]);
    const refused = [
      "/srv/app2/x",
      "/srv/ap",
      "/srv/app/..",
      "/srv/app/../app2",
      "/srv/app/a/../../b",
      "/srv/app\\..\\x",
      "/srv/app/a\\..\\..\\x",
      "/srv/app/.. /x",
      "/srv/app/. ./x",
      "/srv/app/.../x",
      "/srv/app/x\0",
      "/srv/./app",
      "srv/app",
      "",
      "file:///srv/app/x",
      "\\\\server\\share",
      "C:\\srv\\app",
    ];
    for (const path of refused)
      for (const map of [posix, windows]) assert.equal(map.toLocal(path), undefined, JSON.stringify(path));
    assert.equal(posix.toLocal("/srv/app//etc/passwd"), "/home/me/app//etc/passwd");
    assert.equal(windows.toLocal("/srv/app/a/..b"), "C:\\me\\app\\a\\..b");
  });

  it("files are the editor's own, with mapped paths, and a path outside the map is refused", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const editor = connectedEditor(remote, [{ remote: "/srv/app", local: "/home/me/app" }]);
    await editor.call(1, "initialize", { protocolVersion: 1 });
    const outside = await editor.call(2, "session/new", { cwd: "/etc", mcpServers: [] });
    assert.match(outside["error"].message, /outside the directories of --map/);
    await editor.call(3, "session/new", { cwd: "/home/me/app/web", mcpServers: [] });
    assert.equal(remote.received.at(-1)?.["params"].cwd, "/srv/app/web");
    remote.send({ id: 1, method: "fs/read_text_file", params: { sessionId: "s1", path: "/srv/app/a.ts" } });
    const read = await editor.until(({ method }) => method === "fs/read_text_file");
    assert.equal(read["params"].path, "/home/me/app/a.ts");
    remote.send({ id: 2, method: "fs/read_text_file", params: { sessionId: "s1", path: "/srv/application/a.ts" } });
    remote.send({ id: 3, method: "terminal/create", params: { sessionId: "s1", command: "ls", cwd: "/srv/app/../b" } });
    await settle();
    const refused = remote.received.filter((message) => "error" in message);
    assert.deepEqual(
      refused.map(({ id, error }) => [id, error.code]),
      [
        [2, -32602],
        [3, -32602],
      ],
    );
    remote.update({
      sessionUpdate: "tool_call",
      toolCallId: "t",
      locations: [{ path: "/srv/app/b.ts" }, { path: "/etc/passwd" }],
      content: [
        { type: "diff", path: "/srv/app/b.ts", newText: "" },
        { type: "diff", path: "/etc/passwd", newText: "" },
      ],
    });
    const { params } = await editor.until(({ method }) => method === "session/update");
    assert.deepEqual(params.update.locations, [{ path: "/home/me/app/b.ts" }]);
    assert.equal(params.update.content[0].path, "/home/me/app/b.ts");
    assert.equal(params.update.content[1].type, "content");
  });

  it("links to files name the files of the editor's machine, and a link outside the map is shown as text", async () => {
    const remote = new RemoteAgent({ hasEventIds: true });
    const editor = connectedEditor(remote, [{ remote: "/srv/app", local: "C:\\me\\app" }]);
    const link = (uri: string): Any => ({ type: "resource_link", uri, name: "a.ts" });
    const resource = (uri: string): Any => ({ type: "resource", resource: { uri, text: "x" } });
    const image = (uri: string): Any => ({ type: "image", data: "", mimeType: "image/png", uri });
    const remoteUri = "file:///srv/app/a%20b/c.ts#L3";
    const localUri = "file:///C:/me/app/a%20b/c.ts#L3";
    await editor.call(1, "initialize", { protocolVersion: 1 });
    await editor.call(2, "session/new", { cwd: "C:\\me\\app", mcpServers: [] });
    const prompt = [link(localUri), resource(localUri), image(localUri), link("https://example.org/a")];
    editor.send({ id: 3, method: "session/prompt", params: { sessionId: "s1", prompt } });
    await settle();
    assert.deepEqual(remote.received.at(-1)?.["params"].prompt, [
      link(remoteUri),
      resource(remoteUri),
      image(remoteUri),
      link("https://example.org/a"),
    ]);
    const blocks = [link, resource, image].flatMap((of) => [of(remoteUri), of("file:///etc/passwd")]);
    for (const content of blocks) remote.update({ sessionUpdate: "agent_message_chunk", content });
    remote.update({
      sessionUpdate: "tool_call",
      toolCallId: "t1",
      content: blocks.map((content) => ({ type: "content", content })),
    });
    const text = (what: string): Any => ({
      type: "text",
      text: `${what}, which is outside the directories of --map, is not shown here.`,
    });
    const expected = [
      link(localUri),
      text("a.ts"),
      resource(localUri),
      text("A file"),
      image(localUri),
      { type: "image", data: "", mimeType: "image/png" },
    ];
    await editor.until(({ params }) => params?.update?.toolCallId === "t1");
    const contents = editor.messages().flatMap(({ params }) => params?.update?.content ?? []);
    assert.deepEqual(contents.slice(0, 6), expected);
    assert.deepEqual(
      contents.slice(6).map(({ content }) => content),
      expected,
    );
  });
});
