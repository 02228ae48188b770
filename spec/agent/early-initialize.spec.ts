/**
 * Porch: what a client may do before the agent is there.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { initializeResponse } from "../../lib/acp/index.ts";
import { claudeAgent } from "../../lib/agent/agent.ts";
import { answerInitializeEarly } from "../../lib/agent/early-initialize.ts";
import { claudeProfile, servesAll } from "../../lib/agent/agent-profile.ts";
import { emptyStore } from "../../lib/agent/sessions/session-store.ts";
import { type Link, type LinkCallbacks, memoryPair } from "../../lib/wire/index.ts";
import { fakeClis } from "../support/fake-cli.ts";
import { fakeClock } from "../support/fake-clock.ts";

const program = { command: "bowline", args: ["bowline.mjs"] };
const profile = claudeProfile(program);
const settled = (): Promise<void> => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

function serve(link: Link): void {
  const { launcher } = fakeClis();
  claudeAgent(link, { launcher, after: fakeClock().after, env: {}, program, store: emptyStore, prewarms: false });
}

/** A client, and a door it stands before. */
function meet() {
  const [near, far] = memoryPair();
  const heard: string[] = [];
  far.open({ onLine: (line) => heard.push(line), onFault() {}, onDrain() {}, onEnd() {}, onClose() {} });
  const before = answerInitializeEarly(near, (request) => initializeResponse(profile, servesAll, request));
  return { ...before, far, heard };
}

/** Somebody inside who only notes what is told. */
function noting(link: Link, onLine: (line: string) => void = () => {}): string[] {
  const told: string[] = [];
  const callbacks: LinkCallbacks = {
    onLine: (line) => {
      told.push(line);
      onLine(line);
    },
    onFault: ({ kind }) => told.push(kind),
    onDrain: () => told.push("drain"),
    onEnd: () => told.push("end"),
    onClose: (reason) => told.push(`closed: ${reason}`),
  };
  link.open(callbacks);
  return told;
}

const initialize = (params: unknown, id = "1"): string =>
  `{"jsonrpc":"2.0","id":${id},"method":"initialize","params":${JSON.stringify(params)}}`;

describe("early initialize", () => {
  const plain = { protocolVersion: 1 };
  const requests: Readonly<Record<string, string>> = {
    "a plain client": initialize(plain),
    "another version": initialize({ protocolVersion: 99 }),
    "an id past 2^53": initialize(plain, "12345678901234567890"),
    "an id of words": initialize(plain, '"\\u0061 \\"b\\""'),
    "an id that is null": initialize(plain, "null"),
    "a terminal to sign in with": initialize({ ...plain, clientCapabilities: { auth: { terminal: true } } }),
    "a terminal in another dialect": initialize({
      ...plain,
      clientCapabilities: { _meta: { "terminal-auth": true } },
    }),
    "capabilities that are none": initialize({ ...plain, clientCapabilities: { fs: 7, auth: "yes" }, clientInfo: [] }),
    "no parameters": '{"jsonrpc":"2.0","id":1,"method":"initialize"}',
    "a version that is none": initialize({ protocolVersion: "1" }),
    "another method": '{"jsonrpc":"2.0","id":1,"method":"session/new","params":{}}',
    "no JSON": "{",
    "a batch": "[]",
    "a notification": '{"jsonrpc":"2.0","method":"initialize","params":{"protocolVersion":1}}',
  };
  for (const [name, line] of Object.entries(requests)) {
    it(`answers once, and in the agent's own words: ${name}`, async () => {
      const [near, far] = memoryPair();
      const own: string[] = [];
      far.open({ onLine: (text) => own.push(text), onFault() {}, onDrain() {}, onEnd() {}, onClose() {} });
      serve(near);
      far.send(line);
      const { link, far: client, heard } = meet();
      client.send(line);
      await settled();
      serve(link);
      await settled();
      assert.deepEqual(heard, own);
    });
  }

  it("answers before anybody is inside, and wants them only when there is more to do", async () => {
    const { agentNeeded, far, heard } = meet();
    let isRung = false;
    void agentNeeded.then(() => (isRung = true));
    far.send(initialize(plain));
    await settled();
    assert.equal(heard.length, 1);
    assert.equal(JSON.parse(heard[0] ?? "").result.agentInfo.name, "bowline");
    assert.equal(isRung, false);
    far.send("more");
    await settled();
    assert.equal(isRung, true);
  });

  it("hands over what came meanwhile, in its order, and then what comes", async () => {
    const { link, agentNeeded, far } = meet();
    const lines = [initialize(plain), "second", "third"];
    for (const line of lines) far.send(line);
    await agentNeeded;
    const told = noting(link);
    assert.deepEqual(told, [], "not within the call");
    await settled();
    far.send("fourth");
    await settled();
    assert.deepEqual(told, [...lines, "fourth"]);
  });

  it("reads no more than it has begun to, so that a flood waits outside", async () => {
    const [near, far] = memoryPair({ lagChars: 1000 });
    far.open({ onLine() {}, onFault() {}, onDrain() {}, onEnd() {}, onClose() {} });
    const { link, agentNeeded } = answerInitializeEarly(near, (request) =>
      initializeResponse(profile, servesAll, request),
    );
    far.send(initialize(plain));
    far.send("more");
    await agentNeeded;
    const sent = Array.from({ length: 100 }, () => far.send("x".repeat(100)));
    assert.ok(sent.includes(false), "the client feels that nobody is there");
    const told = noting(link);
    for (let i = 0; i < 1000 && told.length < 102; i++) await settled();
    assert.equal(told.length, 102);
  });

  it("reads on only when those inside want it to", async () => {
    const { link, far } = meet();
    far.send(initialize(plain));
    await settled();
    const told = noting(link, () => link.pause());
    await settled();
    far.send("later");
    await settled();
    assert.equal(told.length, 1);
    link.resume();
    await settled();
    assert.equal(told.length, 2);
  });

  it("drops only what it has said already, and only once", async () => {
    const { link, far, heard } = meet();
    far.send(initialize(plain));
    await settled();
    noting(link);
    await settled();
    const [answer = ""] = heard;
    link.send(answer);
    link.send(answer);
    link.send("else");
    await settled();
    assert.deepEqual(heard, [answer, answer, "else"]);
  });

  it("tells those inside of a client that has gone before", async () => {
    const { link, agentNeeded, far } = meet();
    far.close("enough");
    await agentNeeded;
    const told = noting(link);
    await settled();
    assert.ok(told.includes("end") || told.some((one) => one.startsWith("closed")), told.join());
  });

  it("can be rung where nobody comes", async () => {
    const { agentNeeded, requestAgent } = meet();
    requestAgent();
    await agentNeeded;
  });
});
