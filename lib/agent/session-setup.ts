/**
 * Session setup: what a session is made with, and what it is made for.
 */
import type { AgentConnection } from "../acp/index.ts";
import type { After, Environment, McpServers, SessionChoice } from "../claude/index.ts";
import type { View } from "../translate/index.ts";
import type { Launcher } from "./launcher.ts";
import type { Saved } from "./saved.ts";
import type { Settings } from "./settings.ts";

export interface SessionEnds {
  readonly client: AgentConnection;
  readonly launcher: Launcher;
  readonly saved: Pick<Saved, "holds">;
  readonly after: After;
  readonly view: View;
  readonly mayBypass: boolean;
  readonly isLegacy: boolean;
  readonly env: Environment;
  /** How long a session keeps its CLI without a prompt; 0 is for ever. */
  readonly restMs: number;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface SessionSetup {
  /** The conversation it begins with: a new one, one from disk, or a copy of one. */
  readonly choice: SessionChoice;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: McpServers;
  readonly settings: Partial<Settings>;
}

/** A view for which the files of today say nothing of how they were then. */
export function viewOf(view: View, isPast: () => boolean): View {
  return { ...view, textOf: (path) => (isPast() ? undefined : view.textOf(path)) };
}
