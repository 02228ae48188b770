/**
 * Runs: the CLIs behind a session, one at a time.
 *
 * A session outlives its CLI: whatever became of one, the next is started with the
 * conversation it had and with what is chosen by then. No two write to the same
 * file: one that was given up is gone before the next begins.
 */
import type { ClaudeExit, ConversationEvent } from "../../claude/index.ts";
import type { SessionSettings } from "../settings/session-settings.ts";
import { ClaudeRun } from "./claude-run.ts";
import type { EditorTools } from "../editor-tools/editor-tools.ts";
import { hostHandlers } from "./host-handlers.ts";
import type { ConversationId } from "../session/conversation-id.ts";
import type { AskContext } from "../permissions/ask-permission.ts";
import type { SessionContext, SessionParams } from "../session/session-context.ts";

export interface ClaudeSupervisorOptions {
  readonly session: SessionContext;
  readonly setup: SessionParams;
  readonly conversation: ConversationId;
  readonly settings: SessionSettings;
  readonly tools: EditorTools;
  readonly asking: Omit<AskContext, "client" | "onBug">;
  /** The CLI that runs says something. */
  readonly onEvent: (cli: ClaudeRun, event: ConversationEvent) => void;
  /** It is gone, and nobody had asked it to go. */
  readonly onClosed: (exit: ClaudeExit) => void;
}

export class ClaudeSupervisor {
  readonly #options: ClaudeSupervisorOptions;
  #current: ClaudeRun | undefined;
  #leaving: Promise<unknown> | undefined;

  constructor(options: ClaudeSupervisorOptions) {
    this.#options = options;
  }

  /** The CLI that is there, or on its way. */
  get current(): ClaudeRun | undefined {
    return this.#current;
  }

  /** Starts a CLI. Throws when nothing can be started. */
  launch(): ClaudeRun {
    const { conversation, settings, tools, asking } = this.#options;
    const { launcher, after, client, onBug, mayBypass: allowBypass } = this.#options.session;
    const { cwd, mcpServers, additionalDirectories: addDirs } = this.#options.setup;
    const setup = tools.cliSetup();
    const { kind, environment, initialize } = setup;
    const launch = { session: conversation.target, ...settings.launch, ...setup.launch, allowBypass, addDirs };
    const { sessionId } = conversation;
    const launched = launcher({ sessionId, cwd, launch, mcpServers, environment });
    const cli: ClaudeRun = new ClaudeRun(launched, {
      after,
      tools: kind,
      initialize,
      onEvent: (event) => cli === this.#current && this.#options.onEvent(cli, event),
      onClosed: (exit) => {
        if (cli !== this.#current) return;
        this.#current = undefined;
        this.#options.onClosed(exit);
      },
      onBug,
      handlers: hostHandlers(setup, {
        ...asking,
        client,
        onBug: (cause) => onBug("session/request_permission", cause),
      }),
    });
    this.#current = cli;
    return cli;
  }

  /** The CLI for the next prompt; undefined when nobody wants one any more. */
  async ready(isWanted: () => boolean): Promise<ClaudeRun | undefined> {
    const { tools } = this.#options;
    if (this.#current?.tools !== tools.kind) this.releaseIfIdle("other tools were chosen");
    if (this.#leaving !== undefined) await this.#leaving;
    return isWanted() ? (this.#current ?? this.launch()) : undefined;
  }

  /** Gives the CLI back; the next prompt brings it back with the conversation. False: it is needed. */
  releaseIfIdle(why: string): boolean {
    const cli = this.#current;
    if (cli === undefined) return true;
    if (cli.isBusy || cli.hasTasks) return false;
    this.discard(why);
    return true;
  }

  /** The CLI is no longer ours, whatever it does. */
  discard(why: string): void {
    const cli = this.#current;
    this.#current = undefined;
    if (cli !== undefined) this.#leaving = Promise.all([this.#leaving, cli.claude.stop(why)]);
  }

  /** Resolves when nothing runs. */
  async close(reason: string): Promise<void> {
    this.discard(reason);
    await Promise.all([this.#leaving, this.#options.tools.close()]);
  }
}
