/**
 * launchPlan: each option as a flag, a setting or a field of initialize.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchFlags } from "../../lib/claude/index.ts";
import { type LaunchPlan, launchPlan } from "../../lib/bridge/launch-plan.ts";
import { SessionOptions } from "../../lib/bridge/index.ts";
import { Fault } from "../../lib/schema/index.ts";
import type { Frame } from "../support/claude/fake-cli.ts";

function planned(options: Frame): LaunchPlan {
  const read = SessionOptions.read(options);
  assert.ok(!(read instanceof Fault), read instanceof Fault ? read.describe() : "");
  const plan = launchPlan(read);
  assert.ok(typeof plan !== "string", typeof plan === "string" ? plan : "");
  return plan;
}

const usual = [
  "--print",
  "--verbose",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--permission-prompt-tool=stdio",
];

describe("launchPlan", () => {
  it("without options the CLI loads no settings, has no system prompt and sends no partial messages", () => {
    const plan = planned({});
    assert.deepEqual(launchFlags(plan.launch), [...usual, "--permission-mode=default", "--setting-sources="]);
    assert.deepEqual(plan.initialize, { systemPrompt: [""] });
    assert.deepEqual([plan.mcpServers, plan.settings, plan.environment], [{}, undefined, { fileCheckpoints: false }]);
  });

  const flags: readonly (readonly [Frame, readonly string[]])[] = [
    [{ model: "opus", fallback_model: "sonnet" }, ["--model=opus", "--fallback-model=sonnet"]],
    [{ permission_mode: "plan" }, ["--permission-mode=plan"]],
    [
      { permission_mode: "bypassPermissions" },
      ["--permission-mode=bypassPermissions", "--allow-dangerously-skip-permissions"],
    ],
    [{ allow_dangerously_skip_permissions: true }, ["--allow-dangerously-skip-permissions"]],
    [{ allowed_tools: ["Read", "Bash(ls:*)"] }, ["--allowedTools=Read,Bash(ls:*)"]],
    [{ disallowed_tools: ["Bash"] }, ["--disallowedTools=Bash"]],
    [{ tools: [] }, ["--tools="]],
    [{ tools: ["Read"] }, ["--tools=Read"]],
    [{ tools: { type: "preset", preset: "claude_code" } }, ["--tools=default"]],
    [{ max_turns: 3 }, ["--max-turns=3"]],
    [
      { max_turns: 0, max_budget_usd: 0, max_thinking_tokens: 0 },
      ["--max-turns=0", "--max-budget-usd=0", "--max-thinking-tokens=0"],
    ],
    [{ include_partial_messages: true }, ["--include-partial-messages"]],
    [{ additional_directories: ["/a", "-b"] }, ["--add-dir=/a", "--add-dir=-b"]],
    [{ setting_sources: ["user", "project"] }, ["--setting-sources=user,project"]],
    [{ betas: ["one", "two"] }, ["--betas=one,two"]],
    [{ output_format: { type: "json_schema", schema: { type: "object" } } }, ['--json-schema={"type":"object"}']],
    [{ plugins: [{ type: "local", path: "/p" }] }, ["--plugin-dir=/p"]],
    [{ strict_mcp_config: true }, ["--strict-mcp-config"]],
  ];
  for (const [options, expected] of flags) {
    it(`the options ${JSON.stringify(options)} give the flags ${expected.join(" ")}`, () => {
      const got = launchFlags(planned(options).launch);
      for (const flag of expected) assert.ok(got.includes(flag), `${flag} in ${got.join(" ")}`);
    });
  }

  it("false and empty lists are values, not missing options", () => {
    const options = { include_partial_messages: false, strict_mcp_config: false, allowed_tools: [], betas: [] };
    assert.deepEqual(launchFlags(planned(options).launch), launchFlags(planned({}).launch));
    assert.equal(planned({ enable_file_checkpointing: false }).environment.fileCheckpoints, false);
  });

  it("null means the same as a missing option", () => {
    const names =
      "model permission_mode allowed_tools disallowed_tools system_prompt max_turns max_budget_usd max_thinking_tokens include_partial_messages enable_file_checkpointing additional_directories mcp_servers agents hooks sandbox setting_sources betas output_format fallback_model resume tools plugins";
    const options = Object.fromEntries(names.split(" ").map((name) => [name, null]));
    assert.deepEqual(planned(options), planned({}));
  });

  it("enable_file_checkpointing sets the environment for file checkpoints", () => {
    assert.deepEqual(planned({ enable_file_checkpointing: true }).environment, { fileCheckpoints: true });
  });

  it("system_prompt replaces, keeps or extends the CLI's system prompt", () => {
    const preset = { type: "preset", preset: "claude_code" };
    assert.deepEqual(planned({ system_prompt: "You are X." }).initialize, { systemPrompt: ["You are X."] });
    assert.deepEqual(planned({ system_prompt: preset }).initialize, {});
    assert.deepEqual(planned({ system_prompt: { ...preset, append: "Also." } }).initialize, {
      appendSystemPrompt: "Also.",
    });
  });

  it("agents, the output schema and MCP servers are passed to the CLI", () => {
    const agents = { reviewer: { description: "d", prompt: "p", tools: ["Read"], model: "haiku" } };
    assert.deepEqual(planned({ agents }).initialize.agents, agents);
    const schema = { type: "object", properties: { n: { type: "number" } } };
    assert.deepEqual(planned({ output_format: { type: "json_schema", schema } }).initialize.jsonSchema, schema);
    const mcp_servers = {
      local: { command: "node", env: { KEY: "secret" } },
      named: { type: "stdio", command: "x", args: ["-a"], timeout: 5 },
      web: { type: "http", url: "https://x", headers: { Authorization: "b" } },
      old: { type: "sse", url: "https://y" },
    };
    const plan = planned({ mcp_servers });
    assert.deepEqual(plan.mcpServers, {
      ...mcp_servers,
      local: { type: "stdio", command: "node", args: [], env: { KEY: "secret" } },
    });
    assert.doesNotMatch(launchFlags(plan.launch).join(" "), /secret/);
  });

  it("sandbox keys become camelCase, and the commands in ignore_violations stay unchanged", () => {
    const sandbox = {
      enabled: true,
      auto_allow_bash_if_sandboxed: false,
      excluded_commands: ["git_x"],
      allow_unsandboxed_commands: false,
      network: {
        allow_local_binding: true,
        allow_unix_sockets: ["/s"],
        allow_all_unix_sockets: false,
        http_proxy_port: 1,
      },
      ignore_violations: { file: ["/a_b"], network: [], some_command: ["x"] },
    };
    assert.deepEqual(planned({ sandbox }).settings, {
      sandbox: {
        enabled: true,
        autoAllowBashIfSandboxed: false,
        excludedCommands: ["git_x"],
        allowUnsandboxedCommands: false,
        network: { allowLocalBinding: true, allowUnixSockets: ["/s"], allowAllUnixSockets: false, httpProxyPort: 1 },
        ignoreViolations: sandbox.ignore_violations,
      },
    });
  });
});
