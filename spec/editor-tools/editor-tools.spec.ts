/**
 * What a CLI is launched with when it works through the editor, and how its calls are
 * answered. spec/live/editor.live.ts and terminals.live.ts test it with the real CLI.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { agentHarness, type AgentHarnessOptions } from "../support/agent-harness.ts";
import type { Frame, FakeCli } from "../support/fake-cli.ts";

const home = mkdtempSync(join(realpathSync(tmpdir()), "bowline-editor-"));
after(() => rmSync(home, { recursive: true }));
/** An editor whose buffers are a map, and a session in a temporary directory. */
async function editor(settings: object, options: AgentHarnessOptions = {}) {
  const buffers = new Map<string, string>();
  const writes: string[] = [];
  const created: string[] = [];
  const {
    editor: client,
    cli,
    asked,
  } = await agentHarness({
    settings,
    serves: {
      "fs/read_text_file": ({ path }) => ({ content: buffers.get(path) ?? assert.fail("no such buffer") }),
      "fs/write_text_file": ({ path, content }) => {
        writes.push(`${path}: ${content}`);
        buffers.set(path, content);
      },
      "terminal/create": ({ command }) => ({ terminalId: String(created.push(command)) }),
      "terminal/wait_for_exit": () => ({ exitCode: 0 }),
      "terminal/kill": () => {},
      "terminal/release": () => {},
    },
    ...options,
  });
  const { sessionId } = await client.call("session/new", { cwd: home, mcpServers: [] });
  const fakeCli = cli.runs.at(-1) ?? assert.fail("no CLI");
  return { buffers, writes, created, sessionId, fakeCli, asked, cli, client };
}

let last = 0;

/** Sends a request as the CLI does, and returns the response. */
async function ask(fakeCli: FakeCli, request: Frame): Promise<Frame> {
  const request_id = `cli-${++last}`;
  fakeCli.say({ type: "control_request", request_id, request });
  for (;;) {
    for (const frame of fakeCli.frames) {
      if (frame["request"]?.subtype !== "list_permission_rules" || answered.has(frame)) continue;
      answered.add(frame);
      fakeCli.answer(frame, { state: { rules: [], workspaceDirectories: [] } });
    }
    const found = fakeCli.frames.find(({ response }) => response?.request_id === request_id);
    if (found !== undefined) return found["response"].response;
    await new Promise(setImmediate);
  }
}
const answered = new WeakSet<Frame>();

function call(name: string, input: Frame, id: string): Frame {
  const params = { name, arguments: input, _meta: { "claudecode/toolUseId": id } };
  return {
    subtype: "mcp_message",
    server_name: "bowline",
    message: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
}

function hook(tool_name: string, tool_input: Frame, id: string, permission_mode = "default"): Frame {
  const input = { tool_name, tool_input, tool_use_id: id, permission_mode, cwd: home };
  return { subtype: "hook_callback", callback_id: "judge-write", input, tool_use_id: id };
}

const resultText = (answer: Frame): string => answer["mcp_response"].result.content[0].text;
const decisionOf = ({ hookSpecificOutput }: Frame): string => hookSpecificOutput.permissionDecision;

describe("EditorTools", () => {
  it("with edits on, the CLI's writing tools are replaced, and Bash and Read stay", async () => {
    const { fakeCli } = await editor({ edits: true, commands: true });
    const { launch, environment } = fakeCli.request;
    assert.deepEqual(launch.disallowedTools, ["Write", "Edit", "MultiEdit", "NotebookEdit"]);
    assert.equal(environment?.plainToolNames, true);
    assert.match(environment?.extra?.["CLAUDE_CODE_SHELL_PREFIX"] ?? "", /\/shell-prefix$/);
    const initialize = fakeCli.frames.find((frame) => frame["request"]?.subtype === "initialize")?.["request"];
    assert.deepEqual(initialize.sdkMcpServers, ["bowline"]);
    assert.deepEqual(Object.keys(initialize.hooks), ["PreToolUse", "PostToolUse"]);
    const listed = await ask(fakeCli, {
      subtype: "mcp_message",
      server_name: "bowline",
      message: { jsonrpc: "2.0", id: 2, method: "tools/list" },
    });
    const names = listed["mcp_response"].result.tools.map(({ name }: Frame) => name);
    assert.deepEqual(names, "Write Edit MultiEdit NotebookEdit".split(" "));
  });

  it("the CLI keeps all its tools if no option is on or the editor lacks the capability", async () => {
    const off = await editor({ edits: false, commands: false });
    const unable = await editor({ edits: true, commands: true }, { serves: {} });
    for (const { fakeCli } of [off, unable]) {
      assert.deepEqual(fakeCli.request.launch.disallowedTools, undefined);
      assert.deepEqual(fakeCli.request.environment, {});
    }
  });

  it("a judged call is written once, even if the CLI repeats it", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const input = { file_path: join(home, "new.txt"), content: "new" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_w"))), "ask");
    const write = call("Write", input, "toolu_w");
    const answers = await Promise.all([ask(fakeCli, write), ask(fakeCli, write)]);
    answers.push(await ask(fakeCli, write));
    for (const answer of answers) assert.match(resultText(answer), /^File created successfully/);
    assert.deepEqual(writes, [`${join(home, "new.txt")}: new`]);
  });

  it("a call that was not judged is refused, even after many judged calls", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const input = { file_path: join(home, "never.txt"), content: "x" };
    assert.match(resultText(await ask(fakeCli, call("Write", input, "toolu_never"))), /was not judged/);
    for (let i = 0; i < 300; i++) await ask(fakeCli, hook("Write", input, `toolu_${i}`));
    assert.match(
      resultText(await ask(fakeCli, call("Write", input, "toolu_0"))),
      /was not judged/,
      "forgotten is refused",
    );
    assert.deepEqual(writes, []);
  });

  it("a denied call stays denied, and a call that would fail is denied with the reason", async () => {
    const { fakeCli, buffers, asked, writes } = await editor({ edits: true });
    const file_path = join(home, "never-read.txt");
    buffers.set(file_path, "text\n");
    const input = { file_path, old_string: "text", new_string: "x" };
    const { hookSpecificOutput } = await ask(fakeCli, hook("Edit", input, "toolu_n"));
    assert.equal(hookSpecificOutput.permissionDecision, "deny");
    assert.match(hookSpecificOutput.permissionDecisionReason, /has not been read yet/);
    assert.match(resultText(await ask(fakeCli, call("Edit", input, "toolu_n"))), /has not been read yet/);
    assert.deepEqual([asked.length, writes.length], [0, 0]);
  });

  it("in acceptEdits mode an ordinary file is written without asking, and the user is asked about any other", async () => {
    const { fakeCli } = await editor({ edits: true });
    const write = (name: string, mode: string): Promise<string> =>
      ask(fakeCli, hook("Write", { file_path: join(home, name), content: "x" }, crypto.randomUUID(), mode)).then(
        decisionOf,
      );
    assert.equal(await write("a.txt", "acceptEdits"), "allow");
    assert.equal(await write(".npmrc", "acceptEdits"), "ask");
    assert.equal(await write(".npmrc", "bypassPermissions"), "ask");
    assert.equal(await write("a.txt", "default"), "ask");
    assert.equal(await write("a.txt", "dontAsk"), "deny");
    symlinkSync("/etc", join(home, "link"));
    assert.equal(await write("link/hosts.new", "acceptEdits"), "ask");
  });

  it("nothing is written when the path leads to another file by the time of the write", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const input = { file_path: join(home, "swap", "a.txt"), content: "x" };
    mkdirSync(join(home, "swap"));
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_s", "acceptEdits"))), "allow");
    rmSync(join(home, "swap"), { recursive: true });
    symlinkSync("/etc", join(home, "swap"));
    assert.match(resultText(await ask(fakeCli, call("Write", input, "toolu_s"))), /leads to another file now/);
    assert.deepEqual(writes, []);
  });

  it("the user is asked about an allowed write when one of the user's hooks demands it", async () => {
    const { fakeCli, asked } = await editor({ edits: true });
    const input = { file_path: join(home, "a.txt"), content: "x" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_h", "acceptEdits"))), "allow");
    const wanted = { subtype: "can_use_tool", tool_name: "Write", input, tool_use_id: "toolu_h" };
    const decision = await ask(fakeCli, { ...wanted, decision_reason_type: "hook", decision_reason: "look at it" });
    assert.equal(decision["behavior"], "deny", "the user did not allow it");
    assert.equal(asked.length, 1);
    assert.equal(asked[0]?.toolCall.title, "Write a.txt");
    const planned = await ask(fakeCli, { ...wanted, decision_reason_type: "mode" });
    assert.equal(planned["behavior"], "allow", "the mode was taken into account when it was judged");
  });

  it("a running CLI keeps its tools when the options change, and the next CLI gets the new ones", async () => {
    const { fakeCli, sessionId, client, cli, writes } = await editor({ edits: true });
    await client.call("session/set_config_option", { sessionId, configId: "edits", value: "false" });
    const input = { file_path: join(home, "late.txt"), content: "late" };
    await ask(fakeCli, hook("Write", input, "toolu_l"));
    assert.match(resultText(await ask(fakeCli, call("Write", input, "toolu_l"))), /^File created/);
    assert.equal(writes.length, 1);
    void client.call("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] }).catch(() => {});
    const next = await cli.run(1);
    assert.equal(next.request.launch.disallowedTools, undefined);
  });

  it("commands in the editor's terminal are not offered when a sandbox is set, and the option says why", async () => {
    const { client } = await editor(
      { commands: true },
      { settingsAnswer: { effective: { sandbox: { enabled: true } } } },
    );
    const { configOptions } = await client.call("session/new", { cwd: home, mcpServers: [] });
    const option = configOptions?.find(({ id }) => id === "commands");
    assert.match(option?.description ?? "", /^Not available: your Claude settings have a sandbox/);
    assert.deepEqual(option?.type === "select" && option.options, [{ value: "false", name: "Off" }]);
  });

  it("edits through the editor are not offered while a hook has a condition, and a write is denied from then on", async () => {
    const hooks = [{ event: "PreToolUse", condition: "Write(*.txt)" }];
    const { client, fakeCli } = await editor({ edits: true }, { settingsAnswer: { effective: {}, hooks } });
    const { configOptions } = await client.call("session/new", { cwd: home, mcpServers: [] });
    const option = configOptions?.find(({ id }) => id === "edits");
    assert.match(option?.description ?? "", /^Not available: a hook in your Claude settings has a condition/);
    const input = { file_path: join(home, "a.txt"), content: "x" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_c", "acceptEdits"))), "deny");
  });

  it("a call that a hook changed after it was judged writes nothing", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const input = { file_path: join(home, "judged.txt"), content: "judged" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_u", "acceptEdits"))), "allow");
    const changed = { ...input, content: "changed" };
    assert.match(
      resultText(await ask(fakeCli, call("Write", changed, "toolu_u"))),
      /changed this call after it was judged/,
    );
    assert.deepEqual(writes, []);
  });

  it("a call with parameters that its tool does not have is denied", async () => {
    const { fakeCli } = await editor({ edits: true });
    const input = { file_path: join(home, "a.txt"), content: "x", edits: [] };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_x", "acceptEdits"))), "deny");
  });

  it("a file with a second name and a named pipe are not written unasked, and block nothing", async () => {
    const { fakeCli, client } = await editor({ edits: true });
    writeFileSync(join(home, "one.txt"), "x");
    linkSync(join(home, "one.txt"), join(home, "two.txt"));
    execFileSync("mkfifo", [join(home, "pipe")]);
    for (const name of ["two.txt", "pipe"]) {
      const input = { file_path: join(home, name), content: "x" };
      const judged = decisionOf(await ask(fakeCli, hook("Write", input, crypto.randomUUID(), "acceptEdits")));
      assert.notEqual(judged, "allow", name);
    }
    await client.call("session/new", { cwd: home, mcpServers: [] });
  });
});
