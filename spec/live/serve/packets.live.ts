/**
 * Live specs of packets: what the real CLI does, as a page gets it from the built
 * program.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import * as seed from "../../support/packets/reference-packets.ts";
import { bareCapabilities } from "../../support/live/client/acp-client.ts";
import { inSession, type SessionDriver } from "../../support/live/with-agent.ts";
import { claudeExecutable, cleanEnvironment } from "../../support/live/real-cli.ts";
import { answer, call, say, think } from "../../support/live/api/model-script.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";

const program = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));

/** The packets that the filter makes of these rows. */
function filtered(rows: readonly object[]): readonly any[] {
  const input = rows.map((row) => `${JSON.stringify(row)}\n`).join("");
  const options = { input, encoding: "utf8", maxBuffer: 2 ** 28 } as const;
  const { status, stdout, stderr } = spawnSync(process.execPath, [program, "packets"], options);
  assert.deepEqual([status, stderr], [0, ""]);
  return readLines(stdout);
}

function readLines(lines: string): readonly any[] {
  return lines
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));
}

/** The packets of the traffic between the editor and the agent. */
function packetsOf({ client }: SessionDriver): readonly any[] {
  const wire = client.program.wire.items;
  return filtered(wire.map(({ from, message }) => ({ dir: from === "client" ? "in" : "out", msg: message })));
}

/** The ends of tool calls, in order. */
function endsIn(packets: readonly any[]): readonly any[] {
  return packets.filter(({ type, status }) => type === "tool_call_progress" && status !== "in_progress");
}

const work = {
  work: [
    answer(think("Hm."), call("Write", { file_path: "report.md", content: "# Report\n" })),
    answer(call("Read", { file_path: "hello.txt" })),
    answer(call("Edit", { file_path: "hello.txt", old_string: "world", new_string: "planet" })),
    answer(call("Write", { file_path: "hello.txt", content: "all new\n" })),
    answer(call("Bash", { command: "echo boom; exit 3", description: "Fail" })),
    answer(call("TodoWrite", { todos: [{ content: "Look", status: "in_progress", activeForm: "Looking" }] })),
    answer(say("Done.")),
  ],
};
const withTodos = {
  CLAUDE_CODE_ENABLE_TODO_TOOLS: "1",
  CLAUDE_CODE_ENABLE_TASKS: "0",
  ENABLE_TOOL_SEARCH: "false",
  BOWLINE_PREWARM: "0",
};

describe("packets of the real CLI", () => {
  for (const terminals of [false, true]) {
    it(`packets of the real CLI report what was done, and how it ended, ${terminals ? "by way of terminals" : "by what people are shown"}`, () =>
      inSession(
        work,
        async (driver) => {
          await driver.tell("[[work]] go");
          const packets = packetsOf(driver);
          const { cwd } = driver;
          const callbacks = endsIn(packets);
          assert.deepEqual(
            callbacks.map(({ title, status, kind }) => [title, status, kind]),
            [
              ["report.md", "completed", "edit"],
              ["Read hello.txt", "completed", "read"],
              ["hello.txt", "completed", "edit"],
              ["hello.txt", "completed", "edit"],
              ["Fail", "failed", "execute"],
              ["1 todos", "completed", "other"],
            ],
          );
          assert.deepEqual(callbacks.map(seed.isNewFileOperation), [
            true,
            undefined,
            false,
            false,
            undefined,
            undefined,
          ]);
          assert.deepEqual(callbacks.map(seed.isTodoWriteTool), [false, false, false, false, false, true]);
          const files = callbacks.slice(0, 4).map(seed.getFilePath);
          assert.deepEqual(files, [`${cwd}/report.md`, `${cwd}/hello.txt`, `${cwd}/hello.txt`, `${cwd}/hello.txt`]);
          assert.deepEqual(
            callbacks.map(({ rawOutput }) => rawOutput.metadata.exists),
            [false, undefined, true, true, undefined, undefined],
          );
          assert.match(callbacks[1].rawOutput.output, /^<file>\n00001\| hello world\n00002\| second line\n/);
          assert.match(callbacks[2].rawInput.old_string, /world/);
          assert.deepEqual(callbacks[3].rawInput.content, "all new\n");
          assert.deepEqual(callbacks[4].rawOutput, {
            output: "boom",
            metadata: { output: "boom", exit: 3, description: "Fail", truncated: false },
          });
          assert.deepEqual(callbacks[5].rawInput.todos, [
            { content: "Look", status: "in_progress", activeForm: "Looking" },
          ]);
          const made = packets.filter(({ type }) => type === "artifact_created");
          assert.deepEqual(
            made.map(({ artifact }) => [artifact.type, artifact.path]),
            [["file", `${cwd}/report.md`]],
          );
          const plan = packets.findIndex(({ type }) => type === "agent_plan_update");
          assert.ok(plan >= 0 && plan < packets.indexOf(callbacks[5]), "the plan comes before the todos are done");
          assert.deepEqual([packets[0].type, packets.at(-1).type], ["user_message_chunk", "prompt_response"]);
        },
        { capabilities: { ...bareCapabilities, _meta: { terminal_output: terminals } }, env: withTodos },
      ));
  }

  it("packets of the real CLI report the size of search results and outputs, and whether they were cut", () =>
    withEnvironment(
      {
        look: [
          answer(call("Glob", { pattern: "**/*.tmp" })),
          answer(call("Grep", { pattern: "needle", output_mode: "content", head_limit: 3 })),
          answer(call("Grep", { pattern: "needle", head_limit: 2 })),
          answer(call("Grep", { pattern: "needle", output_mode: "count", head_limit: 2 })),
          answer(call("Grep", { pattern: "nowhere to be found" })),
          answer(call("Grep", { pattern: "needle", offset: 500 })),
          answer(call("Bash", { command: "seq 1 20000", description: "Count" })),
          answer(call("Bash", { command: "seq 1 20000; exit 2", description: "Count and fail" })),
          answer(say("Done.")),
        ],
      },
      async ({ place, host }) => {
        for (let i = 0; i < 150; i++) place.write(`a${i}.tmp`, "x\nneedle\ny\n");
        const rows: object[] = [{ dir: "meta", cwd: place.cwd }];
        const claude = await host({ args: ["--allowedTools=Glob,Grep"], onTraffic: (row) => rows.push(row) });
        await claude.prompt("[[look]] go");
        const callbacks = endsIn(filtered(rows)).map(({ rawOutput }) => rawOutput);
        assert.deepEqual(
          callbacks.slice(0, 6).map(({ metadata }) => [metadata.count, metadata.truncated]),
          [
            [100, true],
            [3, true],
            [2, true],
            [2, true],
            [0, false],
            [0, false],
          ],
        );
        assert.deepEqual(
          callbacks.slice(4, 6).map(({ output }) => output),
          ["No files found", "No files found"],
        );
        assert.deepEqual(
          callbacks.slice(6).map(({ metadata }) => [metadata.exit, metadata.truncated]),
          [
            [0, true],
            [2, true],
          ],
        );
      },
    ));

  it("packets are written as the CLI prints, when it is piped into the filter", () =>
    withEnvironment({ hi: [answer(think("Let me see."), say("Hello ", "there."))] }, async ({ api, place }) => {
      const env = cleanEnvironment(api.port, place.home);
      const flags = ["-p", "--verbose", "--output-format=stream-json", "--include-partial-messages", "[[hi]] go"];
      const claude = spawn(claudeExecutable(), flags, { cwd: place.cwd, env, stdio: ["ignore", "pipe", "inherit"] });
      const filter = spawn(process.execPath, [program, "packets"], { stdio: [claude.stdout, "pipe", "inherit"] });
      const packets = readLines(await text(filter.stdout));
      const said = packets.map(({ type, content, stopReason }) => [type, content?.text ?? stopReason]);
      assert.deepEqual(said, [
        ["agent_thought_chunk", "Let me see."],
        ["agent_message_chunk", "Hello "],
        ["agent_message_chunk", "there."],
        ["prompt_response", "end_turn"],
      ]);
    }));
});
