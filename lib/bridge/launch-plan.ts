/**
 * Converts the options of a bridge session to the CLI's flags, settings and
 * `initialize` fields.
 *
 * Follows the mapping of the Agent SDK; keys that the CLI expects in camelCase are
 * converted. A pure function: starts no process.
 */
import type { ClaudeLaunch, EnvironmentNeeds, InitializeFields, McpServerConfig, McpServers } from "../claude/index.ts";
import { isRecord } from "../schema/index.ts";
import type {
  SubagentDefinition,
  HookConfig,
  SandboxSettings,
  ServerConfig,
  SessionOptions,
} from "./session-options.ts";

export interface LaunchPlan {
  /** Everything but the conversation to start or resume; `ResumeState` decides that. */
  readonly launch: ClaudeLaunch;
  readonly mcpServers: McpServers;
  /** The content of the file passed with `--settings`. */
  readonly settings: Readonly<Record<string, unknown>> | undefined;
  readonly environment: EnvironmentNeeds;
  readonly initialize: InitializeFields;
  /** Hook event names by callback id. */
  readonly hooks: ReadonlyMap<string, string>;
  readonly callbackTimeoutMs: number;
}

export const defaultCallbackTimeoutMs = 300_000;
/** A week, used for "no limit": the CLI requires a timeout for hooks. */
const noHookLimitSeconds = 604_800;
/** Added to the CLI's timeout, so that the bridge times out first. */
const hookGraceSeconds = 5;

/** Returns the plan, or the reason why these options cannot create a session. */
export function launchPlan(
  options: SessionOptions,
  defaultTimeoutMs: number = defaultCallbackTimeoutMs,
): LaunchPlan | string {
  const { model, fallback_model, output_format, sandbox } = options;
  if (fallback_model != null && fallback_model === model) return "fallback_model must differ from model";
  if (options.resume == null) {
    if (options.fork_session === true) return "fork_session needs resume";
    if (options.resume_session_at != null) return "resume_session_at needs resume";
  }
  const callbackTimeoutMs = options.callback_timeout_ms ?? defaultTimeoutMs;
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
    // The CLI rejects `bypassPermissions` without this flag.
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
    // As in the Agent SDK: no settings files are loaded unless requested.
    settingSources: options.setting_sources ?? [],
    strictMcpConfig: options.strict_mcp_config ?? undefined,
    betas: options.betas ?? undefined,
    jsonSchema: options.output_format?.schema,
  };
}

/** As in the Agent SDK: without the option the system prompt is empty. */
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

function agentsOf(agents: Readonly<Record<string, SubagentDefinition>>): Readonly<Record<string, unknown>> {
  return mapped(agents, (agent) => Object.fromEntries(Object.entries(agent).filter(([, value]) => value !== null)));
}

function hooksOf(
  hooks: Readonly<Record<string, readonly HookConfig[]>>,
  limitMs: number,
): { readonly events: ReadonlyMap<string, string>; readonly matchers: NonNullable<InitializeFields["hooks"]> } {
  const events = new Map<string, string>();
  // The CLI's default is one minute, less than a user may need to answer.
  const defaultTimeout = limitMs === 0 ? noHookLimitSeconds : Math.ceil(limitMs / 1000) + hookGraceSeconds;
  const matchers = Object.entries(hooks).map(([event, configs]) => {
    const each = configs.map(({ matcher, timeout }) => {
      const id = `hook_${events.size}`;
      events.set(id, event);
      return { ...(matcher != null && { matcher }), hookCallbackIds: [id], timeout: timeout ?? defaultTimeout };
    });
    return [event, each] as const;
  });
  return { events, matchers: Object.fromEntries(matchers) };
}

/** The keys inside `ignore_violations` are commands of the user and stay unchanged. */
function sandboxOf(sandbox: SandboxSettings): Readonly<Record<string, unknown>> {
  return camelKeys(sandbox, (key) => key === "ignoreViolations");
}

/** Converts keys to camelCase, recursively except below keys for which `isKept` is true. */
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
