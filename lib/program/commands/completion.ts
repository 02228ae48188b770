/**
 * Defines `bowline completion`: prints completion scripts for shells.
 */
import { command } from "../command.ts";
import { writeFileText } from "../print.ts";
import { scripts, type Shell } from "../completion/scripts.ts";
import { WrongUsage } from "../argv.ts";

const shells = ["bash", "zsh", "fish"] as const satisfies readonly Shell[];

export const completionCommand = command({
  name: "completion",
  summary: "print a completion script for a shell",
  operands: "bash | zsh | fish",
  operandCount: [1, 1],
  completes: shells,
  about: ["Prints a script that the shell loads. It completes every command, its options and their values."],
  options: {},
  examples: [
    { line: "source <(bowline completion bash)", about: "in ~/.bashrc" },
    { line: "source <(bowline completion zsh)", about: "in ~/.zshrc, after compinit" },
    { line: "bowline completion fish | source", about: "in ~/.config/fish/config.fish" },
  ],
  run: async ({ operands: [name] }, { stdout }) => {
    const shell = shells.find((one) => one === name);
    if (shell === undefined) throw new WrongUsage(`completion needs one of ${shells.join(", ")}`);
    const { commands } = await import("../index.ts");
    writeFileText(stdout, scripts[shell](commands));
    return 0;
  },
});
