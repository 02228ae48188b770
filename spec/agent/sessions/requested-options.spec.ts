/**
 * Specs of the options that a client may request for a session: an allow-list that never widens rights.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { maxSystemPromptChars, readRequestedOptions } from "../../../lib/agent/sessions/requested-options.ts";

const options = (given: object) => readRequestedOptions({ _meta: { claudeCode: { options: given } } });
const text = { type: "text", text: "Be brief." };

describe("requested options", () => {
  it("a client without fields in _meta requests no options", () => {
    const none = { requestedOptions: {}, directories: [], resume: undefined };
    for (const params of [
      {},
      { _meta: null },
      { _meta: { claudeCode: 5 } },
      { _meta: { claudeCode: { options: [] } } },
    ])
      assert.deepEqual(readRequestedOptions(params), none);
  });

  it("model, effort, maxTurns, tools and the conversation to resume are passed on", () => {
    const read = options({ model: "haiku", effort: "low", maxTurns: 3, disallowedTools: ["Bash"], resume: "id-1" });
    assert.deepEqual(read.requestedOptions, { model: "haiku", effort: "low", maxTurns: 3, disallowedTools: ["Bash"] });
    assert.equal(read.resume, "id-1");
    assert.deepEqual(options({ maxTurns: 0.5, model: "", effort: 5 }).requestedOptions, {});
  });

  it("allowedTools leaves the named built-in tools and permits none of them", () => {
    assert.deepEqual(options({ allowedTools: ["Read", "Bash(git:*)", "mcp__a__b"] }).requestedOptions, {
      tools: ["Read", "Bash"],
    });
    assert.deepEqual(options({ allowedTools: [] }).requestedOptions, { tools: [] });
    assert.deepEqual(
      options({ allowedTools: ["mcp__a__b"] }).requestedOptions,
      { tools: [] },
      "only those of a server are left",
    );
    assert.deepEqual(options({ tools: { type: "preset", preset: "claude_code" } }).requestedOptions, {});
    assert.deepEqual(readRequestedOptions({ _meta: { disableBuiltInTools: true } }).requestedOptions, { tools: [] });
  });

  it("a trace of the client is passed on only in the form of the W3C Trace Context", () => {
    const traceparent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
    const traced = (_meta: object) => readRequestedOptions({ _meta }).requestedOptions.traceContext;
    assert.deepEqual(traced({ traceparent, tracestate: "a=b" }), { traceparent, tracestate: "a=b" });
    assert.deepEqual(traced({ traceparent, tracestate: "a\nLD_PRELOAD=b" }), { traceparent });
    for (const wrong of ["x", `${traceparent}\n`, traceparent.toUpperCase(), 5])
      assert.equal(traced({ traceparent: wrong }), undefined);
  });

  it("a list of tools that cannot be applied as it is refuses the session", () => {
    const many = Array.from({ length: 501 }, (_, i) => `Tool${i}`);
    for (const name of ["disallowedTools", "allowedTools", "tools"]) {
      for (const list of [many, "Bash", { Bash: true }, ["Bash", 5], ["Bash", ""], ["Bash\0"], ["x".repeat(5000)]]) {
        assert.throws(
          () => options({ [name]: list }),
          { code: -32602 },
          `${name}: ${JSON.stringify(list).slice(0, 40)}`,
        );
      }
      assert.deepEqual(options({ [name]: null }).requestedOptions, {});
    }
    for (const name of ["*", "Ba*", "Read,Bash", "--tools", "Re ad"]) {
      assert.throws(() => options({ allowedTools: [name] }), { code: -32602 }, name);
    }
    // The CLI would read the last five as several rules each.
    for (const rule of [
      "Foo(",
      "Bash(git:*",
      "Foo(a\\)",
      "Bash,Write",
      "Bash Write",
      "Bash, Write(a)",
      "Bash(a),Write,Bash(b)",
      "Bash(a) Write(b)",
    ]) {
      assert.throws(() => options({ disallowedTools: [rule, "Bash"] }), { code: -32602 }, rule);
    }
    assert.deepEqual(
      options({ disallowedTools: ["Bash(echo ()", "Edit(a,b)"] }).requestedOptions.disallowedTools?.length,
      2,
    );
    assert.deepEqual(options({ disallowedTools: many.slice(1) }).requestedOptions.disallowedTools?.length, 500);
  });

  it("an option that could give the model more rights is not read", () => {
    const wide = {
      permissionMode: "bypassPermissions",
      allowDangerouslySkipPermissions: true,
      dangerouslySkipPermissions: true,
      settingSources: [],
      settings: { permissions: { allow: ["Bash"] } },
      env: { PATH: "/evil" },
      extraArgs: { "dangerously-skip-permissions": null },
      hooks: { PreToolUse: [] },
      mcpServers: { a: { command: "evil" } },
      pathToClaudeCodeExecutable: "/evil",
      canUseTool: true,
      plugins: ["/evil"],
    };
    assert.deepEqual(options(wide), { requestedOptions: {}, directories: [], resume: undefined });
  });

  it("a system prompt is whole or appended, and the protocol's own field comes first", () => {
    const prompt = (params: object) => readRequestedOptions({ ...params }).requestedOptions.systemPrompt;
    assert.deepEqual(prompt({ _meta: { systemPrompt: "A" } }), { isAppended: false, text: "A" });
    assert.deepEqual(prompt({ _meta: { systemPrompt: { append: "A" } } }), { isAppended: true, text: "A" });
    const systemPrompt = { mode: "append", content: [text, text] };
    const both = { systemPrompt, _meta: { systemPrompt: "A" } };
    assert.deepEqual(prompt(both), { isAppended: true, text: "Be brief.\n\nBe brief." });
    assert.deepEqual(prompt({ systemPrompt: null }), undefined);
  });

  it("a systemPrompt that cannot be applied is refused", () => {
    const refused = { code: -32602 };
    for (const systemPrompt of [
      5,
      { mode: "prepend", content: [text] },
      { mode: "append", content: [] },
      { mode: "append", content: [{ type: "image", data: "", mimeType: "image/png" }] },
      { mode: "override", content: [{ type: "text", text: "x".repeat(maxSystemPromptChars + 1) }] },
    ])
      assert.throws(() => readRequestedOptions({ systemPrompt }), refused);
  });

  it("additional roots are absolute paths", () => {
    assert.deepEqual(readRequestedOptions({ _meta: { additionalRoots: ["/a", "/b"] } }).directories, ["/a", "/b"]);
    assert.throws(() => readRequestedOptions({ _meta: { additionalRoots: ["a"] } }), { code: -32602 });
  });
});
