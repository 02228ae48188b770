/**
 * The controls of a conversation: functions that are no prompts, such as usage, background tasks
 * and MCP servers, the same for every engine. A control is undefined if the engine lacks it.
 *
 * The functions need a running engine (`Conversation.ready`) and reject with an
 * `EngineFailure`. They may be called while a turn runs.
 */
import type { Cost } from "../acp/index.ts";

export interface ConversationControls {
  readonly usage?: (() => Promise<UsageReport>) | undefined;
  readonly tasks?: TaskControl | undefined;
  readonly mcp?: McpControl | undefined;
}

/** The MCP servers of a conversation. What the engine cannot do is missing. */
export interface McpControl {
  readonly servers: () => Promise<readonly McpServerState[]>;
  readonly reconnect?: ((name: string) => Promise<void>) | undefined;
  /** For the conversation and later ones in its directory. */
  readonly setEnabled?: ((name: string, isEnabled: boolean) => Promise<void>) | undefined;
  /** Starts a sign-in. Returns the address that the user has to open; undefined when none is needed. */
  readonly signIn?: ((name: string) => Promise<string | undefined>) | undefined;
  /** Ends a sign-in with the address at which the user's browser arrived, where it cannot reach this machine. */
  readonly finishSignIn?: ((name: string, address: string) => Promise<void>) | undefined;
}

export interface McpServerState {
  readonly name: string;
  readonly status: "connected" | "starting" | "needs_sign_in" | "failed" | "off";
  /** Why it failed. */
  readonly error?: string | undefined;
  /** The names of its tools. */
  readonly tools: readonly string[];
}

export interface TaskControl {
  /** What runs in the background now, oldest first. */
  readonly list: () => Promise<readonly BackgroundTask[]>;
  readonly stop: (id: string) => Promise<void>;
}

/** A subagent or a command that runs in the background. */
export interface BackgroundTask {
  readonly id: string;
  readonly kind: "subagent" | "command" | "other";
  /** What the command or the subagent is to do. */
  readonly title: string;
  /** How long it has been running; undefined where the engine does not report the start. */
  readonly ageMs?: number | undefined;
  /** The tool call that started it. */
  readonly toolCallId?: string | undefined;
  /** The end of its output. */
  readonly lastOutput?: string | undefined;
}

/** A limit of the account, such as the one for five hours. */
export interface UsageLimit {
  readonly id: string;
  readonly name: string;
  readonly usedPercent: number;
  /** ISO 8601. */
  readonly resetsAt?: string;
}

/** What the account and the conversation have used. */
export interface UsageReport {
  /** The name of the plan; undefined for an account that has none or whose plan is not known. */
  readonly plan?: string | undefined;
  /** Empty for accounts without limits, and where nothing is known of them. */
  readonly limits: readonly UsageLimit[];
  /** The cost of this conversation. */
  readonly cost?: Cost | undefined;
  readonly models: readonly ModelUsage[];
}

/** The tokens of one model in this conversation. */
export interface ModelUsage {
  readonly model: string;
  readonly inputTokens: number;
  readonly outputTokens: number;
  readonly cachedReadTokens: number;
  readonly cachedWriteTokens: number;
  readonly cost?: Cost | undefined;
}
