/**
 * Live specs of the tools for authors with agents that were not written here:
 * claude-agent-acp, codex-acp, OpenCode and Gemini CLI, each with a scripted model, and with
 * a client that was not written here, acpx.
 *
 * Each agent works once behind trace, guard and tap together, and once behind tap alone. The
 * two tapes are then judged, traced, summed up, inspected, compared and replayed.
 */
import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { killLeftovers, waitUntilGone } from "../../support/processes.ts";
import { AcpClient } from "../../support/live/client/acp-client.ts";
import { type OtherAgent, type OtherAgentName, otherAgents, workPrompt } from "../../support/live/other-agents.ts";
import { acpxCommand, cleanEnvironment } from "../../support/live/real-cli.ts";
import { type Workspace, workspace } from "../../support/live/workspace.ts";

const built = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
const bowline = (...words: readonly string[]): readonly string[] => [process.execPath, built, ...words];

interface Ran {
  readonly status: number | string;
  readonly stdout: string;
  readonly stderr: string;
}

function ran(line: readonly string[], options: { env?: NodeJS.ProcessEnv; cwd?: string } = {}): Promise<Ran> {
  const [command = "", ...args] = line;
  return new Promise((resolve) => {
    execFile(command, args, { ...options, timeout: 120_000, maxBuffer: 1 << 26 }, (error, stdout, stderr) =>
      resolve({ status: error === null ? 0 : (error.code ?? "killed"), stdout, stderr }),
    );
  });
}

/** What differs between the agents. */
interface Facts {
  /** How the guard decides about `touch made.txt` and `rm hello.txt`. */
  readonly decisions: readonly string[];
  /** The stop reason after a denied command. */
  readonly stop: string;
  /** The name in `initialize`, and the model of the session. */
  readonly engine: string;
  readonly model: string;
  /** The input tokens of the whole run, and whether the agent tells a cost. */
  readonly input: number;
  readonly hasCost: boolean;
  /** What `bowline sessions list` says. */
  readonly sessions: RegExp;
}

const byRules = ["allow by rule 1", "deny by rule 2"];
const facts: Readonly<Record<OtherAgentName, Facts>> = {
  "claude-agent-acp": {
    decisions: byRules,
    stop: "end_turn",
    engine: "@agentclientprotocol/claude-agent-acp",
    model: "default",
    input: 300,
    hasCost: true,
    sessions: /^\S{36} /,
  },
  "codex-acp": {
    decisions: byRules,
    stop: "cancelled",
    engine: "@agentclientprotocol/codex-acp",
    model: "gpt-5.5",
    input: 300,
    hasCost: false,
    sessions: /^\S{36} /,
  },
  OpenCode: {
    decisions: byRules,
    stop: "end_turn",
    engine: "OpenCode",
    model: "anthropic/claude-sonnet-4-5",
    input: 100,
    hasCost: true,
    sessions: /^ses_/,
  },
  "Gemini CLI": {
    // It tells the command in the title alone, which allows nothing.
    decisions: ["ask by the command is not understood", "allow by editor", "deny by rule 2"],
    stop: "end_turn",
    engine: "gemini-cli",
    model: "gemini-2.5-flash",
    input: 300,
    hasCost: false,
    sessions: /session\/list|does not list/,
  },
};

const policy = {
  rules: [
    { effect: "allow", command: "touch *" },
    { effect: "deny", command: "rm *" },
  ],
};

for (const [name, start] of Object.entries(otherAgents) as [OtherAgentName, (typeof otherAgents)[OtherAgentName]][]) {
  const { decisions, stop, engine, model, input, hasCost, sessions } = facts[name];
  describe(`the tools for authors with ${name}, live`, () => {
    let place: Workspace;
    let agent: OtherAgent;
    const file = (named: string): string => join(place.root, named);
    const works = async (...words: readonly string[]): Promise<string> => {
      const { status, stdout, stderr } = await ran(bowline(...words));
      assert.equal(status, 0, stderr);
      return stdout;
    };

    before(async () => {
      place = workspace();
      agent = await start(place);
    });
    after(async () => {
      killLeftovers(place.root);
      await agent[Symbol.asyncDispose]();
      await place.dispose();
    });

    /** One prompt to the agent behind these commands of Bowline. */
    const turn = async (...words: readonly string[]): Promise<string> => {
      const args = [...words, ...agent.command];
      await using client = new AcpClient({ command: process.execPath, args, env: agent.env, cwd: place.cwd });
      const session = await client.open(place.cwd);
      const { stopReason } = await client.prompt(session, workPrompt);
      await client.hangUp();
      return stopReason;
    };

    it(`${name} works behind trace, guard and tap, and what is denied does not happen`, async () => {
      const posted: string[] = [];
      const collector = createServer((request, response) => {
        request.setEncoding("utf8").on("data", (text: string) => posted.push(text));
        request.on("end", () => response.end("{}"));
      });
      await new Promise<void>((resolve) => collector.listen(0, "127.0.0.1", resolve));
      writeFileSync(file("policy.json"), JSON.stringify(policy));
      const endpoint = `http://127.0.0.1:${(collector.address() as AddressInfo).port}`; // a TCP server that listens
      const guard = bowline("guard", "--policy", file("policy.json"), "--log", file("log.ndjson"), "--");
      const trace = [built, "trace", "--endpoint", endpoint, "--"];
      assert.equal(await turn(...trace, ...guard, ...bowline("tap", "-o", file("guarded.ndjson"), "--")), stop);
      collector.close();
      assert.deepEqual(
        ["made.txt", "hello.txt"].map((one) => existsSync(place.path(one))),
        [true, true],
      );
      const log = readFileSync(file("log.ndjson"), "utf8").trim().split("\n");
      assert.deepEqual(
        log.map((line) => JSON.parse(line)).map(({ decision, by }) => `${decision} by ${by}`),
        decisions,
      );
      assert.match(posted.join(""), new RegExp(`"name":"invoke_agent ${engine}"[^]*"gen_ai.conversation.id"`));
    });

    it(`${name} works behind tap alone, and its tape meets its expectations`, async () => {
      assert.equal(await turn(built, "tap", "-o", file("free.ndjson"), "--"), "end_turn");
      assert.equal(existsSync(place.path("hello.txt")), false);
      const expected = { tools: ["touch made.txt", "rm hello.txt"], permissions: ["touch", "rm"], stop: "end_turn" };
      const limits = {
        maxPermissions: 2,
        maxTokens: 1_000_000,
        maxSeconds: 100,
        says: ["^All done"],
        never: ["sk-ant-"],
      };
      writeFileSync(file("expect.json"), JSON.stringify({ ...expected, ...limits }));
      const judged = await works(
        "expect",
        file("free.ndjson"),
        "--expect",
        file("expect.json"),
        "--junit",
        file("x.xml"),
      );
      assert.equal(judged.match(/^ok /gm)?.length, 8, judged);
      assert.match(readFileSync(file("x.xml"), "utf8"), /tests="8" failures="0"/);
      writeFileSync(file("expect.json"), JSON.stringify({ noTools: ["rm hello.txt"], maxPermissions: 1 }));
      const { status, stdout } = await ran(bowline("expect", file("free.ndjson"), "--expect", file("expect.json")));
      assert.deepEqual([status, stdout.match(/^FAIL /gm)?.length], [1, 2], stdout);
    });

    it(`the tape of ${name} becomes spans of its prompt, tool calls and permissions`, async () => {
      const spans = await works("trace", file("free.ndjson"));
      assert.ok(spans.includes(`"name":"invoke_agent ${engine}"`), spans.slice(0, 2000));
      assert.equal(spans.match(/"name":"execute_tool /g)?.length, 2);
      assert.equal(spans.match(/"name":"permission"/g)?.length, 2);
      assert.match(spans, new RegExp(`"gen_ai.usage.input_tokens","value":\\{"intValue":"?${input}`));
      assert.ok(!spans.includes("hello.txt"), "no title and no path without --content");
    });

    it(`the tape of ${name} tells what the run used`, async () => {
      const { sums } = JSON.parse(await works("costs", file("free.ndjson"), "--by", "engine,model", "--json"));
      assert.equal(sums.length, 1);
      assert.deepEqual([...sums[0].keys, sums[0].input], [engine, model, input]);
      assert.equal(sums[0].cost > 0, hasCost);
      await works("costs", file("free.ndjson"), "--page", file("costs.html"));
      assert.ok(readFileSync(file("costs.html"), "utf8").includes("<table>"));
    });

    it(`the tapes of ${name} are inspected, alone and compared`, async () => {
      const alone = (await works("inspect", file("free.ndjson"))).trim();
      const compared = (await works("inspect", file("guarded.ndjson"), file("free.ndjson"))).trim();
      assert.deepEqual([alone, compared], [file("free.html"), file("free.diff.html")]);
      for (const page of [alone, compared]) assert.match(readFileSync(page, "utf8"), /^<!doctype html>/);
    });

    it(`the tape of ${name} is replayed, and again with faults`, async () => {
      const replayed = async (...faults: readonly string[]): Promise<string> => {
        const args = [built, "replay", ...faults, file("free.ndjson")];
        await using client = new AcpClient({ command: process.execPath, args, env: agent.env, cwd: place.cwd });
        const session = await client.open(place.cwd);
        const { stopReason } = await client.prompt(session, workPrompt);
        return stopReason + client.text();
      };
      assert.equal(await replayed(), "end_turnAll done.");
      assert.equal(await replayed("--delay", "5", "--jitter", "10", "--seed", "1"), "end_turnAll done.");
      await assert.rejects(replayed("--die-after", "2"));
      await assert.rejects(replayed("--cut-after", "2"));
    });

    it(`${name} is killed by tap --die-after with everything that it has started`, async () => {
      const args = [built, "tap", "--die-after", "2", "-o", file("dead.ndjson"), "--", ...agent.command];
      await using client = new AcpClient({ command: process.execPath, args, env: agent.env, cwd: place.cwd });
      await assert.rejects(async () => client.prompt(await client.open(place.cwd), workPrompt));
      assert.equal((await client.program.exited).signal, "SIGKILL");
      assert.deepEqual(await waitUntilGone(place.root), []);
      assert.match(readFileSync(file("dead.ndjson"), "utf8"), /fault: the agent is killed/);
    });

    it(`bowline sessions asks ${name} for its sessions`, async () => {
      const { stdout, stderr } = await ran(bowline("sessions", "list", "--", ...agent.command), {
        env: { ...agent.env },
        cwd: place.cwd,
      });
      assert.match(stdout + stderr, sessions);
    });

    it(`bowline check starts ${name} and judges its initialize`, async () => {
      const words = [
        "check",
        "--no-prompt",
        "--only",
        "initialize/answers,initialize/shape,session/new",
        "--json",
        "--",
      ];
      const { stdout } = await ran(bowline(...words, ...agent.command), { env: { ...agent.env }, cwd: place.cwd });
      const { rules } = JSON.parse(stdout) as { rules: readonly { id: string; status: string }[] };
      assert.deepEqual(
        rules.map(({ id, status }) => `${id} ${status}`),
        ["initialize/answers pass", "initialize/shape pass", "session/new pass"],
      );
    });
  });
}

describe("bowline play with acpx, live", () => {
  it("acpx talks to a scripted agent, which asks, writes a file through the client and answers", async () => {
    await using place = workspace();
    const script = {
      turns: [
        {
          when: "fix",
          do: [
            { think: "I look at it." },
            { tool: { title: "Read hello.txt", kind: "read", path: "hello.txt" } },
            {
              ask: {
                title: "Write new.txt",
                kind: "edit",
                on: { allow: [{ write: { path: "new.txt", text: "made\n" } }, { say: "Fixed." }] },
                otherwise: [{ say: "As you like." }],
              },
            },
          ],
        },
      ],
    };
    writeFileSync(join(place.root, "script.json"), JSON.stringify(script));
    const agent = bowline("play", join(place.root, "script.json")).join(" ");
    const env = cleanEnvironment(1, place.home);
    for (const [decision, said] of [
      ["--approve-all", "Fixed."],
      ["--deny-all", "As you like."],
    ] as const) {
      const line = [...acpxCommand(), "--agent", agent, "--cwd", place.cwd, decision, "exec", "please fix it"];
      const { stdout, stderr } = await ran(line, { env, cwd: place.cwd });
      assert.ok(stdout.includes(said), stdout + stderr);
    }
    assert.equal(place.read("new.txt"), "made\n");
    assert.deepEqual(await waitUntilGone(place.root), []);
  });
});
