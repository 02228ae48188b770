/**
 * The tools that the editor provides to a CLI, as the engine needs them: how a CLI is
 * launched with them and what they change in the client's view.
 *
 * lib/editor-tools implements them.
 */
import type { AgentConnection } from "../../acp/index.ts";
import type { ClientView } from "../../display/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type {
  CanUseTool,
  ClaudeLaunch,
  Environment,
  EnvironmentNeeds,
  HostHandlers,
  InitializeFields,
  OutgoingControlRequests,
  ToolDecision,
} from "../index.ts";
import type { EditorFeatures } from "./settings/editor-options.ts";

export interface HostTools {
  /** The client view of the conversation. */
  readonly view: ClientView;
  /** The capabilities of the editor that the agent can use. */
  readonly features: EditorFeatures;
  /** Which tools the editor serves under the current settings. */
  readonly kind: string;
  /** Asks the running CLI whether its settings allow the tools. */
  readonly updateObstacles: () => Promise<void>;
  /** The launch of a CLI under the current settings. */
  readonly prepareLaunch: () => HostToolsLaunch;
  /** Whether the text of a file may be put into a prompt: nothing could keep the CLI from reading it. */
  readonly mayInlineFiles: () => Promise<boolean>;
  readonly close: () => Promise<void>;
}

/** What one CLI is launched with so that it uses the editor's files and terminals. */
export interface HostToolsLaunch {
  /** Which tools the editor serves. A CLI that was launched with another `kind` has to be replaced. */
  readonly kind: string;
  readonly launch: ClaudeLaunch;
  readonly environment: EnvironmentNeeds;
  readonly initialize: InitializeFields;
  /** The handlers of the CLI's control requests; `ask` puts a permission request to the user. */
  readonly handlers: (ask: AskPermission) => HostHandlers;
}

export type AskPermission = (request: CanUseTool, signal: AbortSignal) => Promise<ToolDecision>;

/** What the tools need of their conversation. */
export interface HostToolsOptions {
  readonly sessionId: string;
  readonly cwd: string;
  readonly additionalDirectories: readonly string[];
  readonly client: AgentConnection;
  readonly view: ClientView;
  readonly after: Schedule;
  readonly env: Environment;
  readonly onBug: (doing: string, cause: unknown) => void;
  readonly settings: () => { readonly edits: boolean; readonly commands: boolean };
  /** False for a tool that the client has taken from the model. */
  readonly isToolEnabled: (name: string) => boolean;
  /** The control channel of the running CLI. */
  readonly control: () => OutgoingControlRequests | undefined;
  /** The open tool call that this command line belongs to. */
  readonly callOf: (line: string) => { readonly id: string; readonly command: string } | undefined;
  /** A tool call shows this terminal from now on. */
  readonly onTerminal: (toolCallId: string, terminalId: string) => void;
}

export type CreateHostTools = (options: HostToolsOptions) => HostTools;
