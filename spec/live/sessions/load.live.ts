/**
 * Live specs of session/load and session/resume: a loaded conversation looks as it did
 * live, and goes on. Unreadable parts are reported, and the rest is shown.
 */
import assert from "node:assert/strict";
import { appendFileSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { findSession } from "../../../lib/claude/index.ts";
import { AcpClient } from "../../support/live/client/acp-client.ts";
import { inSession, type SessionDriver, withAgent } from "../../support/live/with-agent.ts";
import { promptTexts } from "../../support/live/api/api-request.ts";
import { at } from "../../support/json.ts";
import { waitUntil } from "../../support/processes.ts";
import { answer, call, hold, say, type Script, think } from "../../support/live/api/model-script.ts";
import { commandsInEditor } from "../../support/live/client/editor-mode.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

const talk: Readonly<Record<string, Script>> = { talk: [answer(say("Hello."))], more: [answer(say("Of course."))] };

/** The same agent again, with the same home, as after a restart of the editor. */
async function again({ own, program, client }: SessionDriver): Promise<AcpClient> {
  await client.hangUp();
  const next = own(new AcpClient(program()));
  await next.initialize();
  return next;
}

/** The file of a session. */
async function fileOf({ place }: SessionDriver, sessionId: string): Promise<string> {
  const files = await findSession(join(place.home, ".claude", "projects"), sessionId);
  return files?.transcript ?? assert.fail("no such session");
}

/** The part of the live lines that a file contains: prompts instead of responses, and no permission requests. */
function lasting(lines: readonly string[]): readonly string[] {
  return lines.filter((line) => !/^(asks|answers|titled|heard) /.test(line));
}

/** A terminal of the editor does not survive a load; the file has its output instead. */
function withoutTerminals(lines: readonly string[], commands: readonly string[]): readonly string[] {
  if (!commandsInEditor) return lines;
  return lines.map((line) => {
    const command = commands.find((one) => line.includes(one) && /^(completed|failed)/.test(line));
    return command === undefined ? line : `${line.split(" ", 1)[0]} ${command}`;
  });
}

describe("session/load", () => {
  it("session/load shows everything that was shown, before it answers, and the next prompt goes on", () =>
    inSession(talk, async (driver) => {
      const { api, cwd, path, sessionId, tell, client } = driver;
      const todo = (content: string, status: string): object => ({ content, status, activeForm: `Doing ${content}` });
      const edit = { file_path: path("hello.txt"), old_string: "world", new_string: "planet", replace_all: false };
      const helper = { description: "Helper", prompt: "[[sub]] do it", subagent_type: "general-purpose" };
      api.script("sub", answer(call("Bash", { command: "touch sub.txt" })), answer(say("Report.")));
      api.script(
        "work",
        answer(think("Let me see."), say("Looking."), call("Read", { file_path: path("hello.txt") })),
        answer(call("TodoWrite", { todos: [todo("One", "in_progress"), todo("Two", "pending")] })),
        answer(say("Now the edit."), call("Edit", edit)),
        answer(call("Bash", { command: "echo out; exit 3", description: "Fail" }), call("Agent", helper)),
        answer(call("TodoWrite", { todos: [todo("One", "completed"), todo("Two", "completed")] })),
        answer(say("All ", "done.")),
      );
      const live = [...(await tell("[[talk]] hi")), ...(await tell("[[work]] go"))];
      const calls = client.toolCalls(sessionId);
      const next = await again(driver);
      const { modes } = await next.request("session/load", { sessionId, cwd, mcpServers: [] });
      assert.equal(modes?.currentModeId, "default");
      const shown = transcript(next, cwd, sessionId);
      const commands = ["echo out; exit 3", "touch sub.txt"];
      assert.deepEqual(withoutTerminals(lasting(shown), commands), withoutTerminals(lasting(live), commands));
      assert.deepEqual(
        shown.filter((line) => line.startsWith("heard ")),
        ["heard [[talk]] hi", "heard [[work]] go"],
      );
      assert.ok(live.some((line) => line.includes('"hello world')) && live.some((line) => line.startsWith("plan [x]")));
      if (!commandsInEditor) assert.deepEqual(next.toolCalls(sessionId), calls);
      await next.waitFor((one) => one.sessionUpdate === "available_commands_update");
      const wire = next.program.wire.items;
      const atAnswer = wire.findLastIndex(({ message }) => at(message, "result.modes") !== undefined);
      const later = wire.slice(atAnswer).map(({ message }) => at(message, "params.update.sessionUpdate"));
      assert.deepEqual(
        [...new Set(later)],
        [undefined, "available_commands_update"],
        "nothing is told after the answer",
      );
      await next.prompt(sessionId, "[[more]] go on");
      assert.equal(next.text(sessionId).endsWith("Of course."), true);
      const [request] = api.requestsOf("more");
      assert.match(JSON.stringify(request?.body.messages), /All done\./);
      assert.deepEqual(next.faults(), []);
    }));

  it("session/load of an open session ends its turn first, so that only one CLI writes", () =>
    inSession({ ...talk, slow: [answer(say("Some ", hold("word"), "more"))] }, async (driver) => {
      const { client, api, cwd, sessionId, tell, place, seen } = driver;
      await tell("[[talk]] hi");
      const told = tell("[[slow]] go");
      await api.gate("word").reached();
      const load = { sessionId, cwd, mcpServers: [] };
      await Promise.all([client.request("session/load", load), client.request("session/load", load)]);
      assert.equal((await told).includes("answers cancelled"), true);
      const clis = await waitUntil(
        place.root,
        (all) => all.filter((one) => one.command.includes(sessionId)).length === 1,
      );
      assert.equal(clis.filter(({ command }) => command.includes(sessionId)).length, 1);
      seen();
      assert.deepEqual(await tell("[[more]] go on"), ["says Of course.", "answers end_turn"]);
    }));

  it("session/load of an open session without prompts begins it again", () =>
    inSession(talk, async ({ client, cwd, sessionId, tell }) => {
      await client.request("session/load", { sessionId, cwd, mcpServers: [] });
      assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
    }));

  it("session/load shows what can be read of a damaged file, says how much could not be read, and goes on", () =>
    inSession(talk, async (driver) => {
      const { cwd, sessionId, tell, api } = driver;
      await tell("[[talk]] hi");
      await tell("[[talk]] hi again");
      const next = await again(driver);
      const file = await fileOf(driver, sessionId);
      appendFileSync(file, 'not json\n{"type":"user","message":{"role":"us');
      await next.request("session/load", { sessionId, cwd, mcpServers: [] });
      assert.deepEqual(transcript(next, cwd, sessionId), [
        "heard [[talk]] hi",
        "says Hello.",
        "heard [[talk]] hi again",
        "says Hello.\n2 lines of this conversation could not be read.\n\n",
      ]);
      await next.prompt(sessionId, "[[more]] go on");
      assert.match(promptTexts(api.requestsOf("more")[0] ?? assert.fail()).join("\n"), /hi again/);
      const before = transcript(next, cwd, sessionId).length;
      await next.request("session/load", { sessionId, cwd, mcpServers: [] });
      assert.deepEqual(
        transcript(next, cwd, sessionId)
          .slice(before)
          .filter((line) => line.startsWith("heard ")),
        ["heard [[talk]] hi", "heard [[talk]] hi again", "heard [[more]] go on"],
        "what was said since is told too",
      );
    }));

  it("session/load leaves out most of a huge result, and says so in its place", () =>
    inSession({}, async (driver) => {
      const { api, cwd, sessionId, tell } = driver;
      api.script("read", answer(call("Read", { file_path: driver.path("hello.txt") })), answer(say("Read.")));
      await tell("[[read]] go");
      const next = await again(driver);
      const file = await fileOf(driver, sessionId);
      // The CLI itself cuts this tool's output for the model, but not the results of other tools.
      const huge = "x".repeat(3_000_000);
      writeFileSync(file, readFileSync(file, "utf8").replaceAll("second line", huge));
      const before = next.program.bytesOut;
      await next.request("session/load", { sessionId, cwd, mcpServers: [] });
      const shown = transcript(next, cwd, sessionId).join("\n");
      assert.match(shown, /\[\d+ bytes left out\]/);
      assert.match(shown, /\d+ bytes of long tool results were left out\./);
      assert.ok(next.program.bytesOut - before < 1_000_000);
      await next.prompt(sessionId, "[[read]] again");
    }));
});

describe("session/resume", () => {
  it("session/resume shows nothing again, and the conversation goes on", () =>
    inSession(talk, async (driver) => {
      const { cwd, sessionId, tell, api } = driver;
      await tell("[[talk]] PERSIMMON");
      const next = await again(driver);
      await next.request("session/resume", { sessionId, cwd, mcpServers: [] });
      await next.prompt(sessionId, "[[more]] go on");
      assert.deepEqual(transcript(next, cwd, sessionId), ["says Of course.", "answers end_turn"]);
      assert.match(JSON.stringify(api.requestsOf("more")[0]?.body.messages), /PERSIMMON/);
    }));

  it("session/resume, session/load and session/fork of an unknown id are errors, whatever the id looks like", () =>
    withAgent(talk, async ({ client, cwd, place }) => {
      await client.initialize();
      const hostile = [
        "../x",
        "--help",
        "",
        "__proto__",
        "/etc/passwd",
        "..%2f",
        crypto.randomUUID(),
        "a\0b",
        "x".repeat(9999),
      ];
      for (const sessionId of hostile) {
        const unknown = { code: -32002, data: { sessionId } };
        const params = { sessionId, cwd, mcpServers: [] };
        await assert.rejects(client.request("session/resume", params), unknown);
        await assert.rejects(client.request("session/load", params), unknown);
        await assert.rejects(client.extension("session/fork", params), unknown);
      }
      assert.deepEqual(
        (await waitUntil(place.root, () => true)).filter(({ pid }) => pid !== client.program.pid),
        [],
        "no CLI was even started",
      );
    }));

  it("session/resume of an empty file is an error", () =>
    inSession(talk, async (driver) => {
      const { cwd, sessionId, tell } = driver;
      await tell("[[talk]] hi");
      const next = await again(driver);
      writeFileSync(await fileOf(driver, sessionId), "");
      const params = { sessionId, cwd, mcpServers: [] };
      await assert.rejects(next.request("session/resume", params), { code: -32002 });
      await assert.rejects(next.request("session/load", params), { code: -32002 });
    }));
});
