/**
 * The background tasks of a conversation: subagents and commands, as the CLI reports them.
 *
 * The list is that of the CLI's last `background_tasks_changed`. A CLI that has ended has no
 * tasks.
 */
import { type BackgroundTask, EngineFailure } from "../../engine/index.ts";
import { sliceWhole } from "../../schema/index.ts";
import type { OutgoingControlRequests, SystemEvent } from "../index.ts";

export interface BackgroundTasksOptions {
  /** The last text of the subagent that a tool call has started. */
  readonly lastWords: (toolCallId: string) => string | undefined;
  /** Milliseconds of a clock that does not jump. */
  readonly now: () => number;
}

interface TaskFacts {
  readonly startedMs: number;
  readonly kind: BackgroundTask["kind"];
  readonly title: string;
  readonly toolCallId: string | undefined;
  /** What a subagent does now, in the CLI's words. */
  readonly progress: string | undefined;
}

/** The most tasks that are remembered; the oldest are forgotten first. */
const maxTasks = 200;
const maxOutputChars = 2000;

const kinds: Readonly<Record<string, BackgroundTask["kind"]>> = { local_agent: "subagent", local_bash: "command" };

export class BackgroundTasks {
  readonly #options: BackgroundTasksOptions;
  readonly #facts = new Map<string, TaskFacts>();
  #running: readonly string[] = [];

  constructor(options: BackgroundTasksOptions) {
    this.#options = options;
  }

  onEvent(event: SystemEvent): void {
    if (event.subtype === "task_started") {
      this.#note(event.task_id, event.task_type, event.description, event.tool_use_id);
    } else if (event.subtype === "task_progress") {
      const facts = this.#facts.get(event.task_id);
      const progress = event.summary ?? event.description ?? event.last_tool_name;
      if (facts !== undefined && progress !== undefined) this.#facts.set(event.task_id, { ...facts, progress });
    } else if (event.subtype === "task_notification") {
      this.#facts.delete(event.task_id);
    } else if (event.subtype === "background_tasks_changed") {
      const tasks = event.tasks.slice(0, maxTasks);
      this.#running = tasks.map(({ task_id }) => task_id);
      for (const one of tasks) this.#note(one.task_id, one.task_type, one.description);
    }
  }

  /** The CLI has ended, and its tasks with it. */
  clear(): void {
    this.#running = [];
    this.#facts.clear();
  }

  async list(control: OutgoingControlRequests): Promise<readonly BackgroundTask[]> {
    const facts = this.#running.flatMap((id) => {
      const one = this.#facts.get(id);
      return one === undefined ? [] : [{ id, ...one }];
    });
    facts.sort((one, other) => one.startedMs - other.startedMs);
    return Promise.all(
      facts.map(async ({ id, kind, title, startedMs, toolCallId, progress }): Promise<BackgroundTask> => {
        const printed = kind === "subagent" ? undefined : await outputOf(control, id);
        const said = toolCallId === undefined ? undefined : this.#options.lastWords(toolCallId);
        const lastOutput = tail(printed ?? said ?? progress);
        return {
          id,
          kind,
          title,
          ageMs: Math.round(this.#options.now() - startedMs),
          ...(toolCallId !== undefined && { toolCallId }),
          ...(lastOutput !== undefined && { lastOutput }),
        };
      }),
    );
  }

  async stop(control: OutgoingControlRequests, id: string): Promise<void> {
    if (!this.#running.includes(id)) throw new EngineFailure("invalid", "taskId must be that of a task that runs");
    await control.request("stop_task", { task_id: id });
  }

  #note(id: string, type: string | undefined, title: string | undefined, toolCallId?: string): void {
    const before = this.#facts.get(id);
    this.#facts.set(id, {
      startedMs: before?.startedMs ?? this.#options.now(),
      kind: kinds[type ?? ""] ?? before?.kind ?? "other",
      title: title ?? before?.title ?? "a task",
      toolCallId: toolCallId ?? before?.toolCallId,
      progress: before?.progress,
    });
    const [oldest] = this.#facts.keys();
    if (this.#facts.size > maxTasks && oldest !== undefined) this.#facts.delete(oldest);
  }
}

/** Undefined when the task has no output of its own, or has just ended. */
async function outputOf(control: OutgoingControlRequests, task_id: string): Promise<string | undefined> {
  const answer = await control.request("get_task_output", { task_id }).catch(() => undefined);
  return answer?.output;
}

function tail(text: string | undefined): string | undefined {
  const whole = text?.trimEnd() ?? "";
  if (whole === "") return undefined;
  return whole.length <= maxOutputChars ? whole : sliceTail(whole);
}

/** The last characters, without half a surrogate pair at the cut. */
function sliceTail(text: string): string {
  const end = text.slice(-maxOutputChars);
  return /^[\uDC00-\uDFFF]/.test(end) ? sliceWhole(end.slice(1), maxOutputChars) : end;
}
