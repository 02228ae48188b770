/**
 * Which of the two editor options this run of the live tests uses, and how that changes
 * what the user sees.
 *
 * `npm run test:live -- 10 01 11` runs the agent's tests with each option and with both.
 * A test of one option sets it itself.
 */

/** For the environment of an agent. */
export const throughEditor = {
  BOWLINE_EDITS: process.env["BOWLINE_EDITS"],
  BOWLINE_COMMANDS: process.env["BOWLINE_COMMANDS"],
} as const;

/** Files are read and written through the editor in this run. */
export const editsInEditor: boolean = throughEditor.BOWLINE_EDITS === "1";
/** Commands run in the editor's terminals in this run. */
export const commandsInEditor: boolean = throughEditor.BOWLINE_COMMANDS === "1";

/** For a play that is about the CLI's own tools. */
export const ownCommands = { BOWLINE_COMMANDS: "0" } as const;

/** How a command's tool call ends: with this text, or with the editor's own terminal. */
export function ended(status: "completed" | "failed", title: string, ...words: readonly string[]): string {
  return [`${status} ${title}`, ...(commandsInEditor ? ["(terminal)"] : words)].join(" · ");
}
