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
  summary: "print what a shell needs to complete bowline's words",
  operands: "bash | zsh | fish",
  operandCount: [1, 1],
  completes: shells,
  about: ["Prints a script for the shell to read. It knows every command, its options and what their values may be."],
  options: {},
  examples: [
    { line: "source <(bowline completion bash)", about: "in ~/.bashrc" },
    { line: "source <(bowline completion zsh)", about: "in ~/.zshrc, after compinit" },
    { line: "bowline completion fish | source", about: "in ~/.config/fish/config.fish" },
  ],
  run: async ({ operands: [name] }, { stdout }) => {
    const shell = shells.find((one) => one === name);
    if (shell === undefined) throw new WrongUsage(`completion is made for ${shells.join(", ")}`);
    const { commands } = await import("../index.ts");
    writeFileText(stdout, scripts[shell](commands));
    return 0;
  },
});
