/**
 * What the sessions of one agent share: the client, the engine, the clock and the options.
 */
import type { AgentConnection } from "../acp/index.ts";
import type { ClientView } from "../display/index.ts";
import type { Engine } from "../engine/index.ts";
import type { Schedule } from "../wire/index.ts";

/** The settings of new sessions. A setting left out is the user's own choice. */
export interface AgentSettings {
  readonly mode?: string | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** The first session in a directory continues its last conversation. */
  readonly autoResume?: boolean | undefined;
  /** A turn that ends with work left on its plan is continued; `fresh`: each entry in a cleared conversation. */
  readonly autoContinue?: boolean | "fresh" | undefined;
  /** A prompt that a usage limit has interrupted is continued when the limit resets. */
  readonly continueAtReset?: boolean | undefined;
  /** Files are read and written through the editor. */
  readonly edits?: boolean | undefined;
  /** Commands run in the editor's terminals. */
  readonly commands?: boolean | undefined;
  /** Reasons to reject a call, offered as options. */
  readonly rejectReasons?: readonly string[] | undefined;
}

/** The options of `createAgent` that every session needs, with their defaults filled in. */
export interface ResolvedOptions {
  /** Does the work. Default: the user's CLI. */
  readonly engine: Engine;
  /** The settings of new sessions. */
  readonly settings: AgentSettings;
  /** Default: the real clock. */
  readonly after: Schedule;
  /** Milliseconds since the epoch, for what the user reads and for the reset of limits. Default: the real clock. */
  readonly now: () => number;
  /** Keeps a session started for the next `session/new`. Default: true. */
  readonly prewarms: boolean;
  /** Sessions that may be open at once; each may run a CLI. Default: 1,000. */
  readonly maxSessions: number;
  /** How long a session keeps its process without a prompt; 0 means forever. Default: 30 minutes. */
  readonly idleTimeoutMs: number;
  /** Also sends the fields of 2025: `models` and `current_model_update`. */
  readonly isLegacy: boolean;
  /** Sends the whole input and the structured result of tool calls also to clients that do not ask for them. */
  readonly sendsRaw: boolean;
  /** The current text of a file; undefined when it is not known. Default: reads the file from disk. */
  readonly textOf: ClientView["textOf"];
  /**
   * The open tasks of the user's task list for a directory, for auto-continue. Never rejects. Default:
   * `dot ls --json`, if the user has it.
   */
  readonly openTasks: (cwd: string) => Promise<readonly string[]>;
  /** Checks the machine, for the command `/setup`; returns Markdown. Without it there is no such command. */
  readonly describeSetup?: (() => Promise<string>) | undefined;
  readonly onBug: (doing: string, cause: unknown) => void;
}

/** What every session of an agent needs. */
export interface AgentContext extends ResolvedOptions {
  readonly client: AgentConnection;
}
