/**
 * Tool family of shell commands, and of the tools that control background commands.
 *
 * If the client shows terminals, output and exit code are sent as terminal metadata.
 * Otherwise they are shown as a console block and a line below it.
 */
import { toolContent } from "../../../acp/index.ts";
import { isRecord, textIn } from "../../../schema/index.ts";
import type { Outcome } from "../tool-outcome.ts";
import { fenced, titleLine, type ClientView } from "../../../display/index.ts";
import { type EndedCall, type CallEnd, plainEnd, type ToolFamily } from "./tool-family.ts";

export const bash: ToolFamily = {
  names: ["bash", "shell", "command", "powershell"],
  kind: "execute",
  titleFields: ["command"],
  open: (input, view) => {
    const description = textIn(input, "description");
    return {
      title: titleLine(textIn(input, "command") ?? "Run a command"),
      isTerminal: true,
      ...(!view.showsTerminals && description !== undefined && { content: [toolContent.block(description)] }),
      rawInput: input,
    };
  },
  end: commandEnd,
};

/** Tools that read the output of, or stop, a command started earlier. */
export const background: ToolFamily = {
  names: ["bashoutput", "killshell", "killbash", "taskoutput", "taskstop", "agentoutput"],
  kind: "execute",
  titleFields: ["bash_id", "shell_id", "task_id"],
  open: (input, _view, name) => {
    const id = textIn(input, "bash_id", "shell_id", "task_id", "agentId");
    const verb = /kill|stop/i.test(name) ? "Stop" : "Output of";
    return { title: id === undefined ? `${verb} a background task` : `${verb} background task ${id}`, rawInput: input };
  },
  end: (call, outcome) => {
    if (outcome.isError) return plainEnd(call, outcome);
    const message = textIn(outcome.structured ?? {}, "message");
    return { content: message === undefined ? consoleBlock(outcome.text) : [toolContent.block(message)] };
  },
};

/** A background command, or a WebSocket, whose output the model receives as it arrives. */
export const monitor: ToolFamily = {
  names: ["monitor"],
  kind: "execute",
  titleFields: ["command", "ws"],
  open: (input) => {
    const description = textIn(input, "description");
    const address = isRecord(input["ws"]) ? textIn(input["ws"], "url") : undefined;
    const what = textIn(input, "command") ?? (address === undefined ? "a command" : `the WebSocket ${address}`);
    return {
      title: titleLine(`Watch ${what}`),
      ...(description !== undefined && { content: [toolContent.block(description)] }),
      rawInput: input,
    };
  },
  end: (call, outcome) => {
    const id = textIn(outcome.structured ?? {}, "taskId");
    if (outcome.isError || id === undefined) return plainEnd(call, outcome);
    return { content: [toolContent.block(`Running in the background as ${id}.`)] };
  },
};

function commandEnd(_call: EndedCall, outcome: Outcome, view: ClientView): CallEnd {
  const { output, exitCode } = readCommand(outcome);
  if (view.showsTerminals) return { terminal: { output, exitCode } };
  if (outcome.notRun !== undefined) return { content: [toolContent.block(output)] };
  const failure = exitCode === null || exitCode === 0 ? [] : [toolContent.block(`Exit code ${exitCode}`)];
  return { content: [...consoleBlock(output), ...failure] };
}

interface CommandResult {
  readonly output: string;
  /** Null when there is none: the command was killed, did not run, or still runs. */
  readonly exitCode: number | null;
}

function readCommand(outcome: Outcome): CommandResult {
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
