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

/** What every session of an agent needs. */
export interface AgentContext {
  readonly client: AgentConnection;
  readonly engine: Engine;
  readonly settings: AgentSettings;
  readonly after: Schedule;
  /** Milliseconds since the epoch. Used for what the user reads and for the reset of limits only. */
  readonly now: () => number;
  /** Keeps a session started for the next `session/new`. */
  readonly prewarms: boolean;
  /** Sessions that may be open at once. Each may run a CLI. */
  readonly maxSessions: number;
  /** How long a session keeps its process without a prompt; 0 means forever. */
  readonly idleTimeoutMs: number;
  /** Also sends the fields of 2025: `models` and `current_model_update`. */
  readonly isLegacy: boolean;
  /** Sends the whole input and the structured result of tool calls also to clients that do not ask for them. */
  readonly sendsRaw: boolean;
  /** The current text of a file; undefined when it is not known. */
  readonly textOf: ClientView["textOf"];
  /** The open tasks of the user's task list for a directory, for auto-continue. Never rejects. */
  readonly openTasks?: ((cwd: string) => Promise<readonly string[]>) | undefined;
  /** Checks the machine, for the command `/setup`. */
  readonly describeSetup?: (() => Promise<string>) | undefined;
  readonly onBug: (doing: string, cause: unknown) => void;
}
