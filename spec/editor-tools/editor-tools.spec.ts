/**
 * What a CLI is launched with when it works through the editor, and how its calls are
 * answered. spec/live/tools/editor.live.ts and terminals.live.ts test it with the real CLI.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { linkSync, mkdirSync, mkdtempSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join, parse, relative } from "node:path";
import { after, describe, it } from "node:test";
import { agentHarness, type AgentHarnessOptions } from "../support/claude/agent-harness.ts";
import type { Frame, FakeCli } from "../support/claude/fake-cli.ts";

const home = mkdtempSync(join(realpathSync(tmpdir()), "bowline-editor-"));
after(() => rmSync(home, { recursive: true }));
/** An editor whose buffers are a map, and a session in a temporary directory. */
async function editor(settings: object, options: AgentHarnessOptions = {}, cwd = home) {
  const buffers = new Map<string, string>();
  const writes: string[] = [];
  const created: string[] = [];
  const {
    editor: client,
    cli,
    asked,
    time,
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
  const { sessionId } = await client.call("session/new", { cwd, mcpServers: [] });
  const fakeCli = cli.runs.at(-1) ?? assert.fail("no CLI");
  return { buffers, writes, created, sessionId, fakeCli, asked, cli, client, time };
}

/** The user allows everything. */
const allowing: AgentHarnessOptions = { permit: () => ({ outcome: { outcome: "selected", optionId: "allow" } }) };

let last = 0;

/** Sends a request as the CLI does, and returns the response. */
async function ask(fakeCli: FakeCli, request: Frame): Promise<Frame> {
  const request_id = `cli-${++last}`;
  fakeCli.say({ type: "control_request", request_id, request });
  for (;;) {
    const found = fakeCli.frames.find(({ response }) => response?.request_id === request_id);
    if (found !== undefined) return found["response"].response;
    await new Promise(setImmediate);
  }
}

function call(name: string, input: Frame, id: string): Frame {
  const params = { name, arguments: input, _meta: { "claudecode/toolUseId": id } };
  return {
    subtype: "mcp_message",
    server_name: "bowline",
    message: { jsonrpc: "2.0", id: 1, method: "tools/call", params },
  };
}

function hook(tool_name: string, tool_input: Frame, id: string, permission_mode = "default", more = {}): Frame {
  const input = { tool_name, tool_input, tool_use_id: id, permission_mode, cwd: home, ...more };
  return { subtype: "hook_callback", callback_id: "judge-write", input, tool_use_id: id };
}

function requestsFor(fakeCli: FakeCli, subtype: string): number {
  return fakeCli.frames.filter(({ request }) => request?.subtype === subtype).length;
}

const resultText = (answer: Frame): string => answer["mcp_response"].result.content[0].text;
const decisionOf = ({ hookSpecificOutput }: Frame): string => hookSpecificOutput.permissionDecision;

describe("EditorTools", () => {
  it("with edits on, the CLI's writing tools are replaced, and Bash and Read stay", async () => {
    const { fakeCli } = await editor({ edits: true, commands: true });
    const { launch, environment } = fakeCli.request;
    assert.deepEqual(launch.disallowedTools, ["Write", "Edit", "NotebookEdit"]);
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
    assert.deepEqual(names, "Write Edit NotebookEdit".split(" "));
  });

  it("a writing tool that the client has denied or left out is not served by the editor either", async () => {
    const { client, cli } = await editor({ edits: true });
    const list = { jsonrpc: "2.0", id: 2, method: "tools/list" };
    const served = async (options: object): Promise<readonly string[]> => {
      await client.call("session/new", { cwd: home, mcpServers: [], _meta: { claudeCode: { options } } });
      const fakeCli = cli.runs.at(-1) ?? assert.fail("no CLI");
      const listed = await ask(fakeCli, { subtype: "mcp_message", server_name: "bowline", message: list });
      const input = { file_path: join(home, "denied.txt"), content: "x" };
      await ask(fakeCli, hook("Write", input, "toolu_d", "acceptEdits"));
      const answer = await ask(fakeCli, call("Write", input, "toolu_d"));
      assert.equal(answer["mcp_response"].error?.message, "unknown tool: Write");
      return listed["mcp_response"].result.tools.map(({ name }: Frame) => name);
    };
    for (const rule of ["Write", " Write ", "Write(*)", "Write()"]) {
      assert.deepEqual(await served({ disallowedTools: [rule] }), ["Edit", "NotebookEdit"], rule);
    }
    assert.deepEqual(await served({ allowedTools: ["Read", "Edit"] }), ["Edit"]);
    assert.deepEqual(await served({ tools: [] }), []);
  });

  it("a write that is put to the user asks the CLI once for its permission rules", async () => {
    const { fakeCli, asked } = await editor({ edits: true });
    const input = { file_path: join(home, "once.txt"), content: "x" };
    const before = requestsFor(fakeCli, "list_permission_rules");
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_once"))), "ask");
    await ask(fakeCli, { subtype: "can_use_tool", tool_name: "Write", input, tool_use_id: "toolu_once" });
    await ask(fakeCli, call("Write", input, "toolu_once"));
    assert.equal(asked.length, 1);
    assert.equal(requestsFor(fakeCli, "list_permission_rules") - before, 1);
  });

  it("the CLI keeps all its tools if no option is on or the editor lacks the capability", async () => {
    const off = await editor({ edits: false, commands: false });
    const unable = await editor({ edits: true, commands: true }, { serves: {} });
    for (const { fakeCli } of [off, unable]) {
      assert.deepEqual(fakeCli.request.launch.disallowedTools, undefined);
      assert.deepEqual(fakeCli.request.environment, { fileCheckpoints: true });
    }
  });

  it("a write is denied unless its path is spelled as the CLI spells paths for the user's hooks", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const plain = join(home, "caf\u00e9", "a.txt");
    const { root, dir } = parse(plain);
    const spellings = [
      relative(home, plain),
      `./${relative(home, plain)}`,
      `${dir}/x/../a.txt`,
      `${dir}//a.txt`,
      `${dir}/./a.txt`,
      `${root}./${plain.slice(root.length)}`,
      `${plain}/`,
      ` ${plain}`,
      `${plain}\n`,
      plain.normalize("NFD"),
      "~/a.txt",
    ];
    for (const [i, file_path] of spellings.entries()) {
      const input = { file_path, content: "x" };
      const decision = await ask(fakeCli, hook("Write", input, `toolu_${i}`, "bypassPermissions"));
      assert.equal(decisionOf(decision), "deny", JSON.stringify(file_path));
      await ask(fakeCli, call("Write", input, `toolu_${i}`));
    }
    const input = { file_path: plain, content: "x" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_p", "bypassPermissions"))), "allow");
    assert.deepEqual(writes, []);
  });

  it("a judged call is written once, even if the CLI repeats it", async () => {
    const { fakeCli, writes } = await editor({ edits: true }, allowing);
    const input = { file_path: join(home, "new.txt"), content: "new" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_w"))), "ask");
    await ask(fakeCli, { subtype: "can_use_tool", tool_name: "Write", input, tool_use_id: "toolu_w" });
    const write = call("Write", input, "toolu_w");
    const answers = await Promise.all([ask(fakeCli, write), ask(fakeCli, write)]);
    answers.push(await ask(fakeCli, write));
    for (const answer of answers) assert.match(resultText(answer), /^File created successfully/);
    assert.deepEqual(writes, [`${join(home, "new.txt")}: new`]);
  });

  it("a call that had to be asked about is refused when the CLI runs it without the user's answer", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const input = { file_path: join(home, "unasked.txt"), content: "x" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_u"))), "ask");
    assert.match(resultText(await ask(fakeCli, call("Write", input, "toolu_u"))), /The user has not allowed this call/);
    assert.deepEqual(writes, []);
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

  it("the user is asked about a file in a repository below the session's directory, and nothing is written where one has appeared", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const decide = async (name: string): Promise<string | undefined> => {
      const input = { file_path: join(home, "nested", name), content: "x" };
      return decisionOf(await ask(fakeCli, hook("Write", input, name, "acceptEdits")));
    };
    mkdirSync(join(home, "nested", "sub", ".git"), { recursive: true });
    mkdirSync(join(home, "nested", "linked"));
    mkdirSync(join(home, "nested", "plain"));
    writeFileSync(join(home, "nested", "linked", ".git"), "gitdir: ../data");
    mkdirSync(join(home, "nested", "data"));
    writeFileSync(join(home, "nested", "data", "HEAD"), "ref: refs/heads/main");
    for (const name of ["sub/a.txt", "sub/deep/new.txt", "linked/a.txt", "data/config", "data/hooks/pre-commit"])
      assert.equal(await decide(name), "ask", name);
    assert.equal(await decide("plain/a.txt"), "allow");
    writeFileSync(join(home, "nested", "plain", ".git"), "gitdir: ../data");
    const input = { file_path: join(home, "nested", "plain", "a.txt"), content: "x" };
    assert.match(resultText(await ask(fakeCli, call("Write", input, "plain/a.txt"))), /leads to another file now/);
    assert.deepEqual(writes, []);
  });

  it("a file is not written when its path leads to another file by the time of the write", async () => {
    const { fakeCli, writes } = await editor({ edits: true });
    const input = { file_path: join(home, "swap", "a.txt"), content: "x" };
    mkdirSync(join(home, "swap"));
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_s", "acceptEdits"))), "allow");
    rmSync(join(home, "swap"), { recursive: true });
    symlinkSync("/etc", join(home, "swap"));
    assert.match(resultText(await ask(fakeCli, call("Write", input, "toolu_s"))), /leads to another file now/);
    assert.deepEqual(writes, []);
  });

  it("a file is not written when a dangling link appears on its path while the user is asked", async () => {
    const { fakeCli, writes } = await editor({ edits: true }, allowing);
    const planted = mkdtempSync(join(home, "planted-"));
    const cases: readonly (readonly [name: string, plant: () => void])[] = [
      ["new.txt", () => symlinkSync(join(planted, "elsewhere"), join(home, "asked", "new.txt"))],
      ["d/new.txt", () => symlinkSync(join(planted, "elsewhere"), join(home, "asked", "d"))],
    ];
    mkdirSync(join(home, "asked"));
    for (const [name, plant] of cases) {
      const input = { file_path: join(home, "asked", name), content: "x" };
      assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, name))), "ask");
      plant();
      await ask(fakeCli, { subtype: "can_use_tool", tool_name: "Write", input, tool_use_id: name });
      assert.match(resultText(await ask(fakeCli, call("Write", input, name))), /leads to another file now/, name);
    }
    assert.deepEqual(writes, []);
  });

  it("a dangling link on a path counts as the place that it leads to", async () => {
    const { fakeCli } = await editor({ edits: true });
    symlinkSync("../nowhere/new", join(home, "dangling"));
    for (const [name, expected] of [
      ["dangling/a.txt", "ask"],
      ["dangling", "deny"],
    ] as const) {
      const input = { file_path: join(home, name), content: "x" };
      assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, name, "acceptEdits"))), expected, name);
    }
  });

  it("in a session whose directory is a link the user is asked about a path through the link, and not about the real path", async () => {
    const [real, other] = [mkdtempSync(join(home, "real-")), mkdtempSync(join(home, "other-"))];
    const cwd = join(home, "session");
    symlinkSync(real, cwd);
    const { fakeCli } = await editor(
      { edits: true },
      { settingsAnswer: { effective: {}, rules: [], originalCwd: real } },
      cwd,
    );
    const write = async (id: string, directory: string): Promise<string> => {
      const input = { file_path: join(directory, "a.txt"), content: "x" };
      return decisionOf(await ask(fakeCli, hook("Write", input, id, "acceptEdits", { cwd: real })));
    };
    assert.equal(await write("toolu_real", real), "allow");
    assert.equal(await write("toolu_link", cwd), "ask");
    rmSync(cwd);
    symlinkSync(other, cwd);
    assert.equal(await write("toolu_after", cwd), "ask");
  });

  it("the user is asked about every write while a rule concerns files, with the rule as the reason", async () => {
    const rules = [{ behavior: "deny", rule: "Edit(app/\\(auth\\)/**)", source: "userSettings" }];
    const { fakeCli, asked } = await editor({ edits: true }, { settingsAnswer: { effective: {}, rules } });
    const input = { file_path: join(home, "ruled.txt"), content: "x" };
    for (const mode of ["acceptEdits", "bypassPermissions", "default"]) {
      assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, mode, mode))), "ask", mode);
    }
    await ask(fakeCli, { subtype: "can_use_tool", tool_name: "Write", input, tool_use_id: "acceptEdits" });
    assert.match(JSON.stringify(asked[0]), /Your settings have the rule Edit\(app/);
    assert.deepEqual(
      asked[0]?.options.map(({ kind }) => kind),
      ["allow_once", "reject_once", "reject_always"],
      "nothing can be allowed for good",
    );
  });

  it("the user is asked about a write when a rule of the CLI's list cannot be read", async () => {
    const settingsAnswer = { effective: {}, rules: [{ behavior: "deny" }] };
    const { fakeCli } = await editor({ edits: true }, { settingsAnswer });
    const input = { file_path: join(home, "unread.txt"), content: "x" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_r", "acceptEdits"))), "ask");
  });

  it("the user is asked about a write of a subagent in every mode", async () => {
    const { fakeCli } = await editor({ edits: true });
    for (const more of [{ agent_id: "a1" }, { agent_type: "Explore" }]) {
      const input = { file_path: join(home, "sub.txt"), content: "x" };
      const judged = await ask(fakeCli, hook("Write", input, crypto.randomUUID(), "bypassPermissions", more));
      assert.equal(decisionOf(judged), "ask");
    }
  });

  it("a write is denied when the editor does not return the file's text in time", async () => {
    let onRead = (): void => {};
    const read = new Promise<void>((resolve) => (onRead = resolve));
    const { fakeCli, time } = await editor(
      { edits: true },
      {
        serves: {
          "fs/read_text_file": () => {
            onRead();
            return new Promise(() => {});
          },
          "fs/write_text_file": () => {},
        },
      },
    );
    const input = { file_path: join(home, "silent.txt"), content: "x" };
    const judged = ask(fakeCli, hook("Write", input, "toolu_silent", "acceptEdits"));
    await read;
    time.advance(10_000);
    assert.match(JSON.stringify(await judged), /"deny".*did not return the text/);
  });

  it("the result of a Read is left as it is while a hook of the user may change it, and for a subagent", async () => {
    const path = join(home, "read.txt");
    writeFileSync(path, "disk\n");
    const read = async (hooks: readonly object[], more: object = {}): Promise<Frame> => {
      const { fakeCli, buffers } = await editor({ edits: true }, { settingsAnswer: { effective: {}, hooks } });
      buffers.set(path, "unsaved\n");
      const file = { filePath: path, content: "disk", numLines: 1, startLine: 1, totalLines: 1 };
      const input = { tool_input: { file_path: path }, tool_response: { type: "text", file }, ...more };
      return ask(fakeCli, { subtype: "hook_callback", callback_id: "show-unsaved-text", input });
    };
    assert.match(JSON.stringify(await read([{ event: "PostToolUse", matcher: "Bash" }])), /unsaved/);
    assert.deepEqual(await read([{ event: "PostToolUse", matcher: "Read" }]), {});
    assert.deepEqual(await read([{ event: "PostToolUse", matcher: "" }]), {});
    assert.deepEqual(await read([], { agent_id: "a1" }), {});
  });

  it("a linked file is put into the prompt only if no rule and no hook could keep the CLI from reading it", async () => {
    const path = join(home, "linked.txt");
    const sent = async (settings: object): Promise<string> => {
      const { fakeCli, buffers, client, sessionId } = await editor(
        { edits: true },
        { settingsAnswer: { effective: {}, ...settings } },
      );
      buffers.set(path, "UNSAVED\n");
      const prompt = [{ type: "resource_link", uri: `file://${path}`, name: "linked.txt" } as const];
      void client.call("session/prompt", { sessionId, prompt }).catch(() => {});
      return JSON.stringify(await fakeCli.hear("user"));
    };
    assert.match(await sent({}), /UNSAVED/);
    const rule = (behavior: string, text: string): object => ({ rules: [{ behavior, rule: text }] });
    for (const settings of [
      rule("deny", "Read(.env)"),
      rule("ask", "Edit(src/**)"),
      { rules: "unreadable" },
      { hooks: [{ event: "PreToolUse", matcher: "Read|Grep" }] },
    ]) {
      const frame = await sent(settings);
      assert.doesNotMatch(frame, /UNSAVED/);
      assert.match(frame, /linked\.txt/);
    }
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
    const { fakeCli, sessionId, client, cli, writes } = await editor({ edits: true }, allowing);
    await client.call("session/set_config_option", { sessionId, configId: "edits", value: "false" });
    const input = { file_path: join(home, "late.txt"), content: "late" };
    await ask(fakeCli, hook("Write", input, "toolu_l"));
    await ask(fakeCli, { subtype: "can_use_tool", tool_name: "Write", input, tool_use_id: "toolu_l" });
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

  it("commands in the editor's terminal are not offered in a session whose directory contains Bowline's own files", async () => {
    const { client, fakeCli } = await editor({ commands: true }, {}, homedir());
    assert.equal(fakeCli.request.environment?.extra, undefined);
    const { configOptions } = await client.call("session/new", { cwd: homedir(), mcpServers: [] });
    const option = configOptions?.find(({ id }) => id === "commands");
    assert.match(option?.description ?? "", /^Not available: the session's directory contains Bowline's own files/);
  });

  for (const settings of [{ commands: true }, { commands: true, edits: true }])
    it(`no answer adds a directory that contains the files of the command relay, with ${Object.keys(settings).join(" and ")}`, async () => {
      const { fakeCli, asked } = await editor(settings);
      const options = async (directory: string): Promise<readonly string[]> => {
        const input = { file_path: join(directory, "notes.txt"), content: "x" };
        const permission_suggestions = [
          { type: "setMode", mode: "acceptEdits", destination: "session" },
          { type: "addDirectories", directories: [directory], destination: "session" },
        ];
        const tool_name = "NotebookRead";
        await ask(fakeCli, {
          subtype: "can_use_tool",
          tool_name,
          input,
          tool_use_id: directory,
          permission_suggestions,
        });
        return asked.at(-1)?.options.map(({ kind }) => kind) ?? [];
      };
      assert.ok(!(await options(homedir())).includes("allow_always"));
      assert.ok((await options("/etc/other")).includes("allow_always"));
    });

  for (const [how, path] of [
    ["by ~", "~"],
    ["by its path", homedir()],
    ["by a relative path", relative(home, homedir())],
  ] as const)
    it(`commands in the editor's terminal are not offered when the settings add the home directory ${how}`, async () => {
      const effective = { permissions: { additionalDirectories: [path] } };
      const { client } = await editor({ commands: true }, { settingsAnswer: { effective } });
      const { configOptions } = await client.call("session/new", { cwd: home, mcpServers: [] });
      const option = configOptions?.find(({ id }) => id === "commands");
      assert.match(option?.description ?? "", /^Not available: the session's directory contains Bowline's own files/);
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

  it("edits through the editor are not offered where a sandbox is set, and a write is denied once one is", async () => {
    const settingsAnswer: { effective?: object } = { effective: { sandbox: { enabled: true } } };
    const { client, fakeCli, writes } = await editor({ edits: true }, { settingsAnswer });
    const offered = async (): Promise<string> => {
      const { configOptions } = await client.call("session/new", { cwd: home, mcpServers: [] });
      return configOptions?.find(({ id }) => id === "edits")?.description ?? "";
    };
    assert.match(await offered(), /^Not available: your Claude settings have a sandbox/);
    const input = { file_path: join(home, "boxed.txt"), content: "x" };
    assert.equal(decisionOf(await ask(fakeCli, hook("Write", input, "toolu_b", "acceptEdits"))), "deny");
    settingsAnswer.effective = { sandbox: { enabled: false } };
    assert.doesNotMatch(await offered(), /^Not available/);
    delete settingsAnswer.effective;
    assert.match(await offered(), /^Not available: the Claude CLI does not say whether a sandbox is set/);
    assert.deepEqual(writes, []);
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

  it("a file with a second name and a named pipe are not written without asking, and block nothing", async () => {
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
