/**
 * The inputs of a session, shared with the CLI supervisor and the editor tools:
 * `SessionContext` holds what the agent provides to every session, `SessionParams`
 * what the request that opened the session asked for.
 */
import type { AgentConnection } from "../../acp/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type { Environment, McpServers, ConversationTarget } from "../../claude/index.ts";
import type { ClientView } from "../../display/index.ts";
import type { Launcher } from "../cli/launcher.ts";
import type { SessionStore } from "../sessions/session-store.ts";
import type { Settings } from "../settings/settings.ts";

export interface SessionContext {
  readonly client: AgentConnection;
  readonly launcher: Launcher;
  readonly store: Pick<SessionStore, "hasPrompt">;
  readonly after: Schedule;
  readonly view: ClientView;
  readonly mayBypass: boolean;
  readonly isLegacy: boolean;
  readonly env: Environment;
  /** How long a session keeps its CLI without a prompt; 0 means forever. */
  readonly idleTimeoutMs: number;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface SessionParams {
  /** The conversation to continue: a new one, one from disk, or a copy of one from disk. */
  readonly target: ConversationTarget;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: McpServers;
  readonly settings: Partial<Settings>;
}
