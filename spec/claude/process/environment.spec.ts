/**
 * `childEnvironment`: the environment of the CLI process.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { childEnvironment } from "../../../lib/claude/index.ts";

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
