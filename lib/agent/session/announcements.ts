/**
 * Sends updates about a session that are not part of the conversation: the available
 * slash commands, and MCP servers that did not start.
 *
 * The command list is sent only when it has changed. Each failed server is reported
 * once.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { SlashCommand } from "../../claude/index.ts";
import { notice, type ClientView } from "../../display/index.ts";
import { editorCommands } from "./slash-commands.ts";

export class Announcer {
  readonly #view: ClientView;
  readonly #push: (update: SessionUpdate) => void;
  /** MCP servers that were reported as failed. */
  readonly #reported = new Set<string>();
  #commands: readonly SlashCommand[] = [];
  #terminalOnly: ReadonlySet<string> = new Set();
  /** The command list as it was last sent, as JSON. */
  #sent = "[]";

  constructor(view: ClientView, push: (update: SessionUpdate) => void) {
    this.#view = view;
    this.#push = push;
  }

  /** `terminalOnly` names commands that need the CLI's own terminal. An argument left undefined keeps its last value. */
  announceCommands(commands: readonly SlashCommand[] | undefined, terminalOnly?: readonly string[]): void {
    this.#commands = commands ?? this.#commands;
    if (terminalOnly !== undefined) this.#terminalOnly = new Set(terminalOnly);
    const offered = editorCommands(this.#commands, this.#terminalOnly);
    const encoded = JSON.stringify(offered);
    if (encoded === this.#sent) return;
    this.#sent = encoded;
    this.#push(update.availableCommands(offered));
  }

  announceServers(servers: readonly { readonly name: string; readonly status?: string | undefined }[]): void {
    for (const { name, status } of servers) {
      if (status !== "failed" || this.#reported.has(name)) continue;
      this.#reported.add(name);
      this.#push(notice(this.#view, "warning", `The MCP server ${name} could not be started.`));
    }
  }
}
