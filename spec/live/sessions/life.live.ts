/**
 * Live specs of the lifecycle: start and end of the program and its sessions. Killed
 * processes are in kills.live.ts.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { AgentProgram } from "../../support/live/agent-program.ts";
import { inSession, withAgent } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { waitForCommand, waitUntilGone } from "../../support/processes.ts";
import { acpxCommand } from "../../support/live/real-cli.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { ended } from "../../support/live/client/editor-mode.ts";

const built = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
const talk = { talk: [answer(say("Hello."))] };
const sleep = { sleep: [answer(call("Bash", { command: "echo on; sleep 474", description: "Wait" }))] };

describe("a session", () => {
  it("a closed session ends its turn and its CLI, and is unknown from then on", () =>
    inSession(sleep, async ({ client, sessionId, place, tell }) => {
      const told = tell("[[sleep]] go");
      await waitForCommand(place.root, "sleep 474");
      await client.request("session/close", { sessionId });
      assert.deepEqual(await told, [
        "calls execute echo on; sleep 474",
        ended("failed", "echo on; sleep 474", "Wait", "The session was closed."),
        "answers cancelled",
      ]);
      const unknown = { code: -32002, data: { sessionId } };
      await assert.rejects(client.prompt(sessionId, "hi"), unknown);
      await assert.rejects(client.request("session/set_mode", { sessionId, modeId: "plan" }), unknown);
      // The SDK does not pass this response on.
      await client.request("session/close", { sessionId });
      assert.equal(at(client.program.wire.items.at(-1)?.message, "error.code"), -32002);
    }));

  it("a session begins in an existing directory with an absolute path, or not at all", () =>
    withAgent(
      {},
      async ({ client, cwd, path }) => {
        await client.initialize();
        for (const wrong of ["relative/path", "", path("nowhere"), path("hello.txt")]) {
          await assert.rejects(client.newSession(wrong), { code: -32602, message: /cwd/ }, wrong);
        }
        const wrong = client.newSession(cwd, { additionalDirectories: [path("nowhere")] });
        await assert.rejects(wrong, { code: -32602, message: /additionalDirectories\.0/ });
        await assert.rejects(client.extension("session/new", { mcpServers: [] }), { code: -32602 });
        await assert.rejects(client.prompt("__proto__", "hi"), { code: -32002 });
      },
      { overlook: { agentOnly: true } },
    ));

  it("a session sends nothing before the editor knows it", () =>
    inSession(talk, async ({ client, sessionId, tell }) => {
      await tell("[[talk]] hi");
      const ours = client.program.wire.items.filter(({ from, text }) => from === "agent" && text.includes(sessionId));
      assert.equal(at(ours[0]?.message, "result.sessionId"), sessionId);
    }));
});

describe("initialize", () => {
  it("initialize is answered with one line, with an empty home and any requested version", () =>
    withAgent({}, async ({ client, own, program }) => {
      const answered = await client.initialize({ protocolVersion: 7 });
      assert.equal(answered.protocolVersion, 1);
      assert.equal(answered.agentInfo?.name, "bowline");
      assert.deepEqual(answered.agentCapabilities?.promptCapabilities, {
        image: true,
        audio: false,
        embeddedContext: true,
      });
      assert.equal(client.program.wire.items.filter(({ from }) => from === "agent").length, 1);
      const bare = own(new AgentProgram({ ...program(), env: { PATH: "/nowhere" } }));
      await bare.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } });
      const { message } = await bare.wire.waitFor(({ from }) => from === "agent");
      assert.equal(at(message, "result.protocolVersion"), 1);
      assert.equal(at(message, "result.authMethods.0.id"), "claude-login");
    }));

  it("initialize comes first, earlier requests are refused, and repeating it disturbs no session", () =>
    withAgent({ ...talk }, async ({ client, cwd }) => {
      await assert.rejects(client.newSession(cwd), { code: -32600 });
      const sessionId = await client.open(cwd);
      assert.equal((await client.initialize()).protocolVersion, 1);
      assert.deepEqual(await client.prompt(sessionId, "[[talk]] hi"), { stopReason: "end_turn" });
    }));
});

describe("a killed editor", () => {
  it("a killed editor ends the agent and its CLI though other processes hold its pipes", () =>
    withAgent(
      talk,
      async ({ client, own, program, place }) => {
        await client.hangUp();
        // The shell plays the editor; this test is the other process that keeps the pipes open.
        const { command, args = [], ...rest } = program();
        const line = ["-c", 'exec 3<&0; "$0" "$@" <&3 & wait', command, ...args];
        const agent = own(new AgentProgram({ ...rest, command: "/bin/sh", args: line }));
        await agent.send({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } });
        await agent.send({ jsonrpc: "2.0", id: 2, method: "session/new", params: { cwd: place.cwd, mcpServers: [] } });
        await agent.wire.waitFor(({ message }) => at(message, "result.sessionId") !== undefined);
        process.kill(agent.pid, "SIGKILL");
        const began = performance.now();
        assert.deepEqual(await waitUntilGone(place.root, 10_000), []);
        assert.ok(performance.now() - began < 7000, "two seconds to notice, and some to leave");
      },
      { overlook: "all" },
    ));
});

describe("the command line", () => {
  const run = (...args: readonly string[]) =>
    spawnSync(process.execPath, [built, ...args], { encoding: "utf8", input: "" });

  it("the command line reports a wrong usage and exits with 2", () => {
    for (const args of [["--bogus"], ["fly"], ["agent", "now"], ["demo", "x"]]) {
      const { status, stderr, stdout } = run(...args);
      assert.equal(status, 2, args.join(" "));
      assert.match(stderr, /^bowline: unknown|^bowline: demo takes no/);
      assert.equal(stdout, "");
    }
  });

  it("the command line prints its version and usage, and exits with 0 at the end of input", () => {
    assert.match(run("--version").stdout, /^\d+\.\d+\.\d+\n$/);
    assert.match(run("--help").stdout, /usage:/);
    const { status, stdout } = run();
    assert.deepEqual([status, stdout], [0, ""]);
  });
});

describe("acpx", () => {
  it("acpx runs a prompt with a tool against the built file", () =>
    withAgent(
      {
        work: [
          answer(say("Looking."), call("Bash", { command: "echo from-the-command" })),
          answer(say("All is well.")),
        ],
      },
      async ({ client, program, cwd, place }) => {
        await client.hangUp();
        const { env } = program();
        const [command, ...first] = acpxCommand();
        const agent = `${process.execPath} ${built}`;
        const args = [...first, "--cwd", cwd, "--approve-all", "--agent", agent, "exec", "[[work]] go"];
        const child = spawn(command, args, { env, cwd: place.cwd, stdio: ["ignore", "pipe", "pipe"] });
        let out = "";
        child.stdout.on("data", (text: Buffer) => (out += text.toString()));
        child.stderr.on("data", (text: Buffer) => (out += text.toString()));
        const code = await new Promise((resolve) => child.on("close", resolve));
        assert.equal(code, 0, out);
        assert.match(out, /Looking\.[\s\S]*from-the-command[\s\S]*All is well\./);
      },
    ));
});
