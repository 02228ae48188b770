/**
 * Schemas of `system` events about tasks: subagents, and commands in the background.
 */
import {
  boolean,
  items,
  lenient,
  literal,
  number,
  object,
  open,
  type Schema,
  type Static,
  string,
} from "../../schema/index.ts";
import { commonFields } from "./common-fields.ts";

/** The kind of a task: `local_agent`, `local_bash` or one of later CLIs. */
const TaskType = open("local_agent", "local_bash");

const taskUsage = object({
  total_tokens: lenient(number),
  tool_uses: lenient(number),
  duration_ms: lenient(number),
});
export interface TaskUsage extends Static<typeof taskUsage> {}
export const TaskUsage: Schema<TaskUsage> = taskUsage;

const taskStarted = object({
  type: literal("system"),
  subtype: literal("task_started"),
  task_id: string,
  run_id: lenient(string),
  tool_use_id: lenient(string),
  description: lenient(string),
  subagent_type: lenient(string),
  is_backgrounded: lenient(boolean),
  task_type: lenient(TaskType),
  prompt: lenient(string),
  parent_task_id: lenient(string),
  ...commonFields,
});
export interface SystemTaskStarted extends Static<typeof taskStarted> {}
export const SystemTaskStarted: Schema<SystemTaskStarted> = taskStarted;

const taskProgress = object({
  type: literal("system"),
  subtype: literal("task_progress"),
  task_id: string,
  run_id: lenient(string),
  tool_use_id: lenient(string),
  description: lenient(string),
  subagent_type: lenient(string),
  usage: lenient(TaskUsage),
  last_tool_name: lenient(string),
  summary: lenient(string),
  ...commonFields,
});
export interface SystemTaskProgress extends Static<typeof taskProgress> {}
export const SystemTaskProgress: Schema<SystemTaskProgress> = taskProgress;

const taskPatch = object({
  status: lenient(open("pending", "running", "completed", "failed", "killed", "paused")),
  description: lenient(string),
  end_time: lenient(number),
  error: lenient(string),
  is_backgrounded: lenient(boolean),
});
export interface TaskPatch extends Static<typeof taskPatch> {}
export const TaskPatch: Schema<TaskPatch> = taskPatch;

const taskUpdated = object({
  type: literal("system"),
  subtype: literal("task_updated"),
  task_id: string,
  run_id: lenient(string),
  patch: lenient(TaskPatch),
  ...commonFields,
});
export interface SystemTaskUpdated extends Static<typeof taskUpdated> {}
export const SystemTaskUpdated: Schema<SystemTaskUpdated> = taskUpdated;

const taskNotification = object({
  type: literal("system"),
  subtype: literal("task_notification"),
  task_id: string,
  run_id: lenient(string),
  tool_use_id: lenient(string),
  status: lenient(open("completed", "failed", "stopped")),
  output_file: lenient(string),
  summary: lenient(string),
  usage: lenient(TaskUsage),
  ...commonFields,
});
export interface SystemTaskNotification extends Static<typeof taskNotification> {}
export const SystemTaskNotification: Schema<SystemTaskNotification> = taskNotification;

const backgroundTask = object({
  task_id: string,
  run_id: lenient(string),
  task_type: lenient(TaskType),
  subagent_type: lenient(string),
  description: lenient(string),
});
export interface ReportedTask extends Static<typeof backgroundTask> {}
export const ReportedTask: Schema<ReportedTask> = backgroundTask;

const backgroundTasksChanged = object({
  type: literal("system"),
  subtype: literal("background_tasks_changed"),
  /** All tasks that run now. The list replaces the previous one. */
  tasks: items(ReportedTask),
  ...commonFields,
});
export interface SystemBackgroundTasksChanged extends Static<typeof backgroundTasksChanged> {}
export const SystemBackgroundTasksChanged: Schema<SystemBackgroundTasksChanged> = backgroundTasksChanged;

export const taskVariants = {
  task_started: taskStarted,
  task_progress: taskProgress,
  task_updated: taskUpdated,
  task_notification: taskNotification,
  background_tasks_changed: backgroundTasksChanged,
} as const;

export type TaskEvent =
  | SystemTaskStarted
  | SystemTaskProgress
  | SystemTaskUpdated
  | SystemTaskNotification
  | SystemBackgroundTasksChanged;
