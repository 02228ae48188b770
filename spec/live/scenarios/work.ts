/**
 * Recordings of work beside the conversation: background commands, monitors, concurrent
 * agents, scheduled prompts, worktrees.
 */
import { execFileSync } from "node:child_process";
import { toolResultTexts, type ApiRequest } from "../../support/live/api/api-request.ts";
import { answer, call, hold, say, think, type Step } from "../../support/live/api/model-script.ts";
import { idleAfter, promptOnce, type Recording } from "./recording.ts";

/** The id of the background task that was started last. */
function lastTask(request: ApiRequest): string {
  const told = toolResultTexts(request).join("\n");
  return [...told.matchAll(/(?:with ID|task) ?:? ?([a-z0-9]{9})\b/g)].at(-1)?.[1] ?? "unknown";
}

const withTask = (step: (task_id: string) => Step) => (request: ApiRequest) => step(lastTask(request));

function agent(description: string, marker: string, more: object = {}): ReturnType<typeof call> {
  return call("Agent", { description, subagent_type: "general-purpose", prompt: `[[${marker}]] look`, ...more });
}

export const workRecordings: readonly Recording[] = [
  {
    name: "background-stop",
    what: "Bash in the background, TaskOutput (of earlier CLIs), then TaskStop; and TaskStop of nothing",
    env: { ENABLE_TOOL_SEARCH: "false" },
    scripts: () => ({
      "background-stop": [
        answer(call("Bash", { command: "echo started; sleep 300", description: "Wait", run_in_background: true })),
        withTask((task_id) => answer(call("TaskOutput", { task_id, block: false, timeout: 1000 }))),
        withTask((task_id) => answer(call("TaskStop", { task_id }))),
        answer(call("TaskStop", { task_id: "none" })),
        answer(say("Stopped.")),
        answer(say("Seen that it stopped.")),
      ],
    }),
  },
  {
    name: "monitor",
    what: "Monitor: a command whose lines wake the model, and its end",
    env: { ENABLE_TOOL_SEARCH: "false" },
    scripts: () => ({
      monitor: [
        answer(call("Monitor", { description: "Count", timeout_ms: 10_000, command: "echo one; sleep 1; echo two" })),
        answer(say("Watching.")),
        answer(say("Seen one.")),
        answer(say("Seen two.")),
        answer(say("Seen the end.")),
      ],
    }),
    play: async (host) => {
      await promptOnce(host, "monitor");
      await host.next("system/task_notification", { what: "the monitor's end" });
      await idleAfter(host, host.lines.length - 1);
    },
  },
  {
    name: "parallel-agents",
    what: "two agents in front at the same time, each with a tool and a permission, in mixed order",
    env: { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" },
    args: ["--forward-subagent-text"],
    scripts: (place) => ({
      "parallel-agents": [
        answer(say("Two at once."), agent("One", "one"), agent("Two", "two")),
        answer(say("Both back.")),
      ],
      one: [
        answer(think("first"), say("One looks."), call("Read", { file_path: place.path("hello.txt") })),
        answer(hold("two-is-done"), call("Bash", { command: "touch one.txt", description: "Make one" })),
        answer(say("I am one.")),
      ],
      two: [answer(call("Bash", { command: "touch two.txt", description: "Make two" })), answer(say("I am two."))],
    }),
    play: async (host, { api }) => {
      const uuid = host.tell("[[parallel-agents]] go");
      await api.requests.waitFor(({ script, step }) => script === "two" && step === 1);
      api.gate("two-is-done").release();
      await host.resultOf(uuid);
      await idleAfter(host, host.lines.length - 2);
    },
  },
  {
    name: "parallel-agents-background",
    what: "two agents in the background: the turn ends first, their ends wake the model",
    scripts: () => ({
      "parallel-agents-background": [
        answer(agent("One", "one"), agent("Two", "two")),
        answer(say("Both are working.")),
        answer(say("The first is back.")),
        answer(say("The second is back.")),
      ],
      one: [answer(hold("turn-is-over"), call("Bash", { command: "echo one" })), answer(say("I am one."))],
      two: [answer(hold("turn-is-over"), say("I am two."))],
    }),
    play: async (host, { api }) => {
      const uuid = host.tell("[[parallel-agents-background]] go");
      await host.resultOf(uuid);
      api.gate("turn-is-over").release();
      await idleAfter(host, 0);
      await host.lines.waitFor(() => host.lines.items.filter(isAgentEnd).length === 2);
      await idleAfter(
        host,
        host.lines.items.findLastIndex((line) => line["type"] === "result"),
      );
    },
  },
  {
    name: "schedule",
    what: "CronCreate, CronList, CronDelete, ListAgents, ReportFindings",
    env: { ENABLE_TOOL_SEARCH: "false" },
    scripts: (place) => ({
      schedule: [
        answer(call("CronCreate", { cron: "0 9 * * 1", prompt: "Say good morning", recurring: true })),
        answer(call("CronList", {}), call("ListAgents", {})),
        answer(
          call("ReportFindings", {
            level: "low",
            findings: [
              {
                file: place.path("src/greet.ts"),
                line: 2,
                summary: "No greeting for nobody",
                failure_scenario: "greet('')",
              },
            ],
          }),
        ),
        (request) => {
          const id = /\b([0-9a-f]{8})\b/.exec(toolResultTexts(request).join("\n"))?.[1] ?? "none";
          return answer(call("CronDelete", { id }));
        },
        answer(say("Scheduled and taken back.")),
      ],
    }),
  },
  {
    name: "worktree",
    what: "EnterWorktree and ExitWorktree in a git repository",
    env: { ENABLE_TOOL_SEARCH: "false" },
    prepare: (place) => {
      const git = (...args: string[]): unknown =>
        execFileSync("git", ["-c", "user.name=Dev", "-c", "user.email=dev@example.com", ...args], { cwd: place.cwd });
      git("init", "--quiet", "--initial-branch=main");
      git("add", ".");
      git("commit", "--quiet", "--message=start", "--date=2026-01-01T00:00:00Z");
    },
    scripts: () => ({
      worktree: [
        answer(call("EnterWorktree", { name: "try" })),
        answer(call("Bash", { command: "pwd" })),
        answer(call("ExitWorktree", { action: "remove" })),
        answer(say("Back.")),
      ],
    }),
  },
];

function isAgentEnd(line: Readonly<Record<string, unknown>>): boolean {
  return line["subtype"] === "task_notification";
}
