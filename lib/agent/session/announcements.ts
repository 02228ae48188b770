/**
 * Remarks: what the editor is told about a session besides its conversation,
 * each thing once for each change.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { SlashCommand } from "../../claude/index.ts";
import { notice, type ClientView } from "../../claude/translate/index.ts";
import { editorCommands } from "./slash-commands.ts";

export class Announcer {
  readonly #view: ClientView;
  readonly #push: (update: SessionUpdate) => void;
  readonly #servers = new Set<string>();
  #commands: readonly SlashCommand[] = [];
  #terminalOnly: ReadonlySet<string> = new Set();
  #announced = "[]";

  constructor(view: ClientView, push: (update: SessionUpdate) => void) {
    this.#view = view;
    this.#push = push;
  }

  /** The commands there are, and which of them only a terminal can run. */
  announceCommands(announceCommands: readonly SlashCommand[] | undefined, terminalOnly?: readonly string[]): void {
    this.#commands = announceCommands ?? this.#commands;
    if (terminalOnly !== undefined) this.#terminalOnly = new Set(terminalOnly);
    const offered = editorCommands(this.#commands, this.#terminalOnly);
    const told = JSON.stringify(offered);
    if (told === this.#announced) return;
    this.#announced = told;
    this.#push(update.availableCommands(offered));
  }

  /** MCP servers; one that did not start is named once. */
  announceServers(announceServers: readonly { readonly name: string; readonly status?: string | undefined }[]): void {
    for (const { name, status } of announceServers) {
      if (status !== "failed" || this.#servers.has(name)) continue;
      this.#servers.add(name);
      this.#push(notice(this.#view, "warning", `The MCP server ${name} could not be started.`));
    }
  }
}
