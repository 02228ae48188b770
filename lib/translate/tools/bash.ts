/**
 * Commands: the shell, and what looks after commands in the background.
 *
 * With a client that shows terminals the output goes there; otherwise it is a
 * console block. The exit code is told once, not as text.
 */
import { toolContent } from "../../acp/index.ts";
import type { Outcome } from "../outcome.ts";
import { oneLine, type View } from "../view.ts";
import { type Ending, fenced, type Input, textIn, type ToolFamily } from "./family.ts";

export const bash: ToolFamily = {
  names: ["bash", "shell", "command", "powershell"],
  kind: "execute",
  titleFields: ["command"],
  open: (input, view) => {
    const description = textIn(input, "description");
    return {
      title: oneLine(textIn(input, "command") ?? "Run a command"),
      isTerminal: true,
      ...(!view.showsTerminals && description !== undefined && { content: [toolContent.block(description)] }),
      rawInput: input,
    };
  },
  end: commandEnding,
};

/** Tools that speak of a command started earlier. */
export const background: ToolFamily = {
  names: ["bashoutput", "killshell", "killbash", "taskoutput", "taskstop", "agentoutput", "monitor"],
  kind: "execute",
  titleFields: ["bash_id", "shell_id", "task_id", "description"],
  open: (input, _view, name) => {
    const id = textIn(input, "bash_id", "shell_id", "task_id", "agentId");
    const verb = /kill|stop/i.test(name) ? "Stop" : "Output of";
    return { title: id === undefined ? `${verb} a background task` : `${verb} background task ${id}`, rawInput: input };
  },
  end: (_input, outcome) => ({ content: consoleBlock(outcome.text) }),
};

function commandEnding(_input: Input, outcome: Outcome, view: View): Ending {
  const { output, exitCode } = readCommand(outcome);
  if (view.showsTerminals) return { terminal: { output, exitCode } };
  return { content: outcome.notRun === undefined ? consoleBlock(output) : [toolContent.block(output)] };
}

interface Finished {
  readonly output: string;
  /** Null when there is none: it was killed, never ran, or runs on. */
  readonly exitCode: number | null;
}

function readCommand(outcome: Outcome): Finished {
  const { structured, text } = outcome;
  if (outcome.notRun !== undefined) return { output: text, exitCode: null };
  const failed = /^(?:Error: )?Exit code (\d+)\n?([\s\S]*)$/.exec(text);
  if (failed) return { output: failed[2] ?? "", exitCode: Number(failed[1]) };
  if (outcome.isError) return { output: text, exitCode: null };
  if (typeof structured?.["backgroundTaskId"] === "string") {
    return { output: `Running in the background as ${structured["backgroundTaskId"]}.`, exitCode: null };
  }
  const stdout = structured?.["stdout"];
  const stderr = structured?.["stderr"];
  if (typeof stdout !== "string")
    return { output: text === "(Bash completed with no output)" ? "" : text, exitCode: 0 };
  return {
    output: [stdout, typeof stderr === "string" ? stderr : ""].filter((part) => part !== "").join("\n"),
    exitCode: 0,
  };
}

function consoleBlock(text: string): readonly ReturnType<typeof toolContent.block>[] {
  return text.trim() === "" ? [] : [toolContent.block(fenced(text, "console"))];
}
