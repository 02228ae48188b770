/**
 * `/tasks`: lists what runs in the background, and stops a task.
 *
 * `/tasks` shows the list and asks which task to stop. `/tasks stop 2` stops the second one,
 * `/tasks stop all` every one. Works while a turn runs.
 */
import { durationWords, fenced, oneLine } from "../../display/index.ts";
import type { BackgroundTask, TaskControl } from "../../engine/index.ts";
import { markInvisible } from "../../schema/index.ts";
import type { ChoiceQuestion } from "../permissions/choose.ts";
import type { LocalCommand } from "../session/local-commands.ts";

export interface TasksCommandOptions {
  readonly isOffered: () => boolean;
  readonly tasks: TaskControl;
  /** Undefined when the user chose nothing. */
  readonly choose: <Value>(question: ChoiceQuestion<Value>, signal: AbortSignal) => Promise<Value | undefined>;
  /** Shows a text at once. */
  readonly say: (text: string) => void;
}

const maxTitleChars = 100;
const maxOutputLines = 5;

export function tasksCommand(options: TasksCommandOptions): LocalCommand {
  return {
    name: "tasks",
    description: "List what runs in the background, and stop it",
    hint: "[stop <number> | stop all]",
    isOffered: options.isOffered,
    run: (argument, signal) => runTasks(argument, signal, options),
  };
}

async function runTasks(argument: string, signal: AbortSignal, options: TasksCommandOptions): Promise<string> {
  const { tasks, choose, say } = options;
  const running = await tasks.list();
  const [word = "", which = ""] = argument.split(/\s+/);
  if (argument !== "" && word !== "stop") return "Use `/tasks`, `/tasks stop <number>` or `/tasks stop all`.";
  if (running.length === 0) return "Nothing runs in the background.";
  if (word === "stop" && which === "all") return stop(running, tasks);
  if (word === "stop" && which !== "") {
    const named = /^\d+$/.test(which) ? running[Number(which) - 1] : running.find(({ id }) => id === which);
    return named === undefined ? `/tasks stop takes a number from 1 to ${running.length}.` : stop([named], tasks);
  }
  say(tasksText(running));
  const choices = [
    ...running.map((task) => ({ value: [task], label: `Stop ${oneLine(task.title, maxTitleChars)}` })),
    ...(running.length > 1 ? [{ value: running, label: "Stop all" }] : []),
  ];
  const chosen = await choose({ title: "Stop a task in the background?", choices }, signal);
  return chosen === undefined ? "Nothing was stopped." : stop(chosen, tasks);
}

async function stop(chosen: readonly BackgroundTask[], tasks: TaskControl): Promise<string> {
  for (const { id } of chosen) await tasks.stop(id);
  return markInvisible(`Stopped: ${chosen.map(({ title }) => oneLine(title, maxTitleChars)).join("; ")}.`);
}

const kindNames = { subagent: "Subagent", command: "Command", other: "Task" } as const;

function tasksText(running: readonly BackgroundTask[]): string {
  const rows = running.map(({ kind, title, ageMs, lastOutput }, i) => {
    const age = ageMs === undefined ? "" : `, for ${durationWords(ageMs)}`;
    const last = lastOutput === undefined ? "" : `\n\n${fenced(lastLines(lastOutput))}`;
    return `**${i + 1}. ${kindNames[kind]}${age}**: ${oneLine(title, maxTitleChars)}${last}`;
  });
  const count = `${running.length} ${running.length === 1 ? "task runs" : "tasks run"} in the background.`;
  return markInvisible([count, ...rows].join("\n\n"));
}

function lastLines(text: string): string {
  return text.split("\n").slice(-maxOutputLines).join("\n");
}
