/**
 * Live specs of tools: commands, searches, the web, plans, skills and unknown tools.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fullCapabilities } from "../../support/live/client/acp-client.ts";
import { inSession, withAgent } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";
import { ended, ownCommands } from "../../support/live/client/editor-mode.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

/** A command that ends once there is a file called go. */
const waiting = "until test -e go; do sleep 0.05; done; echo late";

describe("Bash", () => {
  it("Bash shows the command, its output and how it failed", () =>
    inSession(
      {
        bash: [
          answer(call("Bash", { command: "echo out; echo err >&2", description: "Print" })),
          answer(call("Bash", { command: "touch a.txt && exit 3", description: "Fail" })),
          answer(say("Ran.")),
        ],
      },
      async ({ tell, place }) => {
        assert.deepEqual(await tell("[[bash]] go"), [
          "calls execute echo out; echo err >&2",
          ended("completed", "echo out; echo err >&2", "```console\nout\nerr\n```"),
          "calls execute touch a.txt && exit 3",
          'asks touch a.txt && exit 3 · Fail [Allow | Always allow "touch a.txt" and "exit 3" in this session | Reject | Never allow this command in this session | Reject and tell Claude why]',
          ended("failed", "touch a.txt && exit 3", "Exit code 3"),
          "says Ran.",
          "answers end_turn",
        ]);
        assert.equal(place.read("a.txt"), "");
      },
    ));

  it("Bash has a title of one line however long the command, and the permission request has all of it", () => {
    const command = `touch b.txt\necho ${"x".repeat(300)} # the end`;
    return inSession(
      { long: [answer(call("Bash", { command, description: "Long" })), answer(say("Ran."))] },
      async ({ client, tell }) => {
        const [called = ""] = await tell("[[long]] go");
        assert.ok(called.length < 200 && called.endsWith("…") && !called.includes("\n"), called);
        const asked = client.editor.asked.items[0]?.request;
        assert.match(JSON.stringify(asked?.toolCall.content), /# the end/);
      },
    );
  });

  it("Bash writes into a terminal where the client shows one, with the exit code", () =>
    inSession(
      { bash: [answer(call("Bash", { command: "echo out; exit 4", description: "Fail" })), answer(say("Ran."))] },
      async ({ client, sessionId, tell, cwd }) => {
        await tell("[[bash]] go");
        const said = client.updatesOf(sessionId).filter((one) => "toolCallId" in one);
        const [first] = said;
        const id = at(first, "toolCallId");
        assert.deepEqual(at(first, "content"), [{ type: "terminal", terminalId: id }]);
        assert.deepEqual(at(first, "_meta.terminal_info"), { terminal_id: id, cwd });
        assert.deepEqual(at(first, "_meta.tool_name"), "Bash");
        const output = said.map((one) => at(one, "_meta.terminal_output.data")).filter((data) => data !== undefined);
        assert.deepEqual(output, ["out"]);
        assert.deepEqual(at(said.at(-1), "_meta.terminal_exit"), { terminal_id: id, exit_code: 4, signal: null });
        assert.equal(at(said.at(-1), "status"), "failed");
      },
      { capabilities: { ...fullCapabilities, _meta: { terminal_output: true } }, env: ownCommands },
    ));

  it("Bash in the background ends its tool call at once, and what the model says later is shown later", () =>
    inSession(
      {
        later: [
          answer(call("Bash", { command: waiting, run_in_background: true, description: "Later" })),
          answer(say("It runs.")),
          answer(say("It ended.")),
        ],
        talk: [answer(say("Hello."))],
      },
      async ({ client, tell, seen, place }) => {
        // In the editor's terminal a loop needs permission.
        const lines = (await tell("[[later]] go")).filter((line) => !line.startsWith("asks "));
        const [called, completed = "", ...rest] = lines;
        assert.equal(called, `calls execute ${waiting}`);
        const shown = completed.replace(/ as \w+\./, " as it.");
        assert.equal(shown, `completed ${waiting} · \`\`\`console\nRunning in the background as it.\n\`\`\``);
        assert.deepEqual(rest, ["says It runs.", "answers end_turn"]);
        place.write("go", "");
        await client.waitFor((one) => JSON.stringify(one).includes("It ended."));
        assert.deepEqual(seen(), ["says It ended."]);
        assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
      },
    ));
});

describe("a turn without a prompt", () => {
  const later = [
    answer(call("Bash", { command: waiting, run_in_background: true, description: "Later" })),
    answer(say("It runs.")),
    answer(say("It ", hold("woken"), "ended.")),
  ];
  const scripts = { later, talk: [answer(say("Hello."))] };

  it("a turn without a prompt goes on to its end before a prompt that arrives in it is answered", () =>
    inSession(scripts, async ({ client, api, tell, place }) => {
      await tell("[[later]] go");
      place.write("go", "");
      await api.gate("woken").reached();
      await client.waitFor((one) => one.sessionUpdate === "agent_message_chunk" && at(one, "content.text") === "It ");
      const told = tell("[[talk]] hi");
      api.gate("woken").release();
      assert.deepEqual(await told, ["says It ", "says ended.Hello.", "answers end_turn"]);
    }));

  it("a turn without a prompt is stopped by a cancel", () =>
    inSession(scripts, async ({ client, api, sessionId, tell, place }) => {
      await tell("[[later]] go");
      place.write("go", "");
      await api.gate("woken").reached();
      await client.waitFor((one) => at(one, "content.text") === "It ");
      await client.cancel(sessionId);
      const woken = api.requestsOf("later").at(-1) ?? assert.fail("no request");
      assert.equal(await woken.ended, "abandoned");
      assert.deepEqual((await tell("[[talk]] hi")).slice(-2), ["says Hello.", "answers end_turn"]);
    }));
});

describe("searches", () => {
  it("searches say what is looked for and where, and show what was found", () =>
    withAgent({}, async ({ client, api, path, cwd, place }) => {
      // The CLI has these tools only where it may not run commands.
      place.write(".claude/settings.local.json", JSON.stringify({ permissions: { deny: ["Bash"] } }));
      api.script(
        "search",
        answer(call("Glob", { pattern: "**/*.ts" })),
        answer(call("Grep", { pattern: "greet\\(name", output_mode: "content", "-n": true, path: path("src") })),
        answer(call("Grep", { pattern: "nowhere-at-all", glob: "*.md" })),
        answer(say("Found.")),
      );
      const sessionId = await client.open(cwd);
      await client.prompt(sessionId, "[[search]] go");
      const [called, found = "", ...rest] = transcript(client, cwd, sessionId);
      assert.equal(called, "calls search Find **/*.ts");
      // The newest file comes first, and both are equally new.
      assert.match(found, /^completed Find \*\*\/\*\.ts · ```\nsrc\/(main|greet)\.ts\nsrc\/(main|greet)\.ts\n```$/);
      assert.deepEqual(rest, [
        'calls search Search for "greet\\(name"',
        'titled Search for "greet\\(name" in src',
        'completed Search for "greet\\(name" in src · ```\nsrc/greet.ts:1:export function greet(name: string): string {\n```',
        'calls search Search for "nowhere-at-all"',
        'titled Search for "nowhere-at-all" in *.md files',
        'completed Search for "nowhere-at-all" in *.md files · ```\nNo files found\n```',
        "says Found.",
        "answers end_turn",
      ]);
    }));
});

describe("the web", () => {
  it("web tools name the page or query, and say why a page cannot be loaded", () =>
    inSession(
      {
        web: [
          answer(call("WebFetch", { url: "http://127.0.0.1:9/x", prompt: "Sum up" })),
          answer(call("WebSearch", { query: "knots" })),
          answer(say("Webbed.")),
        ],
      },
      async ({ tell }) => {
        const seen = await tell("[[web]] go");
        assert.deepEqual(seen.slice(0, 2), [
          "calls fetch Fetch http://127.0.0.1:9/x",
          "asks Fetch http://127.0.0.1:9/x · Sum up [Allow | Always allow pages of 127.0.0.1 in this session | Reject | Never allow pages of 127.0.0.1 in this session | Reject and tell Claude why]",
        ]);
        assert.match(seen[2] ?? "", /^failed Fetch http:\/\/127\.0\.0\.1:9\/x · Unable to verify/);
        assert.deepEqual(seen.slice(3, 5), [
          'calls fetch Search the web for "knots"',
          'asks Search the web for "knots" [Allow | Always allow WebSearch in this session | Reject | Never allow WebSearch in this session | Reject and tell Claude why]',
        ]);
        assert.match(seen[5] ?? "", /^completed Search the web for "knots" · /);
        assert.doesNotMatch(seen.join("\n"), /REMINDER/);
      },
    ));
});

describe("TodoWrite", () => {
  it("TodoWrite becomes the plan, whole each time", () => {
    const todo = (content: string, status: string): object => ({ content, status, activeForm: `Doing ${content}` });
    return inSession(
      {
        todo: [
          answer(call("TodoWrite", { todos: [todo("One", "in_progress"), todo("Two", "pending")] })),
          answer(call("TodoWrite", { todos: [todo("One", "completed"), todo("Two", "in_progress")] })),
          answer(say("Planned.")),
        ],
      },
      async ({ tell }) => {
        const seen = await tell("[[todo]] go");
        assert.deepEqual(
          seen.filter((line) => line.startsWith("plan")),
          ["plan [>] One, [ ] Two", "plan [x] One, [>] Two"],
        );
        assert.deepEqual(
          seen.filter((line) => line.startsWith("completed")),
          ["completed Update the plan (0 of 2 done)", "completed Update the plan (1 of 2 done)"],
        );
      },
    );
  });
});

describe("other tools", () => {
  it("other tools have a readable name: skills, tool search, and an unknown tool", () =>
    withAgent({}, async ({ client, api, cwd, place }) => {
      const head = "---\nname: greeting\ndescription: Greets somebody\n---\n";
      place.write(".claude/skills/greeting/SKILL.md", `${head}\nSay hello to $ARGUMENTS.\n`);
      api.script(
        "odd",
        answer(call("NoSuchTool", { thing: "x" })),
        answer(call("ToolSearch", { query: "select:WebFetch" })),
        answer(call("Skill", { skill: "greeting", args: "Ada" })),
        answer(call("Skill", { skill: "no-such-skill" })),
        answer(say("Odd.")),
      );
      const sessionId = await client.open(cwd);
      await client.prompt(sessionId, "[[odd]] go");
      const seen = transcript(client, cwd, sessionId);
      assert.deepEqual(seen.slice(0, 7), [
        "calls other NoSuchTool (x)",
        "failed NoSuchTool (x) · Error: No such tool available: NoSuchTool",
        "calls search Load the tools WebFetch",
        "completed Load the tools WebFetch · WebFetch",
        "calls other Use the skill greeting",
        "completed Use the skill greeting · Launching skill: greeting",
        "calls other Use the skill no-such-skill",
      ]);
      assert.match(seen[7] ?? "", /^failed Use the skill no-such-skill · Unknown skill: no-such-skill/);
      assert.deepEqual(seen.slice(8), ["says Odd.", "answers end_turn"]);
    }));
});
