/**
 * Plan: a session's options as what the CLI is started and greeted with.
 *
 * Each option becomes a flag, a setting or a field of `initialize`, as the Agent
 * SDK does it; what the CLI wants in camelCase is written so. Starts nothing.
 */
import type { ClaudeLaunch, EnvironmentNeeds, InitializeFields, McpServerConfig, McpServers } from "../claude/index.ts";
import { isRecord } from "../schema/index.ts";
import type { AgentDefinition, HookConfig, SandboxSettings, ServerConfig, SessionOptions } from "./session-options.ts";

export interface LaunchPlan {
  /** All but which conversation it carries on. */
  readonly launch: ClaudeLaunch;
  readonly mcpServers: McpServers;
  /** For `--settings`. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  readonly environment: EnvironmentNeeds;
  readonly initialize: InitializeFields;
  /** The event of each hook, by the callback's id. */
  readonly hooks: ReadonlyMap<string, string>;
  readonly callbackTimeoutMs: number;
}

/** A session's callbacks wait this long. */
export const defaultCallbackTimeoutMs = 300_000;
/** Instead of no limit, which the CLI does not know for hooks: a week. */
const noHookLimitSeconds = 604_800;
/** The CLI gives a hook up later than the bridge does. */
const hookGraceSeconds = 5;

/** Why these options cannot make a session, or what they make. */
export function launchPlan(
  options: SessionOptions,
  usualTimeoutMs: number = defaultCallbackTimeoutMs,
): LaunchPlan | string {
  const { model, fallback_model, output_format, sandbox } = options;
  if (fallback_model != null && fallback_model === model) return "fallback_model must differ from model";
  if (options.resume == null) {
    if (options.fork_session === true) return "fork_session needs resume";
    if (options.resume_session_at != null) return "resume_session_at needs resume";
  }
  const callbackTimeoutMs = options.callback_timeout_ms ?? usualTimeoutMs;
  const hooks = hooksOf(options.hooks ?? {}, callbackTimeoutMs);
  return {
    launch: launchOf(options),
    mcpServers: serversOf(options.mcp_servers ?? {}),
    settings: sandbox == null ? undefined : { sandbox: sandboxOf(sandbox) },
    environment: { fileCheckpoints: options.enable_file_checkpointing ?? false },
    initialize: {
      ...promptOf(options),
      ...(options.agents != null && { agents: agentsOf(options.agents) }),
      ...(hooks.events.size > 0 && { hooks: hooks.matchers }),
      ...(output_format != null && { jsonSchema: output_format.schema }),
    },
    hooks: hooks.events,
    callbackTimeoutMs,
  };
}

function launchOf(options: SessionOptions): ClaudeLaunch {
  const { tools, permission_mode } = options;
  return {
    model: options.model ?? undefined,
    fallbackModel: options.fallback_model ?? undefined,
    permissionMode: permission_mode ?? "default",
    // The CLI refuses the mode without it.
    allowBypass: permission_mode === "bypassPermissions" || options.allow_dangerously_skip_permissions === true,
    tools: tools == null ? undefined : "preset" in tools ? ["default"] : tools,
    allowedTools: options.allowed_tools ?? undefined,
    disallowedTools: options.disallowed_tools ?? undefined,
    maxTurns: options.max_turns ?? undefined,
    maxBudgetUsd: options.max_budget_usd ?? undefined,
    maxThinkingTokens: options.max_thinking_tokens ?? undefined,
    includePartialMessages: options.include_partial_messages ?? false,
    addDirs: options.additional_directories ?? undefined,
    pluginDirs: options.plugins?.map(({ path }) => path),
    // The SDK's own rule: no settings unless they are asked for.
    settingSources: options.setting_sources ?? [],
    strictMcpConfig: options.strict_mcp_config ?? undefined,
    betas: options.betas ?? undefined,
    jsonSchema: options.output_format?.schema,
  };
}

/** The SDK's own rule: without a word about it there is no system prompt. */
function promptOf({ system_prompt }: SessionOptions): InitializeFields {
  if (system_prompt == null) return { systemPrompt: [""] };
  if (typeof system_prompt === "string") return { systemPrompt: [system_prompt] };
  return system_prompt.append == null ? {} : { appendSystemPrompt: system_prompt.append };
}

function serversOf(servers: Readonly<Record<string, ServerConfig>>): McpServers {
  return mapped(servers, (server): McpServerConfig => {
    if (server.type === "sse" || server.type === "http") {
      const { headers, ...rest } = server;
      return { ...rest, ...(headers != null && { headers }) };
    }
    const { args, env, ...rest } = server;
    return { ...rest, type: "stdio", args: args ?? [], ...(env != null && { env }) };
  });
}

function agentsOf(agents: Readonly<Record<string, AgentDefinition>>): Readonly<Record<string, unknown>> {
  return mapped(agents, (agent) => Object.fromEntries(Object.entries(agent).filter(([, value]) => value !== null)));
}

function hooksOf(
  hooks: Readonly<Record<string, readonly HookConfig[]>>,
  limitMs: number,
): { readonly events: ReadonlyMap<string, string>; readonly matchers: NonNullable<InitializeFields["hooks"]> } {
  const events = new Map<string, string>();
  // The CLI's own limit is a minute, less than a person may need.
  const usual = limitMs === 0 ? noHookLimitSeconds : Math.ceil(limitMs / 1000) + hookGraceSeconds;
  const matchers = Object.entries(hooks).map(([event, configs]) => {
    const each = configs.map(({ matcher, timeout }) => {
      const id = `hook_${events.size}`;
      events.set(id, event);
      return { ...(matcher != null && { matcher }), hookCallbackIds: [id], timeout: timeout ?? usual };
    });
    return [event, each] as const;
  });
  return { events, matchers: Object.fromEntries(matchers) };
}

/** `ignore_violations` holds the user's own words as keys; they stay as they are. */
function sandboxOf(sandbox: SandboxSettings): Readonly<Record<string, unknown>> {
  return camelKeys(sandbox, (key) => key === "ignoreViolations");
}

function camelKeys(value: object, isKept: (key: string) => boolean): Readonly<Record<string, unknown>> {
  const entries = Object.entries(value).filter(([, part]) => part !== null);
  return Object.fromEntries(
    entries.map(([key, part]: readonly [string, unknown]) => {
      const name = key.replaceAll(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
      return [name, isRecord(part) && !isKept(name) ? camelKeys(part, isKept) : part];
    }),
  );
}

function mapped<T, U>(given: Readonly<Record<string, T>>, to: (value: T) => U): Readonly<Record<string, U>> {
  return Object.fromEntries(Object.entries(given).map(([key, value]) => [key, to(value)]));
}
