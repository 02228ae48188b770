/**
 * Recordings of conversations that loading a session file has to restore.
 */
import { deny, type ClaudeHost } from "../../support/live/claude-host.ts";
import { textAt, type JsonObject } from "../../support/json.ts";
import { waitForCommand } from "../../support/processes.ts";
import {
  answer,
  breaksAfter,
  call,
  fails,
  hold,
  say,
  think,
  answering,
  type Script,
} from "../../support/live/api/model-script.ts";
import { tinyPng } from "../../support/live/workspace.ts";
import { idleAfter, promptOnce, type Recording } from "./recording.ts";

function agent(description: string, marker: string, more: object = {}): ReturnType<typeof call> {
  return call("Agent", { description, subagent_type: "general-purpose", prompt: `[[${marker}]] look`, ...more });
}

const inFront = { CLAUDE_CODE_DISABLE_BACKGROUND_TASKS: "1" };

const touching = (name: string): Script => [
  answer(think("which one?"), say("Touching."), call("Bash", { command: `touch ${name}`, description: "Touch" })),
  answer(say(`Report of ${name}.`)),
];

/** Sends a prompt and waits until the session is idle. */
async function turn(host: ClaudeHost, content: string | readonly JsonObject[]): Promise<void> {
  const from = host.lines.length;
  await host.prompt(content, { from });
  await idleAfter(
    host,
    host.lines.items.findLastIndex((line) => line["type"] === "result"),
  );
}

async function interrupt(host: ClaudeHost, uuid: string): Promise<void> {
  await host.control("interrupt", { cancel_queued: true });
  await host.resultOf(uuid);
  await idleAfter(
    host,
    host.lines.items.findLastIndex((line) => line["type"] === "result"),
  );
}

export const historyRecordings: readonly Recording[] = [
  {
    name: "talk",
    what: "two turns, with thinking, a picture in the prompt and text in several parts",
    scripts: () => ({
      talk: [answer(think("hm, ", "well"), say("Hello", " there."))],
      see: [answer(say("A red dot."))],
    }),
    play: async (host) => {
      await turn(host, "[[talk]] hi");
      const data = Buffer.from(tinyPng).toString("base64");
      const image = { type: "image", source: { type: "base64", media_type: "image/png", data } };
      await turn(host, [{ type: "text", text: "[[see]] what is this?" }, image]);
    },
  },
  {
    name: "edits",
    what: "Read, Edit and Bash side by side, a command that fails, a new file and one written over",
    scripts: (place) => {
      const file_path = place.path("hello.txt");
      return {
        edits: [
          answer(say("Reading."), call("Read", { file_path })),
          answer(
            call("Edit", { file_path, old_string: "world", new_string: "planet" }),
            call("Bash", { command: "touch a; echo hi", description: "Touch" }),
          ),
          answer(call("Bash", { command: "touch b; echo no >&2; exit 3" })),
          answer(call("Write", { file_path: place.path("new.txt"), content: "one\ntwo\n" })),
          answer(call("Write", { file_path, content: "hello\nagain\n" })),
          answer(say("Done.")),
        ],
      };
    },
  },
  {
    name: "side-by-side",
    what: "three calls at once: the file's chain passes only one of their results",
    args: ["--allowedTools=Glob,Grep"],
    scripts: (place) => ({
      "side-by-side": [
        answer(
          call("Read", { file_path: place.path("hello.txt") }),
          call("Grep", { pattern: "greet" }),
          call("Read", { file_path: place.path("none.txt") }),
        ),
        answer(say("All three.")),
      ],
    }),
  },
  {
    name: "agents-in-front",
    what: "two agents at once, one with a tool of its own; the first ends last",
    env: inFront,
    scripts: () => ({
      "agents-in-front": [answer(say("Two."), agent("First", "one"), agent("Second", "two")), answer(say("Back."))],
      one: touching("one.txt"),
      two: [answer(say("Report two."))],
    }),
  },
  {
    name: "agent-in-agent",
    what: "an agent that has an agent of its own",
    env: inFront,
    scripts: () => ({
      "agent-in-agent": [answer(agent("Outer", "outer")), answer(say("Back."))],
      outer: [answer(agent("Inner", "inner")), answer(say("Outer report."))],
      inner: touching("inner.txt"),
    }),
  },
  {
    name: "agent-behind",
    what: "an agent in the background that reports in a turn of its own",
    scripts: () => ({
      "agent-behind": [
        answer(agent("Far", "far", { run_in_background: true })),
        answer(say("Started it.")),
        answer(say("It is back.")),
      ],
      far: [answer(call("Bash", { command: "touch far.txt" })), answer(hold("far"), say("Report from afar."))],
    }),
    play: async (host, { api }) => {
      const uuid = host.tell("[[agent-behind]] go");
      await host.resultOf(uuid);
      await api.gate("far").reached();
      api.gate("far").release();
      await host.next("system/task_notification");
      await host.lines.waitFor((line) => textAt(line, "result") === "It is back.");
      await idleAfter(
        host,
        host.lines.items.findLastIndex((line) => line["type"] === "result"),
      );
    },
  },
  {
    name: "steered",
    what: "a prompt that joins the running turn",
    scripts: () => ({
      steered: [
        answer(call("Bash", { command: "touch x; until [ -e go.txt ]; do /bin/sleep 0.1; done" })),
        answer(say("Saw both.")),
      ],
    }),
    play: async (host, { place }) => {
      const uuid = host.tell("[[steered]] go");
      await waitForCommand(place.root, "until");
      const from = host.lines.length;
      const second = host.tell("please also mention BANANA");
      await host.lines.waitFor((line) => line["command_uuid"] === second, { from });
      place.write("go.txt", "");
      await host.resultOf(uuid);
      await idleAfter(
        host,
        host.lines.items.findLastIndex((line) => line["type"] === "result"),
      );
    },
  },
  {
    name: "compacted",
    what: "two turns, /compact, and one more",
    scripts: () => ({ one: [answer(say("One."))], two: [answer(say("Two."))], three: [answer(say("Three."))] }),
    play: async (host) => {
      for (const prompt of ["[[one]] a", "[[two]] b", "/compact", "[[three]] c"]) await turn(host, prompt);
    },
  },
  {
    name: "commands",
    what: "/usage, a new title, and a command that is not there",
    scripts: () => ({ one: [answer(say("One.")), answer(say("No such command."))] }),
    play: async (host) => {
      await turn(host, "[[one]] a");
      await host.control("rename_session", { title: "Renamed!" });
      await turn(host, "/usage");
      await turn(host, "/nosuch thing");
    },
  },
  {
    name: "refused-and-cancelled",
    what: "a call refused, and turns cancelled in a word, in a command and at a permission; then one that ends well",
    scripts: () => ({
      no: [answer(call("Bash", { command: "touch z" })), answer(say("Very well."))],
      text: [answer(say("before ", hold("never"), "after"))],
      tool: [answer(say("Now."), call("Bash", { command: "touch x; sleep 300" }))],
      asked: [answer(call("Bash", { command: "touch y" }))],
      last: [answer(say("Still here."))],
    }),
    play: async (host, { api, place }) => {
      host.answers.push(deny);
      await turn(host, "[[no]] a");
      const text = host.tell("[[text]] b");
      await api.gate("never").reached();
      await host.lines.waitFor((line) => textAt(line, "event.delta.text") === "before ");
      await interrupt(host, text);
      const tool = host.tell("[[tool]] c");
      await waitForCommand(place.root, "sleep 300");
      await interrupt(host, tool);
      host.answers.push("never");
      const from = host.lines.length;
      const asked = host.tell("[[asked]] d");
      await host.next("control_request/can_use_tool", { from });
      await interrupt(host, asked);
      await turn(host, "[[last]] e");
    },
  },
  {
    name: "failures",
    what: "the API refuses a request, breaks a stream, the model refuses, and then all is well",
    env: { CLAUDE_CODE_MAX_RETRIES: "1" },
    scripts: () => ({
      bad: [fails(400)],
      broken: [breaksAfter(say("half a "))],
      refusal: [answering({ stopReason: "refusal" }, say("No."))],
      cut: [answering({ stopReason: "max_tokens" }, say("Too long to"))],
      well: [answer(say("Well."))],
    }),
    play: async (host) => {
      for (const prompt of ["[[bad]] a", "[[broken]] b", "[[refusal]] c", "[[well]] d"]) await turn(host, prompt);
    },
  },
  {
    name: "plans",
    what: "TodoWrite, twice",
    env: { CLAUDE_CODE_ENABLE_TODO_TOOLS: "1", CLAUDE_CODE_ENABLE_TASKS: "0", ENABLE_TOOL_SEARCH: "false" },
    scripts: () => {
      const todo = (status: string): JsonObject => ({
        todos: [{ content: "Look", status, activeForm: "Looking" }],
      });
      return {
        plans: [
          answer(call("TodoWrite", todo("in_progress"))),
          answer(call("TodoWrite", todo("completed"))),
          answer(say("Done.")),
        ],
      };
    },
    play: (host) => promptOnce(host, "plans"),
  },
];
