/**
 * The policy of `bowline guard` fails closed: only what is understood whole is allowed.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { clientRequestOf, toolCallOf } from "../../../lib/program/guard/guarded-call.ts";
import type { Fields } from "../../../lib/schema/index.ts";
import { decide, type Policy, policyFile } from "../../../lib/program/guard/policy.ts";
import { matchesCommand, shellCommands } from "../../../lib/program/guard/shell-words.ts";
import { readJsonText } from "../../../lib/program/json-file/read-json-file.ts";

const policy: Policy = {
  rules: [
    { effect: "allow", kind: "read", path: "${cwd}/**" },
    { effect: "allow", kind: "edit", path: "${cwd}/src/*.ts" },
    { effect: "deny", path: "**/.env" },
    { effect: "allow", command: ["npm test", "git status", "git diff *", "echo *"] },
    { effect: "deny", command: "git push *" },
    { effect: "ask", command: "git diff --ask" },
    { effect: "deny", server: "evil" },
    { effect: "allow", tool: "WebFetch" },
    { effect: "allow", server: "docs" },
  ],
};

function effect(fields: Fields, cwd: string | undefined = "/p", given = policy): string {
  return decide(given, toolCallOf(fields, cwd), cwd).effect;
}
const run = (command: unknown): string => effect({ kind: "execute", rawInput: { command } });

describe("shellCommands", () => {
  it("shellCommands splits plain compound commands into words", () => {
    assert.deepEqual(shellCommands(`git add a.ts && git commit -m "a b" | cat; echo 'x $y'\nls`), [
      ["git", "add", "a.ts"],
      ["git", "commit", "-m", "a b"],
      ["cat"],
      ["echo", "x $y"],
      ["ls"],
    ]);
    assert.deepEqual(shellCommands(`a'b'"c"d`), [["abcd"]]);
  });

  it("shellCommands does not understand what a shell expands, redirects, nests or runs in another way", () => {
    const hostile = [
      "echo $(rm x)",
      "echo `rm x`",
      'echo "$(rm x)"',
      'echo "`rm x`"',
      "echo $HOME",
      "echo ${A}",
      "echo a > b",
      "cat < a",
      "echo a >> b",
      "a & b",
      "(rm x)",
      "{ rm x; }",
      "! rm x",
      "A=1 rm x",
      "if true; then rm x; fi",
      "eval rm",
      "exec rm",
      ". x",
      "source x",
      "echo *",
      "echo ?",
      "echo [a]",
      "echo ~",
      "echo a\\ b",
      "echo a \\\nrm x",
      "echo # rm",
      "a ;; b",
      "; a",
      "echo 'open",
      'echo "open',
      "echo a\rrm x",
      "echo \u202ea",
      "echo \u200ba",
      "",
      "   ",
      "cat <<E\nx\nE",
      "cat <(rm)",
      "a |& b",
      "echo a\0b",
      "function f",
      "command rm",
      "trap 'rm x' EXIT",
      "x".repeat(20_000),
      "echo {a,b}",
      "echo !!",
      'echo "a\\"; rm x"',
      "é",
      "rm\u00a0x",
      "echo =rm",
    ];
    for (const line of hostile) assert.equal(shellCommands(line), undefined, JSON.stringify(line));
  });
});

describe("matchesCommand", () => {
  it("matchesCommand compares word by word; only a last star takes further words", () => {
    assert.ok(
      matchesCommand(["git", "diff"], "git diff *") && matchesCommand(["git", "diff", "-a", "b"], "git diff *"),
    );
    assert.ok(
      !matchesCommand(["git", "difference"], "git diff *") && !matchesCommand(["npm", "test", "x"], "npm test"),
    );
    assert.ok(matchesCommand(["npm", "run", "test:unit"], "npm run test:*"));
    assert.ok(!matchesCommand(["npm", "run", "test:unit", "x"], "npm run test:*"));
    assert.ok(!matchesCommand(["a", "x"], "a ."));
  });
});

describe("decide", () => {
  it("a compound command is allowed only when every part of it is", () => {
    assert.equal(run("npm test"), "allow");
    assert.equal(run("npm test && git status; git diff -w | echo x"), "allow");
    assert.equal(run("npm test && rm -rf x"), "ask");
    assert.equal(run("npm test && git push origin"), "deny");
    assert.equal(run("npm test $(git push)"), "ask");
    assert.equal(run("git diff --ask"), "ask");
    assert.equal(run(["bash", "-lc", "npm test && rm x"]), "ask");
    assert.equal(run(["bash", "-lc", "npm test"]), "allow");
    assert.equal(run(["npm", "test"]), "allow");
    assert.equal(run(["npm", "test", "; rm x"]), "ask");
    for (const strange of [7, {}, [1], null]) assert.equal(run(strange), "ask");
    assert.equal(effect({ kind: "execute" }), "ask");
  });

  it("a path that is denied is denied in the words of an allowed command too", () => {
    for (const command of [
      "git diff --no-index /dev/null .env",
      "git diff --no-index /dev/null /home/you/.env",
      "git diff HEAD:.env",
      "git diff --output=.env",
      "git diff -O../x/.env",
      "bash -lc 'git diff sub/../.env'",
      ["git", "diff", ".env"],
    ])
      assert.equal(run(command), "deny", String(command));
    const input = { command: "git diff .env", cwd: "sub" };
    assert.equal(effect({ kind: "execute", rawInput: input }), "deny");
    assert.equal(run("git diff src/a.ts --stat=80"), "allow");
  });

  it("a line that is given to a shell is judged by its own commands, and by the shell where that is denied", () => {
    assert.equal(run("/bin/bash -lc 'npm test && git status'"), "allow");
    assert.equal(run("/bin/bash -lc 'git push'"), "deny");
    assert.equal(run("/bin/bash -lc 'npm test $(x)'"), "ask");
    assert.equal(run("npm test; sh -c 'rm x'"), "ask");
    const noShell: Policy = { rules: [...policy.rules, { effect: "deny", command: "bash *" }] };
    for (const command of ["bash -lc 'npm test'", ["bash", "-lc", "npm test"]])
      assert.equal(effect({ kind: "execute", rawInput: { command } }, "/p", noShell), "deny");
    // A program of the project is no shell, whatever its name is.
    for (const shell of ["./bash", "/p/bin/bash", "bin/sh", "/tmp/bin/bash"])
      for (const command of [`${shell} -c 'npm test'`, [shell, "-c", "npm test"]]) assert.equal(run(command), "ask");
  });

  it("a command that stands in the title alone can be denied, and is never allowed", () => {
    assert.equal(effect({ kind: "execute", title: "git push origin" }), "deny");
    assert.equal(effect({ kind: "execute", title: "npm test" }), "ask");
    assert.equal(effect({ kind: "execute", title: "git push origin", rawInput: { command: "npm test" } }), "allow");
    assert.equal(effect({ kind: "read", title: "git push origin", locations: [{ path: "/p/a" }] }), "allow");
  });

  it("a call without a kind is other, as in the protocol, and matches no rule for another kind", () => {
    const allowing = (kind: string): Policy => ({ rules: [{ effect: "allow", kind }] });
    for (const kind of [undefined, null, 5]) {
      assert.equal(effect({ title: "x", kind }, "/p", allowing("other")), "allow");
      assert.equal(effect({ title: "x", kind }, "/p", allowing("read")), "ask");
      assert.equal(effect({ title: "x", kind }, "/p", { rules: [{ effect: "deny", kind: "other" }] }), "deny");
    }
  });

  it("a call without a kind is not allowed while a rule denies or asks about some kind", () => {
    const call = { title: "x", name: "T", locations: [{ path: "/p/a" }] };
    const with_ = (limit: Policy["rules"][number]): Policy => ({ rules: [{ effect: "allow", tool: "T" }, limit] });
    assert.equal(effect(call, "/p", with_({ effect: "deny", kind: "edit" })), "ask");
    assert.equal(effect(call, "/p", with_({ effect: "ask", kind: "delete", path: "/p/**" })), "ask");
    assert.equal(effect(call, "/p", with_({ effect: "deny", kind: "edit", path: "/q/**" })), "allow");
    assert.equal(effect({ ...call, kind: "read" }, "/p", with_({ effect: "deny", kind: "edit" })), "allow");
    assert.equal(effect(call, "/p", { ...with_({ effect: "deny", kind: "edit" }), otherwise: "deny" }), "deny");
  });

  it("a call that tells no path, or concerns what is below its path, is not allowed while a rule denies such a path", () => {
    const given: Policy = {
      rules: [
        { effect: "allow", kind: ["read", "search", "delete"] },
        { effect: "deny", path: ["**/.env", "/p/keys/**"] },
      ],
    };
    const at = (kind: string, path?: string, rules = given): string =>
      effect({ kind, ...(path !== undefined && { locations: [{ path }] }) }, "/p", rules);
    assert.deepEqual(
      [at("read"), at("search"), at("read", "/p/a"), at("read", "/p/.env")],
      ["ask", "ask", "allow", "deny"],
    );
    assert.deepEqual([at("search", "/p"), at("search", "/"), at("delete", "/p/keys")], ["ask", "ask", "ask"]);
    const narrow: Policy = {
      rules: [
        { effect: "allow", kind: ["search", "delete"] },
        { effect: "deny", path: ["/p/keys/**", "/p/x"] },
      ],
    };
    assert.deepEqual(
      ["/p", "/", "/p/keys", "/p/keys/a", "/p/src", "/p/key", "/p/xy"].map((path) => at("search", path, narrow)),
      ["ask", "ask", "ask", "deny", "allow", "allow", "allow"],
    );
  });

  it("a pattern that leads out of the directory of a search is a path of its own", () => {
    const given: Policy = { rules: [{ effect: "allow", kind: "search", path: "${cwd}/**" }] };
    const find = (pattern: string): string =>
      effect({ kind: "search", name: "Glob", rawInput: { path: "/p/src", pattern } }, "/p", given);
    assert.deepEqual(["**/*.ts", "/etc/**", "../../*", "~/.ssh/*"].map(find), ["allow", "ask", "ask", "ask"]);
    assert.equal(
      effect({ kind: "search", name: "Grep", rawInput: { path: "/p/src", pattern: "/etc/" } }, "/p", given),
      "allow",
    );
  });

  it("a rule that denies a path of the session's directory holds in a session whose directory is not known", () => {
    const given: Policy = {
      rules: [
        { effect: "allow", kind: "read", path: "/**" },
        { effect: "deny", path: "${cwd}/key" },
      ],
    };
    const call = toolCallOf({ kind: "read", locations: [{ path: "/p/key" }] }, "/p");
    assert.equal(decide(given, call, undefined).effect, "deny");
    assert.equal(decide(given, call, "/p").effect, "deny");
    assert.equal(decide(given, call, "/q").effect, "allow");
  });

  it("a star in the name of the session's directory is a character", () => {
    const given: Policy = {
      rules: [
        { effect: "allow", kind: "read", path: "${cwd}/**" },
        { effect: "deny", path: "${cwd}/key" },
      ],
    };
    const read = (path: string): string => effect({ kind: "read", locations: [{ path }] }, "/p*q", given);
    assert.deepEqual(["/p*q/a", "/p*q/key", "/pxq/a", "/p/a"].map(read), ["allow", "deny", "ask", "ask"]);
  });

  it("a denied server is denied by the name that the CLI gives its tools", () => {
    const given: Policy = {
      rules: [
        { effect: "deny", server: "my db.prod" },
        { effect: "allow", server: "other db" },
      ],
    };
    assert.equal(effect({ kind: "other", name: "mcp__my_db_prod__query" }, "/p", given), "deny");
    assert.equal(effect({ kind: "other", name: "mcp__other_db__query" }, "/p", given), "ask");
  });

  it("hostile texts are compared with patterns of many wildcards in time proportional to their length", () => {
    const given: Policy = {
      rules: [
        { effect: "deny", path: ["**/node_modules/**/x/**/*secret*/**/*.env", "/**/*a*a*a*a*b"] },
        { effect: "deny", command: "cat *a*a*a*a*a*b" },
        { effect: "allow", kind: ["read", "execute"], path: "/**" },
      ],
    };
    const started = performance.now();
    const path = "/node_modules/x/secret".repeat(1400);
    assert.equal(effect({ kind: "read", locations: [{ path }] }, "/p", given), "allow");
    assert.equal(effect({ kind: "read", locations: [{ path: path.repeat(20) }] }, "/p", given), "deny", "too long");
    const many = Array.from({ length: 20_000 }, (_, i) => ({ path: `/p/${i}` }));
    assert.equal(effect({ kind: "read", locations: many }, "/p", given), "deny", "too many");
    assert.equal(effect({ kind: "execute", rawInput: { command: `cat ${"a".repeat(9000)}` } }, "/p", given), "ask");
    assert.ok(performance.now() - started < 20_000);
  });

  it("a call that carries a command is never allowed by its kind, path or tool", () => {
    const command = "rm -rf /";
    assert.equal(effect({ kind: "read", locations: [{ path: "/p/a" }], rawInput: { command } }), "ask");
    assert.equal(effect({ kind: "fetch", name: "WebFetch", rawInput: { command } }), "ask");
  });

  it("a path is allowed only when every path of the call is, and denied when any is", () => {
    const edit = (...paths: readonly unknown[]): string =>
      effect({ kind: "edit", content: paths.map((path) => ({ type: "diff", path, newText: "" })) });
    assert.equal(edit("/p/src/a.ts"), "allow");
    assert.equal(edit("/p/src/a.ts", "/etc/passwd"), "ask");
    assert.equal(edit("/p/src/x/a.ts"), "ask");
    assert.equal(edit("/p/src/../../etc/a.ts"), "ask");
    assert.equal(edit("/p/src/a.ts", "/p/.env"), "deny");
    assert.equal(edit(), "ask");
    assert.notEqual(edit("src/a.ts"), "allow");
    assert.notEqual(edit(7), "allow");
    assert.equal(
      effect({ kind: "edit", locations: [{ path: "/p/src/a.ts" }], rawInput: { file_path: "/etc/x" } }),
      "ask",
    );
    assert.equal(
      decide(policy, toolCallOf({ kind: "read", locations: [{ path: "/p/a" }] }, undefined), undefined).effect,
      "ask",
    );
    assert.equal(effect({ kind: "read", locations: [{ path: "/pq/a" }] }), "ask");
  });

  it("tools and MCP servers are matched by name, and what no rule matches is never allowed", () => {
    assert.equal(effect({ name: "WebFetch", kind: "fetch" }), "allow");
    assert.equal(effect({ name: "mcp__docs__search" }), "allow");
    assert.equal(effect({ _meta: { claudeCode: { toolName: "mcp__evil__x" } } }), "deny");
    assert.equal(effect({ title: "WebFetch" }), "ask");
    assert.equal(effect({}), "ask");
    assert.equal(effect({}, "/p", { rules: [], otherwise: "deny" }), "deny");
    assert.equal(
      effect({ kind: "execute", rawInput: { command: "a $(b)" } }, "/p", { ...policy, otherwise: "deny" }),
      "deny",
    );
  });

  it("a server that the model names in the input neither hides nor replaces that of the tool's name", () => {
    const called = (name: string | undefined, server?: string): string =>
      effect({ ...(name !== undefined && { name }), rawInput: { ...(server !== undefined && { server }) } });
    assert.equal(called("mcp__evil__x", "docs"), "deny");
    assert.equal(called("mcp__other__x", "docs"), "ask");
    assert.equal(called("Write", "docs"), "ask");
    assert.equal(called("mcp__docs__x", "evil"), "deny");
    assert.equal(called(undefined, "docs"), "allow");
    assert.equal(effect({ name: "mcp__a__b__x" }, "/p", { rules: [{ effect: "deny", server: "a__b" }] }), "deny");
  });

  it("a command in the input of an MCP tool, or of an unknown one, is not allowed by a rule for commands", () => {
    const rawInput = { command: "npm test", sql: "drop table users" };
    assert.equal(effect({ kind: "other", name: "mcp__db__query", rawInput }), "ask");
    assert.equal(effect({ kind: "execute", name: "mcp__db__query", rawInput }), "ask");
    assert.equal(effect({ kind: "other", rawInput }), "ask");
    assert.equal(effect({ kind: "edit", locations: [{ path: "/etc/x" }], rawInput }), "ask");
    const named: Policy = { rules: [{ effect: "allow", tool: "mcp__shell__run", command: "npm test" }] };
    const runs = (input: Fields): string =>
      effect({ kind: "other", name: "mcp__shell__run", rawInput: input }, "/p", named);
    assert.equal(runs({ command: "npm test" }), "allow");
    assert.equal(runs(rawInput), "ask", "what the other field does is not known");
  });

  it("a denied path stays denied with blanks or separators after it, and in another Unicode form", () => {
    const denied: Policy = {
      rules: [
        { effect: "allow", path: "${cwd}/**" },
        { effect: "deny", path: ["**/.env", "**/caf\u00e9"] },
      ],
    };
    for (const path of ["/p/.env ", "/p/.env\n", "/p/.env/", "/p/.env//", "/p/.env/.", "/p/.env/ ", "/p/cafe\u0301"])
      assert.equal(effect({ kind: "edit", rawInput: { file_path: path } }, "/p", denied), "deny", JSON.stringify(path));
    assert.equal(effect({ kind: "edit", rawInput: { file_path: "/p/src/" } }, "/p", denied), "allow");
  });

  it("requests for the editor's files and terminals are decided by the same rules", () => {
    const decideOn = (method: string, params: Fields): string => {
      const call = clientRequestOf(method, params);
      return call === undefined ? "not guarded" : decide(policy, call, "/p").effect;
    };
    assert.equal(decideOn("fs/read_text_file", { path: "/p/a" }), "allow");
    assert.equal(decideOn("fs/write_text_file", { path: "/p/.env" }), "deny");
    assert.equal(decideOn("fs/write_text_file", { path: "/etc/x" }), "ask");
    assert.equal(decideOn("terminal/create", { command: "npm", args: ["test"] }), "allow");
    assert.equal(decideOn("terminal/create", { command: "npm test && rm x" }), "ask");
    assert.equal(decideOn("terminal/create", { command: "sh", args: ["-c", "git push origin"] }), "deny");
    const env = [{ name: "LD_PRELOAD", value: "/p/x.so" }];
    assert.equal(decideOn("terminal/create", { command: "npm", args: ["test"], env }), "ask");
    assert.equal(decideOn("terminal/create", { command: "npm", args: ["test"], env: [] }), "allow");
    assert.equal(decideOn("terminal/output", {}), "not guarded");
  });

  it("a command is allowed only in the session's directory and below it, and without variables of its own", () => {
    const terminal = (cwd: unknown): string => {
      const call = clientRequestOf("terminal/create", { command: "npm", args: ["test"], cwd });
      return call === undefined ? "not guarded" : decide(policy, call, "/p").effect;
    };
    for (const cwd of ["/p", "/p/", "/p/a", "/p/a/../b", undefined, null])
      assert.equal(terminal(cwd), "allow", `${cwd}`);
    for (const cwd of ["/", "/tmp/x", "/p2", "/p/..", "/p/../p2", "..", "", 7, ["/p"]])
      assert.equal(terminal(cwd), "ask", String(cwd));
    const run = (more: Fields): string => effect({ kind: "execute", rawInput: { command: "npm test", ...more } }, "/p");
    assert.equal(run({ cwd: "/p/a", env: {} }), "allow");
    for (const field of ["cwd", "workdir", "directory", "dir_path"])
      assert.equal(run({ [field]: "/tmp/x" }), "ask", field);
    for (const field of ["env", "environment"]) assert.equal(run({ [field]: { PATH: "/tmp/x" } }), "ask", field);
  });

  it("every file that the input of a call names counts, also the one that a patch moves", () => {
    const edit = (rawInput: Fields): string => effect({ kind: "edit", locations: [{ path: "/p/src/a.ts" }], rawInput });
    const moved = (path: string, move_path: string | null): Fields => ({ path, kind: { type: "update", move_path } });
    assert.equal(edit({ changes: [moved("/p/src/b.ts", "/p/src/a.ts"), moved("/p/src/c.ts", null)] }), "allow");
    assert.equal(edit({ changes: [moved("/p/.env", "/p/src/a.ts"), moved("/p/src/c.ts", null)] }), "deny");
    assert.equal(edit({ changes: { "/p/.env": { type: "update", move_path: "/p/src/a.ts" } } }), "deny");
    assert.equal(edit({ move_path: "/p/.git/config" }), "ask");
    for (const field of ["paths", "files", "file_paths", "edits"]) {
      for (const denied of ["/p/.env", { file_path: "/p/.env" }])
        assert.equal(edit({ [field]: [{ path: "/p/src/b.ts" }, denied] }), "deny", field);
    }
    assert.equal(edit({ edits: [{ old_string: "/p/.env", new_string: "x" }] }), "allow", "a text is no path");
  });

  it("a denied file counts in whatever field of the input it is named, and in whatever form", () => {
    const call = (rawInput: Fields, name = "mcp__docs__move_file"): string => effect({ kind: "other", name, rawInput });
    for (const rawInput of [
      { source: "/p/.env", destination: "/p/x.txt" },
      { from: "/p/x.txt", to: "/p/.env" },
      { uri: "file:///p/.env" },
      { uri: "FILE://localhost/p/%2Eenv" },
      { file: ".env" },
      { file: "./a/../.env" },
      { filename: "/p/.env/ " },
      { args: { path: "/p/.env" } },
      { options: [{ list: [{ deep: { src: "/p/.env" } }] }] },
      { files: { "/p/.env": {} } },
      { pattern: ".env", path: "/p/a" },
    ])
      assert.notEqual(call(rawInput), "allow", JSON.stringify(rawInput));
    assert.equal(call({ source: "/p/.env", destination: "/p/x.txt" }), "deny");
    assert.equal(effect({ kind: "read", locations: [{ path: "/p/a" }], rawInput: { uri: "file:///p/.env" } }), "deny");
    assert.equal(call({ query: "the word .env in a sentence", limit: 3 }, "mcp__docs__query"), "allow");
    assert.equal(call({ query: "words" }, "mcp__docs__search"), "allow");
  });

  it("a call with a part of another form than the protocol's is never allowed", () => {
    const read = { kind: "read", locations: [{ path: "/p/a" }] };
    assert.equal(effect({ ...read, rawInput: null }), "allow");
    for (const odd of [
      { rawInput: '{"path":"/p/.env"}' },
      { rawInput: ["/p/.env"] },
      { rawInput: 1 },
      { locations: { path: "/p/a" } },
      { content: { type: "diff", path: "/p/.env" } },
      { rawInput: { cmd: "cat .env" } },
      { rawInput: { script: "cat .env" } },
    ])
      assert.notEqual(effect({ ...read, ...odd }), "allow", JSON.stringify(odd));
  });

  it("a tool that may work on all files of a directory is not allowed while a denied file could be among them", () => {
    const call = (name: string | undefined, rawInput: Fields): string =>
      effect({ kind: "other", ...(name !== undefined && { name }), rawInput: { server: "docs", ...rawInput } });
    assert.equal(call("mcp__docs__directory_tree", { path: "/p" }), "ask");
    assert.equal(call("mcp__docs__search_files", { path: "/p", pattern: "*" }), "ask");
    assert.equal(call("mcp__docs__search_files", { root: "/p", pattern: "*" }), "ask");
    assert.equal(call(undefined, { root: "/p" }), "ask");
    assert.equal(call("mcp__docs__read_text", { path: "/p/a.txt" }), "allow");
  });

  it("an input that is too deep or too large to be read is not allowed while a path is denied", () => {
    let deep: Fields = { path: "/p/.env" };
    for (let i = 0; i < 100; i++) deep = { deep };
    const many = { list: Array.from({ length: 20_000 }, (_, i) => `/p/${i}`) };
    for (const rawInput of [deep, many])
      assert.equal(effect({ kind: "other", name: "mcp__docs__x", rawInput }), "deny");
  });

  it("every file that the text of a patch names counts, whatever the locations of the call are", () => {
    const edit = (field: string, text: unknown, more: Fields = {}): string =>
      effect({ kind: "edit", locations: [{ path: "/p/src/a.ts" }], rawInput: { [field]: text, ...more } });
    const patch = (...lines: readonly string[]): string =>
      ["*** Begin Patch", "*** Update File: src/a.ts", "@@", "-old", "+new", ...lines, "*** End Patch"].join("\n");
    const unified = (from: string, to: string): string => `--- ${from}\n+++ ${to}\n@@ -1 +1 @@\n-old\n+new\n`;
    for (const field of ["patchText", "patch_text", "patch", "diff", "unified_diff", "input"]) {
      assert.equal(edit(field, patch()), "allow", field);
      assert.equal(edit(field, patch("*** Update File: src/b.ts")), "allow", field);
      assert.equal(edit(field, patch("*** Update File: .env")), "deny", field);
      assert.equal(edit(field, patch("*** Add File: /etc/cron.d/x", "+x")), "ask", field);
      assert.equal(edit(field, unified("a/src/a.ts", "b/src/a.ts")), "allow", field);
      assert.equal(edit(field, unified("a/src/a.ts", "b/.env")), "deny", field);
    }
    for (const line of [
      "*** Delete File: .env",
      "*** Move to: .env",
      "  *** Move to:   /p/x/../.env  ",
      "*** Add File:.env",
      "*** Update File: .env:x",
      "\r*** Update File: .env\r",
    ])
      assert.equal(edit("patchText", patch(line)), "deny", line);
    for (const line of ["*** Update File: ../src/a.ts", "*** Add File: ~/x"])
      assert.equal(edit("patchText", patch(line)), "ask", line);
    // A rule that denies a path holds for a name that is not understood.
    for (const line of ["*** Update File: ", "*** Move to: a\0b", "*** Move to: a\r/../b", "diff --git a/b c b/b c"])
      assert.equal(edit("patchText", patch(line)), "deny", line);
    for (const text of [
      unified("/dev/null", "b/.env"),
      unified("a/.env\t2026-01-01 00:00:00", "/dev/null"),
      unified("w/.env", "i/.env"),
      "diff --git a/src/a.ts b/.env\nsimilarity index 100%\nrename from src/a.ts\nrename to .env\n",
      `${unified("a/src/a.ts", "b/src/a.ts")}${unified("a/.env", "b/.env")}`,
    ])
      assert.equal(edit("diff", text), "deny", text);
    assert.equal(edit("diff", unified('"a/.e\\156v"', '"b/.e\\156v"')), "deny", "a name in quotes is not understood");
    assert.equal(edit("diff", unified("/dev/null", "b/src/a.ts")), "allow");
    assert.equal(edit("diff", ["--- a/.env", "+++ b/.env"]), "deny", "lines in a list");
  });

  it("a path of a patch is below the directory that the call names, and not understood where none is known", () => {
    const patchText = "*** Begin Patch\n*** Update File: a.ts\n@@\n-a\n+b\n*** End Patch";
    const edit = (rawInput: Fields, cwd: string | undefined): string => effect({ kind: "edit", rawInput }, cwd);
    const policyOf = (path: string): Policy => ({ rules: [{ effect: "allow", kind: "edit", path }] });
    assert.equal(edit({ patchText, workdir: "/p/src" }, "/p"), "allow");
    assert.equal(edit({ patchText, workdir: "src" }, "/p"), "allow");
    assert.equal(edit({ patchText }, "/p"), "ask", "/p/a.ts is not in src");
    assert.equal(edit({ patchText, workdir: "/p/src", cwd: "/tmp" }, "/p"), "deny", "two directories: not understood");
    const call = toolCallOf({ kind: "edit", rawInput: { patchText } }, undefined);
    assert.equal(call.paths, undefined);
    assert.equal(decide(policyOf("**"), call, undefined).by, "a path is not understood");
    const absolute = toolCallOf({ kind: "edit", rawInput: { patch: patchText.replace("a.ts", "/p/a.ts") } }, undefined);
    assert.equal(decide(policyOf("/p/**"), absolute, undefined).effect, "allow");
  });

  it("a text that is no patch names no files", () => {
    const edit = (input: unknown): string =>
      effect({ kind: "edit", locations: [{ path: "/p/src/a.ts" }], rawInput: { input } });
    for (const input of [
      "--- a heading ---",
      "+++\n---\n",
      "*** important\n",
      "-- .env\n",
      { a: "*** Add File: .env" },
      7,
    ])
      assert.equal(edit(input), "allow", JSON.stringify(input));
  });

  it("a call that carries two different commands is not allowed", () => {
    const both = (more: Fields): string => effect({ kind: "execute", rawInput: { command: "npm test", ...more } });
    assert.equal(both({ cmd: "npm test" }), "allow");
    for (const field of ["cmd", "commands", "script"]) assert.equal(both({ [field]: "rm x" }), "ask", field);
  });

  it("a command that is to leave the agent's sandbox is not allowed", () => {
    const run = (more: Fields): string => effect({ kind: "execute", rawInput: { command: "npm test", ...more } });
    assert.equal(run({ dangerouslyDisableSandbox: false, sandbox_permissions: "use_default" }), "allow");
    for (const more of [
      { dangerouslyDisableSandbox: true },
      { dangerouslyDisableSandbox: "yes" },
      { with_escalated_permissions: true },
      { sandbox_permissions: "require_escalated" },
    ])
      assert.equal(run(more), "ask", JSON.stringify(more));
  });

  it("a question about a host or about more rights is not answered by a rule for its command", () => {
    const ask = (more: Fields, fields: Fields = {}): string =>
      effect({ kind: "execute", title: "npm test", ...fields, rawInput: { command: "npm test", ...more } });
    assert.equal(
      ask({ cwd: "/p", description: "Runs the tests", timeout: 5, url: null, additionalPermissions: {} }),
      "allow",
    );
    for (const more of [
      { url: "https://evil.example" },
      { host: "evil.example" },
      { additionalPermissions: { network: { enabled: true } } },
      { additional_permissions: { fileSystem: { write: ["/"] } } },
      { networkApprovalContext: { host: "evil.example" } },
      { withEscalatedPermissions: true },
      { sandboxPermissions: "require_escalated" },
      { shell: "/tmp/evil" },
      { anythingElse: 1 },
    ])
      assert.equal(ask(more), "ask", JSON.stringify(more));
    // codex-acp tells a protocol other than HTTP in the title and in a text alone.
    assert.equal(ask({}, { title: "socks5Tcp network access to evil.example" }), "ask");
    const content = [{ type: "content", content: { type: "text", text: "socks5Tcp access to evil.example" } }];
    assert.equal(ask({}, { content }), "ask");
    const named = { kind: "execute", title: "echo network access", rawInput: { command: "echo network access" } };
    assert.equal(effect(named), "allow");
  });
});

describe("policyFile", () => {
  it("a policy that allows more than it says has a problem with its line", () => {
    const wrong = (rules: string): readonly string[] => {
      const result = readJsonText(`{"rules": [\n${rules}]}`, "p.json", policyFile);
      return result.isValid ? [] : result.problems;
    };
    assert.match(wrong('{"effect": "allow"}')[0] ?? "", /^p.json:2: rules.0 must say what it allows/);
    assert.match(wrong('{"effect": "allow", "kind": "execute"}')[0] ?? "", /must have a command/);
    assert.match(wrong('{"effect": "allow", "command": "* test"}')[0] ?? "", /name of a program/);
    assert.match(wrong('{"effect": "allow", "path": "src/**"}')[0] ?? "", /must be absolute/);
    assert.match(wrong('{"effect": "allow", "kid": "read"}')[0] ?? "", /rules.0.kid is not a field here/);
    assert.match(
      readJsonText('{"rules": [], "otherwise": "allow"}', "p", policyFile).isValid ? "" : "refused",
      /refused/,
    );
    assert.deepEqual(wrong('{"effect": "deny", "kind": "execute"}'), []);
  });

  it("a rule that can match nothing has a problem, so that no denial is lost to a spelling mistake", () => {
    const wrong = (rule: object): string => {
      const result = readJsonText(JSON.stringify({ rules: [{ effect: "deny", ...rule }] }), "p.json", policyFile);
      return result.isValid ? "" : result.problems.join("\n");
    };
    for (const kind of ["Edit", "write", ["read", "bash"]]) assert.match(wrong({ kind }), /must be one of read, edit/);
    for (const key of ["kind", "path", "command", "tool", "server"])
      for (const empty of ["", " ", []])
        assert.match(wrong({ [key]: empty }), /must not be empty/, `${key} ${JSON.stringify(empty)}`);
    assert.match(wrong({ path: "**/.env/" }), /must not end with a separator/);
    for (const path of ["**/{.env,x}", "**/[.]env", "**/.en?"]) assert.match(wrong({ path }), /write \* instead/);
    assert.equal(wrong({ kind: ["edit", "*"], path: ["/", "${cwd}/**", "**/.env"] }), "");
    assert.equal(wrong({ effect: "allow", path: "${cwd}/app/[id]/page.tsx" }), "");
  });
});
