/**
 * Defines `bowline install`: writes or prints what a client needs to start Bowline.
 */
import { homedir } from "node:os";
import { reportStyle } from "../ansi.ts";
import { WrongUsage } from "../argv.ts";
import { command, CommandFailure } from "../command.ts";
import { confirm } from "../confirm.ts";
import { editorNames, editorSetups, isEditorName } from "../install/editors.ts";
import { backupOf, install, type SettingsEntry, undo, withEntry } from "../install/settings-change.ts";
import { printLine, printText } from "../print.ts";
import { selfCommand } from "../self-command.ts";
import { diffPreview } from "../zed/diff-preview.ts";
import { readSettings } from "../zed/settings.ts";

const defaultName = "Claude Agent (Bowline)";

export const installCommand = command({
  name: "install",
  summary: "set up an editor: zed, jetbrains, acpx, nvim or emacs",
  operands: `<${editorNames.join("|")}>`,
  operandCount: [1, 1],
  about: [
    "Writes the entry that the client needs into its settings file, with the paths of this program: it shows the change and asks first, keeps everything else in the file, including comments, and keeps a copy of the file as it was. For Neovim and Emacs, whose configuration is a program, it prints the lines to add.",
    "--undo restores the file, unless it has changed since.",
  ],
  options: {
    "--dry-run": { about: "show the change and write nothing" },
    "--yes": { about: "do not ask" },
    "--undo": { about: "restore the settings as they were before" },
    "--name": { value: "<text>", about: `the name that the client shows (default ${defaultName})` },
    "--settings": {
      value: "<file>",
      about: "the settings file (default: where the client looks for it)",
      completes: "file",
    },
  },
  environment: { NO_COLOR: "1: no colours" },
  exitCodes: {
    0: "the entry was written, shown or undone, or was already there",
    1: "nothing was changed; stderr says why",
  },
  examples: [
    { line: "bowline install jetbrains --dry-run", about: "show what would change" },
    { line: "bowline install zed --undo", about: "restore the settings as they were" },
  ],
  seeAlso: ["zed", "doctor", "docs/tools.md"],
  run: async ({ options, operands: [editor = ""] }, terminal) => {
    const { stdout, stderr, env } = terminal;
    if (!isEditorName(editor)) throw new WrongUsage(`install needs one of ${editorNames.join(", ")}`);
    const setup = editorSetups[editor];
    const agent = selfCommand();
    if (setup.kind === "lines") {
      if (options["--undo"]) throw new CommandFailure("nothing was written: remove the lines that you added");
      printText(stdout, setup.lines(agent));
      printLine(stderr, `bowline: add the lines for your plugin to the configuration of ${setup.title}`);
      return 0;
    }
    const machine = { env, platform: process.platform, home: env["HOME"] || homedir() };
    const change: SettingsEntry = {
      file: options["--settings"] ?? setup.file(machine),
      path: setup.path(options["--name"] ?? defaultName),
      entry: setup.entry(agent),
    };
    if (options["--undo"]) {
      undo(change);
      printLine(stdout, `${change.file} is as it was`);
      return 0;
    }
    const before = readSettings(change.file);
    const after = withEntry(before, change);
    if (after === before) {
      printLine(stdout, `${change.file} has it already`);
      return 0;
    }
    printText(stdout, `${change.file}\n${diffPreview(before, after, reportStyle(stdout, env))}`);
    if (options["--dry-run"]) return 0;
    if (!options["--yes"]) await confirm("write this? [y/N] ", terminal);
    install(change, before, after);
    printLine(stdout, `written; ${setup.next}`);
    printLine(
      stderr,
      `bowline: the file as it was is ${backupOf(change.file)}; bowline install ${editor} --undo restores it`,
    );
    return 0;
  },
});
