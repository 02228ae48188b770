/**
 * The engine interface: what the agent needs of a program that does the work, such as
 * Claude Code or Codex, in the words of ACP.
 *
 * An engine opens conversations. A conversation takes prompts one at a time, reports
 * finished ACP updates and the end of each turn as `EngineEvent`s, and asks the user
 * through its host. Processes, transcripts and event formats stay inside the engine.
 */
import type {
  AgentConnection,
  AvailableCommand,
  ContentBlock,
  Cost,
  ElicitationContentValue,
  McpServer,
  PermissionOption,
  SessionConfigOption,
  SessionConfigSelectOption,
  SessionMode,
  SessionUpdate,
  StopReason,
  ToolCallUpdate,
  Usage,
} from "../acp/index.ts";
import type { ClientView, UserQuestion } from "../display/index.ts";
import type { Schedule } from "../wire/index.ts";
import type { ConversationControls } from "./controls.ts";
import type { EngineFailure } from "./engine-failure.ts";
import type { Rewinder } from "./rewind.ts";

export interface Engine {
  readonly id: string;
  /** The name that people read, for example in "Claude is not signed in". */
  readonly name: string;
  readonly capabilities: EngineCapabilities;
  readonly conversations: ConversationStore;
  /** Why the engine cannot take a prompt with this content; undefined when it can. */
  readonly refusalOf: (prompt: readonly ContentBlock[]) => string | undefined;
  /**
   * Creates a conversation. Starts nothing and reports no event yet: a conversation that is never
   * started may be dropped without `close`. Throws an `EngineFailure` for MCP servers it cannot use.
   */
  readonly open: (request: ConversationRequest, host: ConversationHost) => Conversation;
  /** A text that changes when a conversation started earlier in this directory would be out of date. */
  readonly configFingerprint: (cwd: string) => string;
  /** Whether a conversation may be started before a client asks for it. Undefined: always. */
  readonly mayPrewarm?: (() => boolean) | undefined;
  /** Rejects with a failure of kind `not_signed_in`. */
  readonly checkSignIn: () => Promise<void>;
  readonly signOut: () => Promise<void>;
  /** Stops what the conversations share. They have been closed before. */
  readonly close: (reason: string) => Promise<void>;
}

export interface EngineCapabilities {
  /** A conversation can begin as a copy of another. */
  readonly fork: boolean;
  /** A prompt can be added to a running turn. */
  readonly steer: boolean;
  /** A running conversation takes over changed files of the project that decide what runs, such as hooks, at any time. */
  readonly reloadsConfiguration: boolean;
  /** A saved conversation is replayed without starting the engine. */
  readonly replaysFromDisk: boolean;
}

/** The conversations that the engine has saved. Each id is one that `open` takes. */
export interface ConversationStore {
  readonly list: (cwd: string | undefined, cursor: string | undefined) => Promise<ConversationPage>;
  readonly has: (id: string) => Promise<boolean>;
  /** The working directory of a conversation; undefined when it is not known. */
  readonly directoryOf: (id: string) => Promise<string | undefined>;
  /** The id of the most recent conversation of a directory. */
  readonly latest: (cwd: string) => Promise<string | undefined>;
  /**
   * Where a fork begins that keeps a conversation up to an agent's message, or up to what came
   * before a prompt. Undefined where the engine forks whole conversations only.
   */
  readonly forkPoint?: ((id: string, messageId: string) => Promise<ForkPoint>) | undefined;
  readonly rename: (id: string, title: string) => Promise<void>;
  readonly remove: (id: string) => Promise<void>;
}

export interface SavedConversation {
  readonly sessionId: string;
  readonly cwd: string;
  readonly title: string | undefined;
  /** ISO 8601. */
  readonly updatedAt: string;
}

export type ConversationPage =
  | {
      readonly kind: "page";
      readonly sessions: readonly SavedConversation[];
      readonly nextCursor: string | undefined;
      /** The number of saved conversations that could not be read. */
      readonly unreadableCount: number;
    }
  | { readonly kind: "bad-cursor" };

/** Which conversation to open. */
export type ConversationStart =
  | { readonly kind: "new" }
  | { readonly kind: "resume"; readonly id: string }
  /** A new conversation that begins as a copy of a saved one, whole or up to a point that `forkPoint` gave. */
  | { readonly kind: "fork"; readonly id: string; readonly at?: string | undefined };

export type ForkPoint =
  /** `at` is in the engine's own terms. */
  | { readonly kind: "at"; readonly at: string }
  /** Nothing comes before the message. */
  | { readonly kind: "beginning" }
  /** The conversation has no such message. */
  | { readonly kind: "unknown" };

export interface ConversationRequest {
  readonly start: ConversationStart;
  /** The id that a new conversation gets if the engine lets us choose; see `Conversation.id`. */
  readonly proposedId: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly mcpServers: readonly McpServer[];
  /** The settings chosen for new sessions, by the id of the config option. Others are the user's own. */
  readonly settings: Readonly<Record<string, string>>;
  /** What the client asks for beyond the protocol; an engine grants what it can. */
  readonly requestedOptions?: RequestedOptions | undefined;
}

/** What a client asks for beyond the protocol. No option gives the model more rights than the user's settings do. */
export interface RequestedOptions {
  /** Replaces the engine's own system prompt, or is appended to it. */
  readonly systemPrompt?: { readonly isAppended: boolean; readonly text: string } | undefined;
  readonly model?: string | undefined;
  readonly effort?: string | undefined;
  /** The requests to the model that one prompt may make. */
  readonly maxTurns?: number | undefined;
  /** The only built-in tools that the model gets. They are permitted as they always are. */
  readonly tools?: readonly string[] | undefined;
  readonly disallowedTools?: readonly string[] | undefined;
  /** The client's trace (W3C Trace Context), for an engine that makes spans of its own. */
  readonly traceContext?: { readonly traceparent: string; readonly tracestate?: string | undefined } | undefined;
}

/** What a conversation needs of the agent. */
export interface ConversationHost {
  /** May be called within a call of the agent, for example within `submit`. After `close` it does nothing. */
  readonly onEvent: (event: EngineEvent) => void;
  /** Asks the user for a permission. Never rejects: a failure is the decision `unanswered`. */
  readonly ask: <Decision>(question: PermissionQuestion<Decision>, signal: AbortSignal) => Promise<Decision>;
  /** Puts questions of the model to the user, as a form or as options. Never rejects. */
  readonly askUser: (asked: UserQuestions, signal: AbortSignal) => Promise<UserAnswers>;
  /** Shows a form or a link of an MCP server. Never rejects: what the client cannot show is declined. */
  readonly elicit: (asked: ElicitationQuestion, signal: AbortSignal) => Promise<ElicitationAnswer>;
  /** The connection to the client, for its files and terminals. */
  readonly client: AgentConnection;
  readonly view: ClientView;
  readonly after: Schedule;
  readonly onBug: (doing: string, cause: unknown) => void;
}

export interface Conversation {
  /** The client's session id. It is known once `start` has resolved and never changes. */
  readonly id: string;
  /** The id under which the conversation is saved now; a command such as `/clear` may change it. */
  readonly savedId: string;
  /** Something runs that `release` would stop. */
  readonly isRunning: boolean;
  /** The engine works, perhaps without a prompt, for example on the result of a background task. */
  readonly isBusy: boolean;
  /** Subagents may go on working after the turn, which `controls.tasks` does not list. */
  readonly mayHaveAgents?: boolean | undefined;
  /** Links to files in a prompt are replaced by the editor's text even when the disk has the same. */
  readonly prefersEditorText: boolean;
  /**
   * Whether the text of a file that a prompt links to may be put into the prompt. False
   * when something could keep the engine that gets the prompt from reading the file itself.
   * Called when the conversation is ready.
   */
  readonly mayInlineFile: (path: string, prompt: readonly ContentBlock[]) => Promise<boolean>;
  readonly settingsState: SettingsState;
  /** Takes back prompts; undefined where the engine cannot. */
  readonly rewinder?: Rewinder | undefined;
  /** What else can be looked at and changed; it may change with the engine that answers. */
  readonly controls?: ConversationControls | undefined;
  /** Gets ready for the first prompt and reads `settingsState`. Rejects with an `EngineFailure`. */
  readonly start: () => Promise<void>;
  /** Reports the saved conversation as updates. Waits whenever the client does not keep up. */
  readonly replay: (signal: AbortSignal) => Promise<void>;
  /** Resolves when `submit` may be called with this prompt; starts again what was lost, unless `isWanted` has become false. */
  readonly ready: (isWanted: () => boolean, prompt?: readonly ContentBlock[]) => Promise<void>;
  /**
   * Sends a prompt. The turn's end is reported by exactly one event of type `turn_ended`, before
   * the next call of `submit`; a failure to send it is such an end too. If it throws, the prompt
   * fails and is not submitted again.
   * `added`: prompts that `steer` had added to this turn before it was lost.
   */
  readonly submit: (prompt: Prompt, added?: readonly Prompt[]) => void;
  /** Adds a prompt to the running turn. Returns false when the engine cannot. May throw an `EngineFailure`. */
  readonly steer: (prompt: Prompt) => boolean;
  /** Stops the running work, not the conversation. The turn still ends with `turn_ended`. */
  readonly interrupt: () => void;
  /** Gives up a turn that did not stop: its tool calls are closed, and nothing of it is reported any more, no end either. */
  readonly abandon: (reason: string) => void;
  /** Changes one of the offered options. Rejects with an `EngineFailure`. */
  readonly change: (optionId: string, value: string) => Promise<void>;
  /** Saves a title. Returns false when nothing runs that could save it. */
  readonly rename: (title: string) => Promise<boolean>;
  readonly pause: () => void;
  readonly resume: () => void;
  /** Stops what runs, unless it is busy. The next prompt starts it again. Returns false when it keeps running. */
  readonly release: (reason: string) => boolean;
  /** Resolves when nothing runs any more that `release` or `abandon` has stopped; undefined when nothing does. */
  readonly exited?: Promise<unknown> | undefined;
  /** Withdraws the open questions and stops what runs. Resolves when nothing runs any more, within seconds. */
  readonly close: (reason: string) => Promise<void>;
}

export interface Prompt {
  readonly id: string;
  readonly content: readonly ContentBlock[];
  /**
   * Texts before the content that the user did not write: an entry of the model's plan, what
   * another engine said. An engine passes them on unchanged and runs no mention or command in them.
   */
  readonly preface?: readonly string[] | undefined;
}

/**
 * What a conversation reports. All events of a turn come before its `turn_ended`. `acknowledged`
 * and `turn_ended` belong to the prompt that was submitted last; without one they are ignored.
 */
export type EngineEvent =
  | { readonly type: "updates"; readonly updates: readonly SessionUpdate[] }
  /** The engine has taken the prompt: it must not be given to another process. */
  | { readonly type: "acknowledged" }
  | { readonly type: "turn_ended"; readonly end: TurnEnd }
  /** `settingsState` has changed without a call of `change`. */
  | { readonly type: "settings_changed" }
  | { readonly type: "commands_changed"; readonly commands: readonly AvailableCommand[] };

export type TurnEnd =
  | {
      readonly kind: "stopped";
      readonly stopReason: StopReason;
      readonly usage?: TurnUsage | undefined;
      /** The engine has already continued for several turns and stopped: auto-continue adds no turn. */
      readonly isGoal?: boolean | undefined;
      /** The user wants to go on with this in a cleared conversation. */
      readonly next?: FreshStart | undefined;
    }
  | { readonly kind: "failed"; readonly failure: EngineFailure }
  /** The process that had the prompt is gone or hangs, or none could be started. An unacknowledged prompt may be submitted again. */
  | { readonly kind: "lost"; readonly failure: unknown };

/** A prompt that begins a cleared conversation in the same session, such as a plan to carry out. */
export interface FreshStart {
  readonly prompt: string;
  /** The permission mode of the new conversation. */
  readonly mode: string;
}

/** The usage of a turn that the engine reports. */
export interface TurnUsage {
  readonly tokens?: Usage | undefined;
  readonly cost?: Cost | undefined;
}

/** The settings of a conversation: the values to choose from, and the current ones. */
export interface SettingsState {
  /** Whose mode and effort these are, where the session has several engines. */
  readonly engineName?: string | undefined;
  readonly modes: readonly SessionMode[];
  readonly mode: string;
  readonly models: readonly SessionConfigSelectOption[];
  readonly model: string;
  /** The efforts of the current model. */
  readonly efforts: readonly SessionConfigSelectOption[];
  readonly effort: string;
  /** Options that only this engine has. */
  readonly options: readonly SessionConfigOption[];
}

/** A question with its answers. Each answer carries its decision, in the engine's terms. */
export interface PermissionQuestion<Decision> {
  /** The engine that asks, where the session has several. */
  readonly engineName?: string | undefined;
  readonly toolCall: ToolCallUpdate;
  readonly choices: readonly PermissionChoice<Decision>[];
  /** The user chose something that was not offered. */
  readonly rejected: Decision;
  /** The question was cancelled, failed, or no client was connected. */
  readonly unanswered: Decision;
  /** What the user can reject for the rest of the session, and the decision then; undefined when nothing. */
  readonly never?: LastingRejection<Decision> | undefined;
}

export interface LastingRejection<Decision> extends RejectedScope {
  readonly decision: Decision;
  /** The user has chosen it. An engine that can makes it hold for calls that it would not ask about. */
  readonly onChosen?: (() => void) | undefined;
}

/** What a lasting rejection concerns. */
export interface RejectedScope {
  /** A later question with one of the same keys is answered without the user. */
  readonly keys: readonly string[];
  /** In words, for "Never allow … in this session". */
  readonly what: string;
}

export interface PermissionChoice<Decision> {
  readonly option: PermissionOption;
  readonly decision: Decision;
  /** The decision when the user gives a reason for this answer; undefined when the engine cannot pass one on. */
  readonly withReason?: ((reason: string) => Decision) | undefined;
}

export interface UserQuestions {
  /** The engine that asks, where the session has several. */
  readonly engineName?: string | undefined;
  /** The tool call that asks. */
  readonly toolCall: ToolCallUpdate;
  readonly questions: readonly UserQuestion[];
}

export type UserAnswers =
  /** The answers by question; a skipped question is left out. */
  | { readonly kind: "answered"; readonly answers: Readonly<Record<string, string>> }
  | { readonly kind: "dismissed" }
  | { readonly kind: "cancelled" };

/** A form or a link that an MCP server wants the user to see. */
export type ElicitationQuestion =
  | { readonly kind: "url"; readonly message: string; readonly url: string; readonly id: string | undefined }
  /** `schema` is the JSON schema of the form, as the server sent it. */
  | { readonly kind: "form"; readonly message: string; readonly schema: unknown };

export type ElicitationAnswer =
  | { readonly action: "accept"; readonly content?: Readonly<Record<string, ElicitationContentValue>> }
  | { readonly action: "decline" | "cancel" };
