/**
 * Runs: the CLIs behind a session, one at a time.
 *
 * A session outlives its CLI: whatever became of one, the next is started with the
 * conversation it had and with what is chosen by then. No two write to the same
 * file: one that was given up is gone before the next begins.
 */
import type { ClaudeExit, ConversationEvent } from "../claude/index.ts";
import type { Choices } from "./choices.ts";
import { Cli } from "./cli.ts";
import type { EditorTools } from "./editor-tools.ts";
import { hostHandlers } from "./host.ts";
import type { Identity } from "./identity.ts";
import type { Asking } from "./permissions.ts";
import type { SessionEnds, SessionSetup } from "./session-setup.ts";

export interface RunsEnds {
  readonly session: SessionEnds;
  readonly setup: SessionSetup;
  readonly identity: Identity;
  readonly choices: Choices;
  readonly tools: EditorTools;
  readonly asking: Omit<Asking, "client" | "onBug">;
  /** The CLI that runs says something. */
  readonly onEvent: (cli: Cli, event: ConversationEvent) => void;
  /** It is gone, and nobody had asked it to go. */
  readonly onClosed: (exit: ClaudeExit) => void;
}

export class Runs {
  readonly #ends: RunsEnds;
  #current: Cli | undefined;
  #leaving: Promise<unknown> | undefined;

  constructor(ends: RunsEnds) {
    this.#ends = ends;
  }

  /** The CLI that is there, or on its way. */
  get current(): Cli | undefined {
    return this.#current;
  }

  /** Starts a CLI. Throws when nothing can be started. */
  launch(): Cli {
    const { identity, choices, tools, asking } = this.#ends;
    const { launcher, after, client, onBug, mayBypass: allowBypass } = this.#ends.session;
    const { cwd, mcpServers, additionalDirectories: addDirs } = this.#ends.setup;
    const outfit = tools.outfit();
    const { kind, environment, initialize } = outfit;
    const launch = { session: identity.choice, ...choices.launch, ...outfit.launch, allowBypass, addDirs };
    const { sessionId } = identity;
    const launched = launcher({ sessionId, cwd, launch, mcpServers, environment });
    const cli: Cli = new Cli(launched, {
      after,
      tools: kind,
      initialize,
      onEvent: (event) => cli === this.#current && this.#ends.onEvent(cli, event),
      onClosed: (exit) => {
        if (cli !== this.#current) return;
        this.#current = undefined;
        this.#ends.onClosed(exit);
      },
      onBug,
      handlers: hostHandlers(outfit, {
        ...asking,
        client,
        onBug: (cause) => onBug("session/request_permission", cause),
      }),
    });
    this.#current = cli;
    return cli;
  }

  /** The CLI for the next prompt; undefined when nobody wants one any more. */
  async ready(isWanted: () => boolean): Promise<Cli | undefined> {
    const { tools } = this.#ends;
    if (this.#current?.tools !== tools.kind) this.giveBack("other tools were chosen");
    if (this.#leaving !== undefined) await this.#leaving;
    return isWanted() ? (this.#current ?? this.launch()) : undefined;
  }

  /** Gives the CLI back; the next prompt brings it back with the conversation. False: it is needed. */
  giveBack(why: string): boolean {
    const cli = this.#current;
    if (cli === undefined) return true;
    if (cli.isBusy || cli.hasTasks) return false;
    this.giveUp(why);
    return true;
  }

  /** The CLI is no longer ours, whatever it does. */
  giveUp(why: string): void {
    const cli = this.#current;
    this.#current = undefined;
    if (cli !== undefined) this.#leaving = Promise.all([this.#leaving, cli.engine.stop(why)]);
  }

  /** Resolves when nothing runs. */
  async close(reason: string): Promise<void> {
    this.giveUp(reason);
    await Promise.all([this.#leaving, this.#ends.tools.close()]);
  }
}
