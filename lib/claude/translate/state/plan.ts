/**
 * Tracks the model's plan and emits the whole plan each time it changes.
 *
 * Two kinds of tools write it: TodoWrite sends the whole list, the Task tools (TaskCreate,
 * TaskUpdate, TaskList) change single entries.
 */
import { type PlanEntry, planEntry, type PlanEntryStatus, type SessionUpdate, update } from "../../../acp/index.ts";
import { isRecord } from "../../../schema/index.ts";
import type { ToolInput } from "../tools/index.ts";

interface Task {
  readonly content: string;
  readonly status: PlanEntryStatus;
}

export class PlanTracker {
  readonly #tasks = new Map<string, Task>();
  #isShown = false;

  /** Handles a call of TodoWrite, whose input holds the list. */
  called(name: string, input: ToolInput): SessionUpdate | undefined {
    if (name.toLowerCase() !== "todowrite" || !Array.isArray(input["todos"])) return undefined;
    const entries = input["todos"].flatMap((todo): readonly PlanEntry[] => entryOf(todo, "content"));
    this.#isShown = entries.length > 0;
    return update.plan(entries);
  }

  /** Handles the result of a Task tool, whose structured result holds the change. */
  answered(
    name: string,
    input: ToolInput,
    structured: Readonly<Record<string, unknown>> | undefined,
  ): SessionUpdate | undefined {
    switch (name.toLowerCase()) {
      case "taskcreate": {
        const task = structured?.["task"];
        if (!isRecord(task) || typeof task["subject"] !== "string") return undefined;
        this.#tasks.set(idOf(task["id"]), { content: task["subject"], status: "pending" });
        return this.#whole();
      }
      case "taskupdate":
        return structured?.["success"] === true ? this.#change(input) : undefined;
      case "tasklist":
        return this.#replace(structured?.["tasks"]);
      default:
        return undefined;
    }
  }

  /** The conversation was cleared: empties a plan that is shown. */
  cleared(): SessionUpdate | undefined {
    if (!this.#isShown) return undefined;
    this.#tasks.clear();
    return this.#whole();
  }

  #change(input: ToolInput): SessionUpdate | undefined {
    const id = idOf(input["taskId"]);
    if (input["status"] === "deleted") return this.#tasks.delete(id) ? this.#whole() : undefined;
    const task = this.#tasks.get(id);
    if (task === undefined) return undefined;
    const content = typeof input["subject"] === "string" ? input["subject"] : task.content;
    this.#tasks.set(id, { content, status: statusOf(input["status"]) ?? task.status });
    return this.#whole();
  }

  #replace(tasks: unknown): SessionUpdate | undefined {
    if (!Array.isArray(tasks)) return undefined;
    this.#tasks.clear();
    for (const task of tasks) {
      const [entry] = entryOf(task, "subject");
      if (entry !== undefined && isRecord(task)) this.#tasks.set(idOf(task["id"]), entry);
    }
    return this.#whole();
  }

  #whole(): SessionUpdate {
    this.#isShown = this.#tasks.size > 0;
    return update.plan([...this.#tasks.values()].map(({ content, status }) => planEntry(content, status)));
  }
}

/** Ids are strings, or numbers in older CLIs. */
function idOf(id: unknown): string {
  return typeof id === "string" || typeof id === "number" ? String(id) : "";
}

function entryOf(value: unknown, field: "content" | "subject"): readonly PlanEntry[] {
  if (!isRecord(value) || typeof value[field] !== "string") return [];
  return [planEntry(value[field], statusOf(value["status"]) ?? "pending")];
}

function statusOf(status: unknown): PlanEntryStatus | undefined {
  return status === "pending" || status === "in_progress" || status === "completed" ? status : undefined;
}
