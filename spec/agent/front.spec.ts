/**
 * Front: what a client may do before the work has begun.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { client, type ClientConnection } from "../../lib/acp/index.ts";
import { agentFront, type ClaudeAgent, type Work } from "../../lib/agent/front.ts";
import { memoryPair } from "../../lib/wire/index.ts";

const program = { command: "bowline", args: [] };
const here = { cwd: "/", mcpServers: [] };

interface Met {
  readonly agent: ClaudeAgent;
  readonly editor: ClientConnection;
  readonly bugs: readonly string[];
}

async function meet(begin: () => Work | Promise<Work>): Promise<Met> {
  const [near, far] = memoryPair();
  const bugs: string[] = [];
  const agent = agentFront(near, { program, onBug: (doing) => bugs.push(doing) }, begin);
  const editor = await client(far, {
    info: { name: "front", version: "1" },
    handlers: () => ({
      "session/update": () => {},
      "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
    }),
  });
  return { agent, editor, bugs };
}

/** Work that only notes what it is asked to do. */
function noting(noted: string[]): Work {
  const note = (name: string): void => void noted.push(name);
  const nothing = (): never => {
    throw new Error("nobody asks for it");
  };
  return {
    handlers: {
      authenticate: () => note("authenticate"),
      logout: () => note("logout"),
      "session/new": () => {
        note("new");
        return { sessionId: "a" };
      },
      "session/load": nothing,
      "session/resume": nothing,
      "session/fork": nothing,
      "session/list": () => ({ sessions: [] }),
      "session/delete": nothing,
      "session/status": nothing,
      "session/set_title": nothing,
      "session/prompt": async () => {
        note("prompt");
        return { stopReason: "end_turn" };
      },
      "session/cancel": () => note("cancel"),
      "session/set_mode": nothing,
      "session/set_model": nothing,
      "session/set_config_option": nothing,
      "session/close": nothing,
    },
    steer: () => note("steer"),
    stop: async (reason) => note(`stop: ${reason}`),
  };
}

describe("agentFront", () => {
  it("answers initialize before the work begins, and begins it without being asked again", async () => {
    let begin = (): void => {};
    const begun = new Promise<void>((resolve) => (begin = resolve));
    const { editor } = await meet(() => {
      begin();
      return new Promise(() => {});
    });
    assert.equal(editor.agentInfo?.name, "bowline");
    assert.equal(editor.agentCapabilities.loadSession, true);
    await begun;
  });

  it("keeps what arrives meanwhile in its order", async () => {
    const noted: string[] = [];
    let ready: (work: Work) => void = () => {};
    const { editor } = await meet(() => new Promise((resolve) => (ready = resolve)));
    const answers = [
      editor.call("session/new", here),
      editor.call("session/prompt", { sessionId: "a", prompt: [] }),
      editor.notify("session/cancel", { sessionId: "a" }),
      editor.call("logout", {}),
    ];
    await new Promise(setImmediate);
    assert.deepEqual(noted, []);
    ready(noting(noted));
    await Promise.all(answers);
    assert.deepEqual(noted, ["new", "prompt", "cancel", "logout"]);
  });

  it("answers with an internal error when the work cannot begin, and reports it", async () => {
    const { editor, bugs } = await meet(() => Promise.reject(new Error("a broken file")));
    await assert.rejects(editor.call("session/list", {}), { code: -32603, message: "internal error" });
    await new Promise(setImmediate);
    assert.ok(bugs.includes("begin"));
  });

  it("ends work that begins after the client has gone", async () => {
    const noted: string[] = [];
    let ready: (work: Work) => void = () => {};
    const { agent, editor } = await meet(() => new Promise((resolve) => (ready = resolve)));
    await new Promise(setImmediate);
    editor.close("enough");
    await agent.connection.closed;
    ready(noting(noted));
    await agent.stop("over");
    assert.equal(noted.filter((one) => one.startsWith("stop")).length, noted.length);
    assert.ok(noted.length >= 1);
  });
});
