/**
 * Editor tools: what a CLI is started with, and what becomes of its calls. The real
 * CLI meets them in spec/live/editor.live.ts and terminals.live.ts.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { desk, type DeskOptions } from "./support/desk.ts";
import type { Frame, Puppet } from "./support/puppet.ts";

const home = mkdtempSync(join(realpathSync(tmpdir()), "bowline-editor-"));
after(() => rmSync(home, { recursive: true }));
const pdf = join(home, "a.pdf");
writeFileSync(pdf, "%PDF-1.4");

/** An editor whose buffers are a map, and a session in a temporary directory. */
async function editor(settings: object, options: DeskOptions = {}) {
  const buffers = new Map<string, string>();
  const writes: string[] = [];
  const created: string[] = [];
  const {
    editor: client,
    cli,
    asked,
  } = await desk({
    settings,
    serves: {
      "fs/read_text_file": ({ path }) => ({ content: buffers.get(path) ?? assert.fail("no such buffer") }),
      "fs/write_text_file": ({ path, content }) => {
        writes.push(`${path}: ${content}`);
        buffers.set(path, content);
      },
      "terminal/create": ({ command }) => ({ terminalId: String(created.push(command)) }),
      "terminal/output": () => ({ output: "out", truncated: false }),
      "terminal/wait_for_exit": () => ({ exitCode: 0 }),
      "terminal/kill": () => {},
      "terminal/release": () => {},
    },
    ...options,
  });
  const { sessionId } = await client.call("session/new", { cwd: home, mcpServers: [] });
  const puppet = cli.runs.at(-1) ?? assert.fail("no CLI");
  return { buffers, writes, created, sessionId, puppet, asked, cli, client };
}

let last = 0;

/** Asks as the CLI does, and gives what it is answered. */
async function ask(puppet: Puppet, request: Frame): Promise<Frame> {
  const request_id = `cli-${++last}`;
  puppet.say({ type: "control_request", request_id, request });
  for (;;) {
    for (const frame of puppet.frames) {
      if (frame["request"]?.subtype !== "list_permission_rules" || answered.has(frame)) continue;
      answered.add(frame);
      puppet.answer(frame, { state: { rules: [], workspaceDirectories: [] } });
    }
    const found = puppet.frames.find(({ response }) => response?.request_id === request_id);
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

function hook(callback_id: string, tool_name: string, tool_input: Frame, id: string): Frame {
  const input = { tool_name, tool_input, tool_use_id: id, permission_mode: "default", cwd: home };
  return { subtype: "hook_callback", callback_id, input, tool_use_id: id };
}

const said = (answer: Frame): string => answer["mcp_response"].result.content[0].text;

describe("EditorTools", () => {
  it("starts a CLI without the tools it replaces and with ours under their names", async () => {
    const { puppet } = await editor({ edits: true, commands: true });
    const { launch, environment, alsoEnds } = puppet.request;
    assert.deepEqual(launch.disallowedTools?.includes("Edit") && launch.disallowedTools.includes("Bash"), true);
    assert.deepEqual(environment, { plainToolNames: true });
    assert.match(alsoEnds ?? "", /^[0-9a-f-]{36}\.[0-9a-f-]{36}$/);
    const initialize = puppet.frames.find((frame) => frame["request"]?.subtype === "initialize")?.["request"];
    assert.deepEqual(initialize.sdkMcpServers, ["bowline"]);
    assert.equal(initialize.toolAliases.mcp__bowline__Read, "Read");
    const listed = await ask(puppet, {
      subtype: "mcp_message",
      server_name: "bowline",
      message: { jsonrpc: "2.0", id: 2, method: "tools/list" },
    });
    const names = listed["mcp_response"].result.tools.map(({ name }: Frame) => name);
    assert.deepEqual(names, "Read Write Edit MultiEdit NotebookEdit Bash BashOutput KillShell".split(" "));
  });

  it("takes nothing from a CLI where neither option is on, or the editor cannot", async () => {
    const off = await editor({ edits: false, commands: false });
    const unable = await editor({ edits: true, commands: true }, { serves: {} });
    for (const { puppet } of [off, unable]) {
      assert.deepEqual(puppet.request.launch.disallowedTools, undefined);
      assert.deepEqual(puppet.request.environment, {});
      assert.equal(puppet.request.alsoEnds, undefined);
    }
  });

  it("writes a call once, however often it is asked for", async () => {
    const { puppet, writes } = await editor({ edits: true });
    const write = call("Write", { file_path: join(home, "new.txt"), content: "new" }, "toolu_w");
    const answers = await Promise.all([ask(puppet, write), ask(puppet, write)]);
    answers.push(await ask(puppet, write));
    for (const answer of answers) assert.match(said(answer), /^File created successfully/);
    assert.deepEqual(writes, [`${join(home, "new.txt")}: new`]);
  });

  it("runs a command once, however often it is asked for", async () => {
    const { puppet, created } = await editor({ commands: true });
    const run = call("Bash", { command: "echo one two" }, "toolu_b");
    for (const answer of await Promise.all([ask(puppet, run), ask(puppet, run)])) assert.equal(said(answer), "out");
    assert.deepEqual(created, ["echo one two"]);
  });

  it("lets what only looks go by a hook, and asks the person about the rest with the file as it is", async () => {
    const { puppet, buffers, asked } = await editor({ edits: true });
    const file_path = join(home, "hello.txt");
    buffers.set(file_path, "unsaved world\n");
    const looks = await ask(puppet, hook("own-tools", "Read", { file_path }, "toolu_r"));
    assert.deepEqual(looks, { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: "allow" } });
    assert.equal(said(await ask(puppet, call("Read", { file_path }, "toolu_r"))), "1\tunsaved world");
    const input = { file_path, old_string: "world", new_string: "planet" };
    assert.deepEqual(await ask(puppet, hook("own-tools", "Edit", input, "toolu_e")), {});
    const asks = { subtype: "can_use_tool", tool_name: "Edit", input, tool_use_id: "toolu_e" };
    const decision = await ask(puppet, asks);
    assert.equal(decision["behavior"], "deny", "nobody allowed it");
    assert.equal(asked[0]?.toolCall.title, "Edit hello.txt");
    assert.equal(buffers.get(file_path), "unsaved world\n");
  });

  it("lets a call that cannot work through without a question, to hear why, even if it could by then", async () => {
    const { puppet, buffers, asked, writes } = await editor({ edits: true });
    const file_path = join(home, "never-read.txt");
    buffers.set(file_path, "text\n");
    const input = { file_path, old_string: "text", new_string: "x" };
    const { hookSpecificOutput } = await ask(puppet, hook("own-tools", "Edit", input, "toolu_n"));
    assert.equal(hookSpecificOutput.permissionDecision, "allow");
    await ask(puppet, call("Read", { file_path }, "toolu_r2"));
    assert.match(said(await ask(puppet, call("Edit", input, "toolu_n"))), /has not been read yet/);
    assert.deepEqual([asked.length, writes.length], [0, 0]);
  });

  it("puts a PDF into the place of the answer that MCP has no words for", async () => {
    const { puppet } = await editor({ edits: true });
    assert.match(said(await ask(puppet, call("Read", { file_path: pdf }, "toolu_p"))), /^PDF file read/);
    const { hookSpecificOutput } = await ask(puppet, hook("own-results", "Read", { file_path: pdf }, "toolu_p"));
    assert.deepEqual(
      hookSpecificOutput.updatedToolOutput.map(({ type }: Frame) => type),
      ["text", "document"],
    );
    const other = await ask(puppet, hook("own-results", "Read", { file_path: "/x" }, "toolu_other"));
    assert.deepEqual(other, {});
  });

  it("tells the model of the end of a command in the background, as nobody's word", async () => {
    const { puppet } = await editor({ commands: true });
    const input = { command: "make all", run_in_background: true, description: "Build" };
    assert.match(said(await ask(puppet, call("Bash", input, "toolu_bg"))), /ID: bash_1/);
    const frame = await puppet.hear("user");
    assert.equal(frame["isSynthetic"], true);
    assert.match(frame["message"].content, /"Build" has ended \(exit code 0\)/);
  });

  it("keeps the tools a CLI was started with when the options change, and gives the next its own", async () => {
    const { puppet, sessionId, client, cli, writes } = await editor({ edits: true });
    await client.call("session/set_config_option", { sessionId, configId: "edits", value: "false" });
    const write = call("Write", { file_path: join(home, "late.txt"), content: "late" }, "toolu_l");
    assert.match(said(await ask(puppet, write)), /^File created/);
    assert.equal(writes.length, 1);
    void client.call("session/prompt", { sessionId, prompt: [{ type: "text", text: "hi" }] }).catch(() => {});
    const next = await cli.run(1);
    assert.equal(next.request.launch.disallowedTools, undefined);
  });
});
