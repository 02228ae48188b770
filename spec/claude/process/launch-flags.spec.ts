/**
 * Launch flags, the environment of the child process and private files.
 */
import assert from "node:assert/strict";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { childEnvironment, type ClaudeLaunch, launchFlags, mcpConfigFile } from "../../../lib/claude/index.ts";

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

describe("childEnvironment", () => {
  it("childEnvironment passes on the user's variables without those of Bowline, npm and Node", () => {
    const child = childEnvironment({
      PATH: "/bin",
      HOME: "/home/u",
      ANTHROPIC_API_KEY: "k",
      LD_LIBRARY_PATH: "/lib",
      EMPTY: "",
      MISSING: undefined,
      BOWLINE_CLAUDE: "x",
      NODE_OPTIONS: "--inspect",
      NODE_CHANNEL_FD: "3",
      NODE_EXTRA_CA_CERTS: "/ca",
      npm_config_registry: "x",
      NPM_TOKEN: "x",
    });
    assert.deepEqual(child, {
      PATH: "/bin",
      HOME: "/home/u",
      ANTHROPIC_API_KEY: "k",
      LD_LIBRARY_PATH: "/lib",
      EMPTY: "",
      NPM_TOKEN: "x",
      NODE_EXTRA_CA_CERTS: "/ca",
      CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1",
      CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
      CLAUDE_CODE_ENABLE_TASKS: "0",
    });
  });

  it("childEnvironment keeps the user's choice of todo tool", () => {
    assert.equal(childEnvironment({ CLAUDE_CODE_ENABLE_TASKS: "1" })["CLAUDE_CODE_ENABLE_TASKS"], "1");
  });

  it("childEnvironment adds the variables the host needs, and extra variables override them", () => {
    const child = childEnvironment(
      { SECRET: "s" },
      {
        fileCheckpoints: true,
        backgroundTasks: false,
        plainToolNames: true,
        maxRetries: 0,
        extra: { SECRET: undefined, A: "1" },
      },
    );
    assert.equal(child["CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING"], "1");
    assert.equal(child["CLAUDE_CODE_DISABLE_BACKGROUND_TASKS"], "1");
    assert.equal(child["CLAUDE_AGENT_SDK_MCP_NO_PREFIX"], "1");
    assert.equal(child["CLAUDE_CODE_MAX_RETRIES"], "0");
    assert.equal(child["A"], "1");
    assert.ok(!("SECRET" in child));
  });

  it("childEnvironment passes on a variable named __proto__", () => {
    const child = childEnvironment(JSON.parse('{"__proto__":"x"}'));
    assert.deepEqual(Object.getOwnPropertyDescriptor(child, "__proto__")?.value, "x");
  });
});

describe("mcpConfigFile", () => {
  it("mcpConfigFile writes a file only its owner can read, and remove deletes it", () => {
    const parent = mkdtempSync(join(tmpdir(), "spec-"));
    try {
      const file = mcpConfigFile({ s: { type: "stdio", command: "x", args: [], env: { KEY: "secret" } } }, parent);
      assert.equal(statSync(file.path).mode & 0o777, 0o600);
      assert.equal(statSync(dirname(file.path)).mode & 0o777, 0o700);
      assert.equal(JSON.parse(readFileSync(file.path, "utf8")).mcpServers.s.env.KEY, "secret");
      file.remove();
      file.remove();
      assert.ok(!existsSync(dirname(file.path)));
    } finally {
      rmSync(parent, { recursive: true });
    }
  });
});
