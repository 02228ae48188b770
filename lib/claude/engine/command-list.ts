/**
 * The slash commands of a conversation, reported when they have changed.
 */
import type { AvailableCommand } from "../../acp/index.ts";
import type { SlashCommand } from "../index.ts";
import { offeredCliCommands } from "./offered-commands.ts";

export class CommandList {
  readonly #onChanged: (commands: readonly AvailableCommand[]) => void;
  #commands: readonly SlashCommand[] = [];
  #terminalOnly: ReadonlySet<string> = new Set();
  /** The list as it was last reported, as JSON. */
  #reported = "[]";

  constructor(onChanged: (commands: readonly AvailableCommand[]) => void) {
    this.#onChanged = onChanged;
  }

  /** `terminalOnly` names commands that need the CLI's own terminal. What is left out keeps its last value. */
  set(changed: {
    readonly commands?: readonly SlashCommand[] | undefined;
    readonly terminalOnly?: readonly string[] | undefined;
  }): void {
    this.#commands = changed.commands ?? this.#commands;
    if (changed.terminalOnly !== undefined) this.#terminalOnly = new Set(changed.terminalOnly);
    const offered = offeredCliCommands(this.#commands, this.#terminalOnly);
    const encoded = JSON.stringify(offered);
    if (encoded === this.#reported) return;
    this.#reported = encoded;
    this.#onChanged(offered);
  }
}
