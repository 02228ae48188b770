/**
 * Live specs of a bridge client in Python, without our library, with the real CLI.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { describe, it } from "node:test";
import { fileURLToPath } from "node:url";
import { promptTexts, toolResultTexts } from "../../support/live/api/api-request.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";

const python = fileURLToPath(new URL("bridge-client.py", import.meta.url));

describe("a Python client of the bridge", () => {
  it("a Python client of the bridge runs a whole session with permissions, written from docs/bridge.md alone", () =>
    withEnvironment(
      {
        work: [
          answer(call("Bash", { command: "touch allowed.txt" })),
          answer(call("Bash", { command: "touch denied.txt" })),
          answer(call("Bash", { command: "touch rewritten.txt" })),
          answer(say("Worked.")),
        ],
        park: [answer(call("Bash", { command: "touch parked.txt" }))],
        more: [answer(say("Weiter."))],
      },
      async ({ program, place, api }) => {
        const { command, args = [], env } = program({ args: ["bridge"] });
        const { report, stderr } = await run("python3", [python, place.cwd, command, ...args], env);
        assert.equal(stderr, "");
        assert.deepEqual(report, {
          asked: ["touch allowed.txt", "touch denied.txt", "touch rewritten.txt", "touch parked.txt"],
          hooks: ["PreToolUse", "PreToolUse", "PreToolUse", "PreToolUse"],
          created: "session.created",
          same_id: true,
          first: "Worked.",
          has_models: true,
          bad_query: "QUERY_METHOD_FAILED",
          interrupted: "session.interrupted",
          parked: "aborted_tools",
          cancelled: 1,
          more: "Weiter.",
          found_by_id: true,
          wrong: "INVALID_MESSAGE",
          killed: "session.killed",
          gone: "SESSION_NOT_FOUND",
          errors: [],
          unknown: [],
          exit: 0,
        });
        const made = ["allowed.txt", "denied.txt", "rewritten.txt", "parked.txt", "by-python.txt"];
        assert.deepEqual(
          made.map((name) => existsSync(place.path(name))),
          [true, false, false, false, true],
        );
        const told = toolResultTexts(api.requestsOf("work")[2] ?? assert.fail("no third request"));
        assert.ok(told.includes("Python says no."), told.join());
        const more = promptTexts(api.requestsOf("more")[0] ?? assert.fail("no request")).join();
        assert.match(more, /äöü 🐍/u);
      },
    ));
});

function run(
  command: string,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
): Promise<{ readonly report: unknown; readonly stderr: string }> {
  const child = spawn(command, args, { env: { ...env }, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "";
  let stderr = "";
  child.stdout.setEncoding("utf8").on("data", (text: string) => (stdout += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  return new Promise((resolve, reject) => {
    child.on("error", reject);
    child.on("close", (code) => {
      if (code !== 0) return reject(new Error(`${command} exited with ${code}: ${stderr}`));
      resolve({ report: JSON.parse(stdout), stderr });
    });
  });
}
