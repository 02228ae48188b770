/**
 * Live specs of what Codex does through the agent: commands, patches, plans, pictures, the
 * web, MCP servers and subagents.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type AcpClient, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { inCodexSession, withCodexAgent } from "../../support/live/codex/codex-agent.ts";
import {
  answer,
  call,
  callItem,
  escalate,
  message,
  patch,
  run,
  say,
  script,
} from "../../support/live/api/fake-responses-api.ts";
import { mcpCommand, mcpOverHttp } from "../../support/live/mcp-server.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";
import { waitUntil } from "../../support/processes.ts";
import { at, textAt } from "../../support/json.ts";

const terminals = { capabilities: { ...fullCapabilities, _meta: { terminal_output: true } } };
const writes = { home: { config: 'sandbox_mode = "workspace-write"' } };
/** A model that writes scripts instead of calling tools. */
const scripting = { home: { model: "gpt-6.1-sol" } };

describe("commands of Codex", () => {
  it("a command shows its output and how it failed, without the shell around it", () =>
    inCodexSession({ run: [run("echo out; echo more"), run("echo no; exit 3"), say("Ran.")] }, async ({ tell }) => {
      assert.deepEqual(await tell("[[run]] go"), [
        "calls execute echo out; echo more",
        "completed echo out; echo more · ```console\nout\nmore\n```",
        "calls execute echo no; exit 3",
        "failed echo no; exit 3 · ```console\nno\n``` · Exit code 3",
        "says Ran.",
        "answers end_turn",
      ]);
    }));

  it("a command writes into the client's terminal as it runs, with its first piece and the exit code", () =>
    inCodexSession(
      { run: [run("echo first; until test -e go; do sleep 0.05; done; echo last; exit 4"), say("Ran.")] },
      async ({ client, sessionId, tell, cwd, place }) => {
        const told = tell("[[run]] go");
        const output = (): string => {
          const pieces = client.updatesOf(sessionId).map((one) => textAt(one, "_meta.terminal_output.data"));
          return pieces.join("").replaceAll("\r\n", "\n");
        };
        await client.waitFor((one) => at(one, "_meta.terminal_info") !== undefined);
        place.write("go", "");
        await told;
        // Codex keeps what came before its first delta for the end, and a terminal only appends.
        assert.ok(["first\nlast\n", "last\n[The output began with:]\nfirst\n"].includes(output()), output());
        const said = client.updatesOf(sessionId).filter((one) => "toolCallId" in one);
        const id = at(said[0], "toolCallId");
        assert.deepEqual(at(said[0], "content"), [{ type: "terminal", terminalId: id }]);
        assert.deepEqual(at(said[0], "_meta.terminal_info"), { terminal_id: id, cwd });
        assert.deepEqual(at(said.at(-1), "_meta.terminal_exit"), { terminal_id: id, exit_code: 4, signal: null });
      },
      terminals,
    ));

  it("reading and searching commands are shown as such, with the file", () =>
    inCodexSession(
      { read: [run("cat hello.txt"), run("rg -n greet src"), run("ls src"), say("Read.")] },
      async ({ client, tell, sessionId, path }) => {
        await tell("[[read]] go");
        assert.deepEqual(
          client.toolCalls(sessionId).map(({ kind, title, locations, status }) => [kind, title, locations, status]),
          [
            ["read", "cat hello.txt", [{ path: path("hello.txt") }], "completed"],
            ["search", "rg -n greet src", undefined, "completed"],
            ["search", "ls src", undefined, "completed"],
          ],
        );
      },
    ));

  // Codex tells nothing of a command that its sandbox stops at once.
  it("a command that fails in its sandbox is reported as failed, and the turn goes on", () =>
    inCodexSession({ write: [run("sleep 1; echo x > x.txt"), say("No.")] }, async ({ tell }) => {
      const seen = await tell("[[write]] go");
      assert.match(seen[1] ?? "", /^failed sleep 1; echo x > x\.txt · .*Read-only.* · Exit code 1$/s);
      assert.deepEqual(seen.slice(-2), ["says No.", "answers end_turn"]);
    }));

  it("a command that outlives its turn ends its call later, and nothing else arrives after the answer", () =>
    inCodexSession(
      {
        later: [
          run("echo early; until test -e go; do echo tick; sleep 0.05; done; echo late", { yield_time_ms: 250 }),
          say("It runs."),
        ],
      },
      async ({ client, tell, sessionId, place }) => {
        assert.equal((await tell("[[later]] go")).at(-1), "answers end_turn");
        const before = client.updates.length;
        await new Promise((resolve) => setTimeout(resolve, 1000));
        assert.equal(client.updates.length, before, "its output waits for its end");
        place.write("go", "");
        await client.waitFor(() => client.toolCalls(sessionId)[0]?.status === "completed");
        assert.match(JSON.stringify(client.toolCalls(sessionId)[0]), /early[^]*tick[^]*late/);
        const late = client.updates.items.slice(before).map(({ update }) => update.sessionUpdate);
        assert.deepEqual(late, ["tool_call_update"]);
      },
    ));

  it("a long command has a title of one line, and the permission has all of it with the model's reason", () => {
    const command = `echo ${"x".repeat(300)}\necho two # the end`;
    return inCodexSession({ long: [escalate(command, "May I count?"), say("Ran.")] }, async ({ client, tell }) => {
      const [called = ""] = await tell("[[long]] go");
      assert.ok(called.length < 200 && called.endsWith("…") && !called.includes("\n"), called);
      const asked = JSON.stringify(client.editor.asked.items[0]?.request.toolCall.content);
      assert.match(asked, /# the end[^]*May I count\?/);
    });
  });

  it("the commands of a model that writes scripts look like those of any other", () =>
    inCodexSession(
      {
        script: [
          script(
            'const [a, b] = await Promise.all(["one", "two"].map((w) => tools.exec_command({cmd: "echo " + w})));',
          ),
          say("Both."),
        ],
      },
      async ({ client, tell, sessionId }) => {
        assert.equal((await tell("[[script]] go")).at(-1), "answers end_turn");
        assert.deepEqual(
          client
            .toolCalls(sessionId)
            .map(({ title, status }) => `${title} ${status}`)
            .sort(),
          ["echo one completed", "echo two completed"],
        );
      },
      scripting,
    ));
});

describe("patches of Codex", () => {
  it("a patch names its files, and has an exact diff and a location for each", () =>
    inCodexSession(
      { edit: [patch(bigPatch), say("Patched.")] },
      async ({ client, tell, sessionId, path, place }) => {
        const seen = await tell("[[edit]] go");
        const title = "Change README.md, hello.txt and made.txt";
        assert.equal(seen[0], `calls edit ${title}`);
        assert.equal(seen.at(-3), `completed ${title} · ${bigDiff}`);
        const { locations } = client.toolCalls(sessionId)[0] ?? {};
        assert.deepEqual(
          locations?.map((one) => one.path),
          ["README.md", "hello.txt", "made.txt"].map(path),
        );
        assert.equal(place.read("hello.txt"), "hello world\nchanged line\nthird line\n");
        assert.equal(place.read("made.txt"), "one\ntwo\n");
        assert.throws(() => place.read("README.md"));
      },
      writes,
    ));

  it("a patch that moves a file says where to", () =>
    inCodexSession(
      { move: [patch(movePatch), say("Moved.")] },
      async ({ tell, place }) => {
        const [called] = await tell("[[move]] go");
        assert.equal(called, "calls move Move hello.txt to greeting.txt");
        assert.match(place.read("greeting.txt"), /^hello there\n/);
      },
      writes,
    ));

  it("a patch over a file that exists shows what it replaces", () =>
    inCodexSession(
      { over: [patch(addPatch("hello.txt", "new")), say("Done.")] },
      async ({ client, tell, sessionId }) => {
        await tell("[[over]] go");
        const diff = client.toolCalls(sessionId)[0]?.content?.[0];
        assert.equal(at(diff, "oldText"), "hello world\nsecond line\nthird line\n");
        assert.equal(at(diff, "newText"), "new\n");
      },
      writes,
    ));

  it("a patch that does not apply changes nothing, and the turn goes on", () =>
    inCodexSession(
      { bad: [patch(badPatch), say("It failed.")] },
      async ({ tell, place }) => {
        assert.deepEqual((await tell("[[bad]] go")).slice(-2), ["says It failed.", "answers end_turn"]);
        assert.equal(place.read("hello.txt"), "hello world\nsecond line\nthird line\n");
      },
      writes,
    ));
});

describe("other tools of Codex", () => {
  it("update_plan becomes the plan, whole each time", () =>
    inCodexSession(
      { plan: [planned("in_progress", "pending"), planned("completed", "in_progress"), say("Planned.")] },
      async ({ tell }) => {
        assert.deepEqual(await tell("[[plan]] go"), [
          "plan [>] One, [ ] Two",
          "plan [x] One, [>] Two",
          "says Planned.",
          "answers end_turn",
        ]);
      },
    ));

  it("pictures and web searches say what is looked at", () =>
    inCodexSession(
      {
        look: [
          call("view_image", { path: "pixel.png" }),
          answer({ type: "web_search_call", id: "ws_1", action: { type: "search", query: "knots" } }, message("Seen.")),
        ],
      },
      async ({ tell }) => {
        assert.deepEqual(await tell("[[look]] go"), [
          "calls read View pixel.png",
          "completed View pixel.png",
          'calls fetch Search the web for "knots"',
          'completed Search the web for "knots"',
          "says Seen.",
          "answers end_turn",
        ]);
      },
    ));

  it("a call of a tool that does not exist ends the turn like any other", () =>
    inCodexSession({ odd: [call("no_such_tool", {}), say("Odd.")] }, async ({ tell }) => {
      assert.deepEqual((await tell("[[odd]] go")).slice(-2), ["says Odd.", "answers end_turn"]);
    }));
});

describe("MCP servers of the editor with Codex", () => {
  it("an MCP server over stdio gets its environment, its results are content, and it ends with the session", () =>
    withCodexAgent(
      {
        mcp: [
          answer(
            callItem("echo", { text: "PERSIMMON" }, "mcp__editor"),
            callItem("secret", { name: "KEY" }, "mcp__editor"),
          ),
          call("picture", {}, "mcp__editor"),
          call("fails", {}, "mcp__editor"),
          say("Called."),
        ],
      },
      async ({ client, cwd, place }) => {
        await client.initialize();
        const env = [{ name: "KEY", value: "s3cret" }];
        const { sessionId } = await client.newSession(cwd, { mcpServers: [{ name: "editor", ...mcpCommand(), env }] });
        const other = await client.newSession(cwd);
        await serverIsReady(client, sessionId, "editor");
        await client.prompt(sessionId, "[[mcp]] go");
        const calls = client.toolCalls(sessionId);
        assert.deepEqual(
          calls.map(({ status }) => status),
          ["completed", "completed", "completed", "failed"],
        );
        assert.match(JSON.stringify(calls[0]?.content), /PERSIMMON/);
        assert.match(JSON.stringify(calls[1]?.content), /s3cret/);
        assert.match(JSON.stringify(calls[2]?.content), /"type":"image"/);
        const isServer = ({ command }: { readonly command: string }): boolean => command.includes("mcp-server.ts");
        assert.equal(
          (await waitUntil(place.root, () => true)).filter(isServer).length,
          1,
          "the other session has none",
        );
        await client.request("session/close", { sessionId });
        assert.deepEqual((await waitUntil(place.root, (all) => !all.some(isServer))).filter(isServer), []);
        assert.equal((await client.prompt(other.sessionId, "hi")).stopReason, "end_turn");
      },
      // A prewarmed session has servers too.
      { env: { BOWLINE_PREWARM: "0" } },
    ));

  it("an MCP server over HTTP gets its headers, and one that cannot start is reported", () =>
    withCodexAgent(
      { mcp: [call("echo", { text: "PERSIMMON" }, "mcp__web"), say("Called.")] },
      async ({ client, cwd, own }) => {
        const server = own(await mcpOverHttp());
        await client.initialize();
        const headers = [{ name: "x-key", value: "s3cret" }];
        const mcpServers = [
          { type: "http" as const, name: "web", url: server.url, headers },
          { name: "gone", command: "/no/such/program", args: [], env: [] },
        ];
        const { sessionId } = await client.newSession(cwd, { mcpServers });
        await serverIsReady(client, sessionId, "web");
        await client.prompt(sessionId, "[[mcp]] go");
        assert.match(JSON.stringify(client.toolCalls(sessionId)[0]?.content), /PERSIMMON/);
        assert.equal(server.headers[0]?.["x-key"], "s3cret");
        await client.waitFor((one) => JSON.stringify(one).includes("The MCP server gone could not be started"));
      },
    ));

  it("a question of an MCP server is a form of the editor", () =>
    withCodexAgent({ ask: [call("ask", {}, "mcp__editor"), say("Asked.")] }, async ({ client, cwd }) => {
      client.editor.elicitationAnswers.push({ action: "accept", content: { name: "Ada" } });
      await client.initialize();
      const { sessionId } = await client.newSession(cwd, {
        mcpServers: [{ name: "editor", ...mcpCommand(), env: [] }],
      });
      await serverIsReady(client, sessionId, "editor");
      await client.prompt(sessionId, "[[ask]] go");
      assert.equal(client.editor.elicited.length, 1);
      assert.match(JSON.stringify(client.toolCalls(sessionId)[0]?.content), /Ada/);
    }));
});

describe("subagents of Codex", () => {
  it("a subagent is one call with its report, its calls stand below it, and its text is not the answer", () =>
    inCodexSession(
      {
        agent: [
          call("spawn_agent", { task_name: "looker", message: "[[child]]", fork_turns: "none" }, "collaboration"),
          call("wait_agent", { timeout_ms: 10_000 }, "collaboration"),
          say("All done."),
        ],
        child: [script('await tools.exec_command({cmd:"echo child"});'), say("The child looked.")],
      },
      async ({ client, tell, sessionId, cwd }) => {
        assert.equal((await tell("[[agent]] go")).at(-1), "answers end_turn");
        assert.equal(client.text(sessionId), "All done.");
        const calls = client.toolCalls(sessionId);
        const agent = calls.find(({ title }) => title === "Agent looker");
        assert.equal(agent?.status, "completed");
        assert.match(JSON.stringify(agent?.content), /The child looked/);
        const child = calls.find(({ title }) => title === "echo child");
        assert.equal(child?.status, "completed");
        assert.match(JSON.stringify(child?._meta), new RegExp(agent?.toolCallId ?? "no id"));
        assert.equal(transcript(client, cwd, sessionId).filter((line) => line.startsWith("says")).length, 1);
      },
      scripting,
    ));
});

/** A turn of Codex does not wait for an MCP server that starts. */
async function serverIsReady(client: AcpClient, sessionId: string, name: string): Promise<void> {
  for (;;) {
    const before = client.text(sessionId).length;
    await client.prompt(sessionId, "/mcp");
    if (new RegExp(`${name}[^]*echo`).test(client.text(sessionId).slice(before))) return;
  }
}

function planned(one: string, two: string): ReturnType<typeof call> {
  return call("update_plan", {
    plan: [
      { step: "One", status: one },
      { step: "Two", status: two },
    ],
  });
}

function addPatch(file: string, text: string): string {
  return `*** Begin Patch\n*** Add File: ${file}\n+${text}\n*** End Patch`;
}

const bigPatch = [
  "*** Begin Patch",
  "*** Update File: hello.txt",
  "@@",
  " hello world",
  "-second line",
  "+changed line",
  " third line",
  "*** Add File: made.txt",
  "+one",
  "+two",
  "*** Delete File: README.md",
  "*** End Patch",
].join("\n");

const bigDiff = [
  '~/README.md: "# Project\\n\\nA small project for a test.\\n" -> ""',
  '~/hello.txt: "hello world\\nsecond line\\nthird line\\n" -> "hello world\\nchanged line\\nthird line\\n"',
  '~/made.txt: null -> "one\\ntwo\\n"',
].join(" · ");

const movePatch = [
  "*** Begin Patch",
  "*** Update File: hello.txt",
  "*** Move to: greeting.txt",
  "@@",
  "-hello world",
  "+hello there",
  "*** End Patch",
].join("\n");

const badPatch = [
  "*** Begin Patch",
  "*** Update File: hello.txt",
  "@@",
  "-no such line",
  "+another",
  "*** End Patch",
].join("\n");
