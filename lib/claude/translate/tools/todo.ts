/**
 * Tool families of the model's todo list.
 *
 * The list itself becomes the plan of the session; the call shows only the progress. The
 * raw input also has what a plan cannot hold: the wording of each step while it is done.
 */
import { isRecord, textIn } from "../../../schema/index.ts";
import { titleLine } from "../../../display/index.ts";
import { type ToolInput, plainEnd, type ToolFamily } from "./tool-family.ts";

export const todo: ToolFamily = {
  names: ["todowrite", "todoread"],
  kind: "think",
  titleFields: [],
  open: (input, _view, name) =>
    name.toLowerCase() === "todoread"
      ? { title: "Look at the plan" }
      : { title: progress(input["todos"]), rawInput: input },
  end: (call, outcome) => (outcome.isError ? plainEnd(call, outcome) : { content: [] }),
};

export const task: ToolFamily = {
  names: ["taskcreate", "taskupdate", "tasklist", "taskget"],
  kind: "think",
  titleFields: ["subject"],
  open: (input, _view, name) => ({ title: titleLine(taskTitle(input, name.toLowerCase())) }),
  end: (call, outcome) => (outcome.isError ? plainEnd(call, outcome) : { content: [] }),
};

function progress(todos: unknown): string {
  const list = Array.isArray(todos) ? todos.filter(isRecord) : [];
  if (list.length === 0) return "Update the plan";
  const done = list.filter(({ status }) => status === "completed").length;
  return `Update the plan (${done} of ${list.length} done)`;
}

function taskTitle(input: ToolInput, name: string): string {
  switch (name) {
    case "taskcreate":
      return `Plan: ${textIn(input, "subject") ?? "a new step"}`;
    case "taskupdate": {
      const status = textIn(input, "status")?.replaceAll("_", " ");
      return `Plan: step ${textIn(input, "taskId") ?? ""}${status === undefined ? "" : ` is ${status}`}`;
    }
    default:
      return "Look at the plan";
  }
}
