/**
 * Turns a typed description of a launch into the argument list of the CLI.
 *
 * Values are always joined to their flag with "=", so that a value that begins with "-" is
 * never parsed as a flag. Arguments must not contain secrets, because `ps` shows them to
 * other users: secrets go into private files whose paths are passed (`private-file.ts`).
 */

/** Which conversation the process begins or resumes. */
export type ConversationTarget =
  | { readonly kind: "new"; readonly id: string }
  | {
      readonly kind: "resume";
      readonly id: string;
      /** Continues under this new id and leaves the old conversation unchanged. */
      readonly forkTo?: string | undefined;
      /** Resumes at this message of the assistant and drops everything after it. */
      readonly at?: string | undefined;
    };

export interface ClaudeLaunch {
  readonly session?: ConversationTarget | undefined;
  readonly model?: string | undefined;
  readonly fallbackModel?: string | undefined;
  readonly effort?: string | undefined;
  readonly thinking?: string | undefined;
  readonly thinkingDisplay?: string | undefined;
  readonly maxThinkingTokens?: number | undefined;
  readonly permissionMode?: string | undefined;
  /** Lets the session switch to the mode bypassPermissions later. */
  readonly allowBypass?: boolean | undefined;
  /** Replaces the set of tools; an empty list means none. */
  readonly tools?: readonly string[] | undefined;
  readonly allowedTools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  readonly addDirs?: readonly string[] | undefined;
  readonly pluginDirs?: readonly string[] | undefined;
  /** An empty list loads no settings of the user or the project. */
  readonly settingSources?: readonly string[] | undefined;
  readonly settingsPath?: string | undefined;
  readonly mcpConfigPath?: string | undefined;
  /** Uses only the servers of `mcpConfigPath`. */
  readonly strictMcpConfig?: boolean | undefined;
  readonly agent?: string | undefined;
  readonly betas?: readonly string[] | undefined;
  readonly name?: string | undefined;
  readonly maxTurns?: number | undefined;
  readonly maxBudgetUsd?: number | undefined;
  readonly jsonSchema?: object | undefined;
  /** Sends deltas while the model writes. Default true. */
  readonly includePartialMessages?: boolean | undefined;
  /** Asks for permissions with control requests. Default true. */
  readonly asksPermission?: boolean | undefined;
  readonly replayUserMessages?: boolean | undefined;
  readonly includeHookEvents?: boolean | undefined;
  readonly forwardSubagentText?: boolean | undefined;
  readonly noSessionPersistence?: boolean | undefined;
  readonly bare?: boolean | undefined;
  /** Other flags by name without dashes; true for a flag without a value. */
  readonly extra?: Readonly<Record<string, string | true>> | undefined;
}

/** Throws a `TypeError` for text with a NUL, which no argument can hold. */
export function launchFlags(launch: ClaudeLaunch): readonly string[] {
  const flags = ["--print", "--verbose", "--input-format=stream-json", "--output-format=stream-json"];
  bare("include-partial-messages", launch.includePartialMessages ?? true);
  if (launch.asksPermission ?? true) flags.push("--permission-prompt-tool=stdio");
  addSession(launch.session);
  value("model", launch.model);
  value("fallback-model", launch.fallbackModel);
  value("effort", launch.effort);
  value("thinking", launch.thinking);
  value("thinking-display", launch.thinkingDisplay);
  value("max-thinking-tokens", launch.maxThinkingTokens);
  value("permission-mode", launch.permissionMode);
  bare("allow-dangerously-skip-permissions", launch.allowBypass);
  list("tools", launch.tools, true);
  list("allowedTools", launch.allowedTools);
  list("disallowedTools", launch.disallowedTools);
  each("add-dir", launch.addDirs);
  each("plugin-dir", launch.pluginDirs);
  list("setting-sources", launch.settingSources, true);
  value("settings", launch.settingsPath);
  value("mcp-config", launch.mcpConfigPath);
  bare("strict-mcp-config", launch.strictMcpConfig);
  value("agent", launch.agent);
  list("betas", launch.betas);
  value("name", launch.name);
  value("max-turns", launch.maxTurns);
  value("max-budget-usd", launch.maxBudgetUsd);
  if (launch.jsonSchema !== undefined) value("json-schema", JSON.stringify(launch.jsonSchema));
  bare("replay-user-messages", launch.replayUserMessages);
  bare("include-hook-events", launch.includeHookEvents);
  bare("forward-subagent-text", launch.forwardSubagentText);
  bare("no-session-persistence", launch.noSessionPersistence);
  bare("bare", launch.bare);
  for (const [name, given] of Object.entries(launch.extra ?? {})) {
    if (!/^[a-zA-Z][\w-]*$/.test(name)) throw new TypeError("extra: a flag's name must be letters, digits and dashes");
    if (given === true) bare(name, true);
    else value(name, given);
  }
  return flags;

  function addSession(session: ConversationTarget | undefined): void {
    if (session === undefined) return;
    if (session.kind === "new") return value("session-id", session.id);
    value("resume", session.id);
    bare("fork-session", session.forkTo !== undefined);
    value("session-id", session.forkTo);
    value("resume-session-at", session.at);
  }

  function bare(name: string, isOn: boolean | undefined): void {
    if (isOn === true) flags.push(`--${name}`);
  }

  function value(name: string, given: string | number | undefined): void {
    if (given === undefined) return;
    const text = String(given);
    if (text.includes("\0")) throw new TypeError(`--${name} must be text without NUL`);
    flags.push(`--${name}=${text}`);
  }

  function list(name: string, given: readonly string[] | undefined, isKeptWhenEmpty = false): void {
    if (given !== undefined && (given.length > 0 || isKeptWhenEmpty)) value(name, given.join(","));
  }

  function each(name: string, given: readonly string[] | undefined): void {
    for (const one of given ?? []) value(name, one);
  }
}
