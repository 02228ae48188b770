/**
 * `launchFlags`: the argument list for each field of a launch.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type ClaudeLaunch, launchFlags } from "../../../lib/claude/index.ts";

const always = [
  "--print",
  "--verbose",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
];

describe("launchFlags", () => {
  const rows: readonly (readonly [ClaudeLaunch, readonly string[]])[] = [
    [{}, []],
    [{ session: { kind: "new", id: "a-b" } }, ["--session-id=a-b"]],
    [{ session: { kind: "resume", id: "a" } }, ["--resume=a"]],
    [{ session: { kind: "resume", id: "--help" } }, ["--resume=--help"]],
    [
      { session: { kind: "resume", id: "a", forkTo: "b", at: "c" } },
      ["--resume=a", "--fork-session", "--session-id=b", "--resume-session-at=c"],
    ],
    [
      { model: "-x", fallbackModel: "sonnet", effort: "high" },
      ["--model=-x", "--fallback-model=sonnet", "--effort=high"],
    ],
    [{ permissionMode: "plan", allowBypass: true }, ["--permission-mode=plan", "--allow-dangerously-skip-permissions"]],
    [{ tools: [] }, ["--tools="]],
    [{ tools: ["Read", "Edit"] }, ["--tools=Read,Edit"]],
    [{ allowedTools: [], disallowedTools: [] }, []],
    [{ allowedTools: ["Bash(touch *)", "Glob"] }, ["--allowedTools=Bash(touch *),Glob"]],
    [{ addDirs: ["/a b", "-c"] }, ["--add-dir=/a b", "--add-dir=-c"]],
    [{ settingSources: [] }, ["--setting-sources="]],
    [{ settingSources: ["user", "project"] }, ["--setting-sources=user,project"]],
    [
      { mcpConfigPath: "/tmp/x/mcp.json", strictMcpConfig: true },
      ["--mcp-config=/tmp/x/mcp.json", "--strict-mcp-config"],
    ],
    [
      { maxTurns: 0, maxBudgetUsd: 0, maxThinkingTokens: 0 },
      ["--max-thinking-tokens=0", "--max-turns=0", "--max-budget-usd=0"],
    ],
    [{ jsonSchema: { type: "object" } }, ['--json-schema={"type":"object"}']],
    [{ bare: false, replayUserMessages: true }, ["--replay-user-messages"]],
    [{ extra: { "brand-new": "--x", chrome: true } }, ["--brand-new=--x", "--chrome"]],
  ];
  for (const [launch, expected] of rows) {
    it(`launchFlags turns ${JSON.stringify(launch)} into ${expected.join(" ") || "no further flags"}`, () => {
      assert.deepEqual(launchFlags(launch), [...always, ...expected]);
    });
  }

  it("launchFlags omits deltas and permission requests when they are turned off", () => {
    assert.deepEqual(launchFlags({ includePartialMessages: false, asksPermission: false }), always.slice(0, 4));
  });

  it("launchFlags never passes a value as an argument of its own", () => {
    const hostile = "--dangerously-skip-permissions";
    const flags = launchFlags({
      session: { kind: "resume", id: hostile, forkTo: hostile, at: hostile },
      model: hostile,
      allowedTools: [hostile],
      addDirs: [hostile],
      name: hostile,
      settingsPath: hostile,
    });
    assert.ok(!flags.includes(hostile));
    assert.equal(flags.filter((flag) => flag.endsWith(`=${hostile}`)).length, 8);
  });

  it("launchFlags refuses text with a NUL character", () => {
    assert.throws(() => launchFlags({ model: "a\0b" }), TypeError);
    assert.throws(() => launchFlags({ extra: { "a=b": true } }), TypeError);
    assert.throws(() => launchFlags({ extra: { "-a": true } }), TypeError);
  });
});
