/**
 * The answer to `initialize` before the agent is loaded, and the handover to the agent.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { initializeResponse } from "../../lib/acp/index.ts";
import { type AnsweredInitialize, answerInitializeEarly } from "../../lib/agent/early-initialize.ts";
import { agentProfile, servesAll } from "../../lib/agent/agent-profile.ts";
import { createAgent } from "../../lib/agent/index.ts";
import { type Link, type LinkCallbacks, memoryPair } from "../../lib/wire/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { ScriptedEngine } from "../support/agent/scripted-engine.ts";

const program = { command: "bowline", args: ["bowline.mjs"] };
const profile = agentProfile("claude", program);
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

/** Serves the agent with the `initialize` that was answered before, as lib/agent/serve-stdio.ts does. */
function serve(link: Link, answered?: AnsweredInitialize): void {
  const engine = new ScriptedEngine();
  const { connection } = createAgent(link, { engine, after: fakeClock().after, env: {}, program, prewarms: false });
  if (answered !== undefined) connection.initialized(answered.request, answered.response.authMethods ?? []);
}

/** A client whose `initialize` is answered early, and the lines it has received. */
function connectEarly() {
  const [near, far] = memoryPair();
  const received: string[] = [];
  far.open({ onLine: (line) => received.push(line), onFault() {}, onDrain() {}, onEnd() {}, onClose() {} });
  const early = answerInitializeEarly(near, (request) => initializeResponse(profile, servesAll, request));
  return { ...early, far, received };
}

/** Opens the link in place of the agent, and records what it gets. */
function recordEvents(link: Link, onLine: (line: string) => void = () => {}): string[] {
  const events: string[] = [];
  const callbacks: LinkCallbacks = {
    onLine: (line) => {
      events.push(line);
      onLine(line);
    },
    onFault: ({ kind }) => events.push(kind),
    onDrain: () => events.push("drain"),
    onEnd: () => events.push("end"),
    onClose: (reason) => events.push(`closed: ${reason}`),
  };
  link.open(callbacks);
  return events;
}

const initialize = (params: unknown, id = "1"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"initialize","params":${JSON.stringify(params)}}`;

describe("answerInitializeEarly", () => {
  const plain = { protocolVersion: 1 };
  const requests: Readonly<Record<string, string>> = {
    "a plain client": initialize(plain),
    "another version": initialize({ protocolVersion: 99 }),
    "an id past 2^53": initialize(plain, "12345678901234567890"),
    "an id that is a string": initialize(plain, '"\\u0061 \\"b\\""'),
    "an id that is null": initialize(plain, "null"),
    "a terminal to sign in with": initialize({ ...plain, clientCapabilities: { auth: { terminal: true } } }),
    "a terminal declared in _meta": initialize({
      ...plain,
      clientCapabilities: { _meta: { "terminal-auth": true } },
    }),
    "invalid capabilities": initialize({ ...plain, clientCapabilities: { fs: 7, auth: "yes" }, clientInfo: [] }),
    "no parameters": '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    "an invalid version": initialize({ protocolVersion: "1" }),
    "another method": '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}',
    "invalid JSON": "{",
    "an empty batch": "[]",
    "initialize in a batch": `[${initialize(plain)},${initialize(plain, "2")}]`,
    "a notification": '{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":1}}',
  };
  for (const [name, line] of Object.entries(requests)) {
    it(`the first line is answered once and exactly as the agent answers it: ${name}`, async () => {
      const [near, far] = memoryPair();
      const own: string[] = [];
      far.open({ onLine: (text) => own.push(text), onFault() {}, onDrain() {}, onEnd() {}, onClose() {} });
      serve(near);
      far.send(line);
      const { link, far: client, received, agentNeeded, requestAgent } = connectEarly();
      client.send(line);
      await settled();
      requestAgent();
      serve(link, await agentNeeded);
      await settled();
      assert.deepEqual(received, own);
    });
  }

  it("the agent serves requests after an initialize that was answered before the agent was loaded", async () => {
    const { link, far, received, agentNeeded } = connectEarly();
    far.send(initialize({ ...plain, clientCapabilities: { auth: { terminal: true } } }));
    far.send('{"jsonrpc":"2.0","id":2,"method":"session/list","params":{}}');
    serve(link, await agentNeeded);
    await settled();
    assert.deepEqual(
      received.map((line) => [JSON.parse(line).id, Object.keys(JSON.parse(line).result)[0]]),
      [
        [1, "protocolVersion"],
        [2, "sessions"],
      ],
    );
  });

  it("a second initialize with the id and the params of the first is answered again", async () => {
    const { link, far, received, agentNeeded } = connectEarly();
    far.send(initialize(plain));
    far.send(initialize(plain));
    serve(link, await agentNeeded);
    await settled();
    assert.equal(received.length, 2);
    assert.equal(received[1], received[0]);
  });

  it("agentNeeded says which initialize was answered, and with what", async () => {
    const { far, received, agentNeeded } = connectEarly();
    far.send(initialize({ protocolVersion: 99, clientInfo: { name: "x", version: "1" } }));
    far.send("more");
    const answered = await agentNeeded;
    await settled();
    assert.equal(answered?.request.clientInfo?.name, "x");
    assert.equal(JSON.stringify(answered?.response), JSON.stringify(JSON.parse(received[0] ?? "").result));
  });

  it("an initialize that arrives after the agent was requested is answered by the agent", async () => {
    const { link, far, received, agentNeeded, requestAgent } = connectEarly();
    requestAgent();
    far.send(initialize(plain));
    await settled();
    assert.deepEqual(received, []);
    const answered = await agentNeeded;
    assert.equal(answered, undefined);
    serve(link, answered);
    await settled();
    assert.equal(received.length, 1);
  });

  it("initialize is answered without the agent, which is needed only for a second line", async () => {
    const { agentNeeded, far, received } = connectEarly();
    let isNeeded = false;
    void agentNeeded.then(() => (isNeeded = true));
    far.send(initialize(plain));
    await settled();
    assert.equal(received.length, 1);
    assert.equal(JSON.parse(received[0] ?? "").result.agentInfo.name, "bowline");
    assert.equal(isNeeded, false);
    far.send("more");
    await settled();
    assert.equal(isNeeded, true);
  });

  it("the agent gets the buffered lines in order, and then the later ones", async () => {
    const { link, agentNeeded, far } = connectEarly();
    const lines = [initialize(plain), "second", "third"];
    for (const line of lines) far.send(line);
    await agentNeeded;
    const events = recordEvents(link);
    assert.deepEqual(events, [], "not within the call of open");
    await settled();
    far.send("fourth");
    await settled();
    assert.deepEqual(events, ["second", "third", "fourth"], "without the initialize that was answered");
  });

  it("reading from the client pauses until the agent has opened the link", async () => {
    const [near, far] = memoryPair({ lagChars: 1000 });
    far.open({ onLine() {}, onFault() {}, onDrain() {}, onEnd() {}, onClose() {} });
    const { link, agentNeeded } = answerInitializeEarly(near, (request) =>
      initializeResponse(profile, servesAll, request),
    );
    far.send(initialize(plain));
    far.send("more");
    await agentNeeded;
    const sent = Array.from({ length: 100 }, () => far.send("x".repeat(100)));
    assert.ok(sent.includes(false), "the client notices that its lines are not read");
    const events = recordEvents(link);
    for (let i = 0; i < 1000 && events.length < 101; i++) await settled();
    assert.equal(events.length, 101);
  });

  it("reading does not resume while the agent has paused the link", async () => {
    const { link, far } = connectEarly();
    far.send(initialize(plain));
    far.send("first");
    await settled();
    const events = recordEvents(link, () => link.pause());
    await settled();
    far.send("later");
    await settled();
    assert.equal(events.length, 1);
    link.resume();
    await settled();
    assert.equal(events.length, 2);
  });

  it("the agent learns of a client that closed before the agent was loaded", async () => {
    const { link, agentNeeded, far } = connectEarly();
    far.close("enough");
    await agentNeeded;
    const events = recordEvents(link);
    await settled();
    assert.ok(events.includes("end") || events.some((one) => one.startsWith("closed")), events.join());
  });

  it("requestAgent asks for the agent without a line from the client", async () => {
    const { agentNeeded, requestAgent } = connectEarly();
    requestAgent();
    await agentNeeded;
  });
});
