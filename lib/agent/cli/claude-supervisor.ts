/**
 * Starts, replaces and stops the CLI of one session.
 *
 * A session outlives its CLI. Each new CLI resumes the session's conversation with
 * the session's current settings. At most one CLI of a session runs at a time: a
 * discarded CLI has exited before the next one starts, because two would write to
 * the same transcript.
 */
import type { ClaudeExit, ConversationEvent, HostHandlers } from "../../claude/index.ts";
import type { SessionSettings } from "../settings/session-settings.ts";
import { ClaudeRun } from "./claude-run.ts";
import type { EditorTools, EditorToolsLaunch } from "../editor-tools/editor-tools.ts";
import type { ConversationId } from "../session/conversation-id.ts";
import { type AskContext, askPermission } from "../permissions/ask-permission.ts";
import { forwardElicitation } from "../permissions/forward-elicitation.ts";
import type { SessionContext, SessionParams } from "../session/session-context.ts";

export interface ClaudeSupervisorOptions {
  readonly context: SessionContext;
  readonly params: SessionParams;
  readonly conversation: ConversationId;
  readonly settings: SessionSettings;
  readonly tools: EditorTools;
  readonly askContext: Omit<AskContext, "client" | "onBug">;
  /** The current CLI emitted an event. */
  readonly onEvent: (run: ClaudeRun, event: ConversationEvent) => void;
  /** The current CLI exited on its own. */
  readonly onClosed: (exit: ClaudeExit) => void;
}

export class ClaudeSupervisor {
  readonly #options: ClaudeSupervisorOptions;
  #current: ClaudeRun | undefined;
  /** Resolves when every discarded CLI has exited. */
  #exiting: Promise<unknown> | undefined;

  constructor(options: ClaudeSupervisorOptions) {
    this.#options = options;
  }

  /** The CLI that runs or is being started. */
  get current(): ClaudeRun | undefined {
    return this.#current;
  }

  /** Starts a CLI. Throws when the CLI cannot be started. */
  launch(): ClaudeRun {
    const { conversation, settings, tools, askContext } = this.#options;
    const { launcher, after, client, onBug, mayBypass: allowBypass } = this.#options.context;
    const { cwd, mcpServers, additionalDirectories: addDirs } = this.#options.params;
    const toolsLaunch = tools.prepareLaunch();
    const { kind, environment, initialize } = toolsLaunch;
    const launch = { session: conversation.target, ...settings.launch, ...toolsLaunch.launch, allowBypass, addDirs };
    const { sessionId } = conversation;
    const launched = launcher({ sessionId, cwd, launch, mcpServers, environment });
    const run: ClaudeRun = new ClaudeRun(launched, {
      after,
      tools: kind,
      initialize,
      onEvent: (event) => {
        if (run === this.#current) this.#options.onEvent(run, event);
      },
      onClosed: (exit) => {
        if (run !== this.#current) return;
        this.#current = undefined;
        this.#options.onClosed(exit);
      },
      onBug,
      handlers: hostHandlers(toolsLaunch, {
        ...askContext,
        client,
        onBug: (cause) => onBug("session/request_permission", cause),
      }),
    });
    this.#current = run;
    return run;
  }

  /** The CLI for the next prompt, started if necessary; undefined when `isWanted` has become false. */
  async ready(isWanted: () => boolean): Promise<ClaudeRun | undefined> {
    const { tools } = this.#options;
    if (this.#current?.tools !== tools.kind) this.releaseIfIdle("other tools were chosen");
    if (this.#exiting !== undefined) await this.#exiting;
    return isWanted() ? (this.#current ?? this.launch()) : undefined;
  }

  /** Stops the CLI unless it works or has background tasks. Returns false when the CLI keeps running. */
  releaseIfIdle(why: string): boolean {
    const run = this.#current;
    if (run === undefined) return true;
    if (run.isBusy || run.hasTasks) return false;
    this.discard(why);
    return true;
  }

  /** Stops the CLI and ignores everything it still sends. */
  discard(why: string): void {
    const run = this.#current;
    this.#current = undefined;
    if (run !== undefined) this.#exiting = Promise.all([this.#exiting, run.claude.stop(why)]);
  }

  /** Stops the CLI. Resolves when every CLI has exited and the editor tools are closed. */
  async close(reason: string): Promise<void> {
    this.discard(reason);
    await Promise.all([this.#exiting, this.#options.tools.close()]);
  }
}

/** Answers the CLI's control requests: permissions, hooks and MCP messages, elicitations. */
function hostHandlers(toolsLaunch: EditorToolsLaunch, context: AskContext): HostHandlers {
  return {
    ...toolsLaunch.handlers((request, signal) => askPermission(request, signal, context)),
    elicitation: (request, signal) => forwardElicitation(request, signal, context.client, context.sessionId),
  };
}
