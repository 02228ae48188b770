/**
 * The Codex engine with the real Codex CLI.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import { EngineFailure } from "../../../lib/engine/index.ts";
import { withCodex } from "../../support/live/codex/codex-environment.ts";
import { escalate, patch, run, say, sayForEver, status } from "../../support/live/api/fake-responses-api.ts";
import { descendants, waitForCommand, waitUntil } from "../../support/processes.ts";

const endTurn = { kind: "stopped", stopReason: "end_turn" };
const cancelled = { kind: "stopped", stopReason: "cancelled" };

describe("the Codex engine with the real CLI", () => {
  it("a prompt is answered with streamed text, and the next prompt continues the conversation", () =>
    withCodex({ hi: [say("Hello there.")], again: [say("Hello again.")] }, async ({ start, api }) => {
      const driver = await start();
      assert.deepEqual(await driver.tell("[[hi]]"), endTurn);
      assert.equal(driver.text, "Hello there.");
      assert.ok(driver.events.findIndex(({ type }) => type === "acknowledged") >= 0);
      assert.deepEqual(await driver.tell("[[again]]"), endTurn);
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /Hello there/);
    }));

  it("a command asks with its reason, and runs when it is allowed", () =>
    withCodex(
      { write: [escalate("echo done > made.txt", "May I write made.txt?"), say("Written.")] },
      async ({ start, place }) => {
        const driver = await start({ answer: () => "allow" });
        assert.deepEqual(await driver.tell("[[write]]"), endTurn);
        assert.equal(driver.asked.length, 1);
        assert.match(JSON.stringify(driver.asked[0]?.toolCall), /echo done > made.txt[\s\S]*May I write made.txt/);
        assert.deepEqual(driver.calls, ["echo done > made.txt: completed"]);
        assert.equal(place.read("made.txt"), "done\n");
      },
    ));

  it("a refused command does not run, and the turn goes on", () =>
    withCodex({ write: [escalate("echo done > made.txt", "May I?"), say("Then not.")] }, async ({ start, place }) => {
      const driver = await start({ answer: () => "reject" });
      assert.deepEqual(await driver.tell("[[write]]"), endTurn);
      assert.deepEqual(driver.calls, ["echo done > made.txt: failed"]);
      assert.match(driver.text, /Then not\./);
      assert.throws(() => place.read("made.txt"));
    }));

  it("a patch asks with its diff", () =>
    withCodex({ edit: [patch(editPatch), say("Edited.")] }, async ({ start, place }) => {
      const driver = await start({ answer: () => "allow" });
      assert.deepEqual(await driver.tell("[[edit]]"), endTurn);
      const [content] = driver.asked[0]?.toolCall.content ?? [];
      assert.equal(content?.type, "diff");
      assert.match(JSON.stringify(content), /second line[\s\S]*changed line/);
      assert.equal(place.read("hello.txt"), "hello world\nchanged line\nthird line\n");
      assert.deepEqual(driver.calls, ["Edit hello.txt: completed"]);
    }));

  it("cancelling ends the turn and the command", () =>
    withCodex({ wait: [run("sleep 1234"), say("Never.")] }, async ({ start, place }) => {
      const driver = await start();
      await driver.submit("[[wait]]");
      await waitForCommand(place.root, "sleep 1234");
      await driver.until(() => driver.calls.length === 1);
      const began = performance.now();
      driver.conversation.interrupt();
      assert.deepEqual(await driver.end(0), cancelled);
      assert.ok(performance.now() - began < 2000);
      assert.deepEqual(driver.calls, ["sleep 1234: failed"]);
      await waitForNone(place.root, "sleep 1234");
    }));

  it("cancelling right behind the prompt ends the turn", () =>
    withCodex({ talk: [sayForEver("On and on ")], hi: [say("Hello.")] }, async ({ start }) => {
      const driver = await start();
      await driver.submit("[[talk]]");
      driver.conversation.interrupt();
      assert.deepEqual(await driver.end(0), cancelled);
      assert.deepEqual(await driver.tell("[[hi]]"), endTurn);
    }));

  it("cancelling in the middle of text ends the turn, and the next prompt is answered", () =>
    withCodex({ talk: [sayForEver("On and on ")], hi: [say("Hello.")] }, async ({ start }) => {
      const driver = await start();
      await driver.submit("[[talk]]");
      await driver.until(() => driver.text.includes("on"));
      driver.conversation.interrupt();
      assert.deepEqual(await driver.end(0), cancelled);
      assert.deepEqual(await driver.tell("[[hi]]"), endTurn);
    }));

  it("cancelling during a question withdraws the question", () =>
    withCodex({ write: [escalate("echo x", "May I?")], hi: [say("Hello.")] }, async ({ start }) => {
      let isWithdrawn = false;
      const driver = await start({
        answer: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              isWithdrawn = true;
              resolve("unanswered");
            });
          }),
      });
      await driver.submit("[[write]]");
      await driver.until(() => driver.asked.length === 1);
      driver.conversation.interrupt();
      assert.deepEqual(await driver.end(0), cancelled);
      assert.deepEqual(await driver.tell("[[hi]]"), endTurn);
      assert.ok(isWithdrawn);
      assert.deepEqual(driver.calls, ["echo x: failed"]);
    }));

  it("a killed app-server loses the turn and leaves nothing running; the next prompt continues the thread", () =>
    withCodex(
      { hi: [say("Hello there.")], wait: [escalate("sleep 1234 & sleep 4321", "May I?")], again: [say("Back.")] },
      async ({ start, place, api }) => {
        const driver = await start({ answer: () => "allow" });
        await driver.tell("[[hi]]");
        await driver.conversation.change("mode", "acceptEdits");
        await driver.submit("[[wait]]");
        await waitForCommand(place.root, "sleep 4321");
        // The processes of a command are looked for soon after it has started.
        await pause(800);
        const [server] = descendants(process.pid).filter(({ command }) => command.includes("app-server"));
        process.kill(server!.pid, "SIGKILL");
        const end = await driver.end(1);
        assert.equal(end.kind, "lost");
        assert.ok(end.kind === "lost" && end.failure instanceof EngineFailure && end.failure.kind === "exited");
        assert.equal(driver.calls.at(-1), "sleep 1234 & sleep 4321: failed");
        await waitForNone(place.root, "sleep");
        assert.deepEqual(await driver.tell("[[again]]"), endTurn);
        assert.match(JSON.stringify(api.calls.at(-1)?.body), /Hello there/);
        assert.equal(driver.conversation.settingsState.mode, "acceptEdits");
      },
    ));

  it("a resumed conversation is replayed as it was", () =>
    withCodex(
      { write: [escalate("echo out", "May I?"), say("Written.")], more: [say("More.")] },
      async ({ start, place, otherEngine, engine }) => {
        const driver = await start({ answer: () => "allow" });
        await driver.tell("[[write]]");
        const { id } = driver.conversation;
        await driver.conversation.close("later");
        await engine.close("later");
        const { ConversationDriver } = await import("../../support/codex/conversation-driver.ts");
        const later = new ConversationDriver(otherEngine(), {
          cwd: place.cwd,
          request: { start: { kind: "resume", id } },
        });
        await later.conversation.start();
        assert.equal(later.conversation.id, id);
        await later.conversation.replay(new AbortController().signal);
        assert.equal(later.text, "Written.");
        assert.deepEqual(later.calls, ["echo out: completed"]);
        assert.equal(later.updates.filter((one) => one.sessionUpdate === "user_message_chunk").length, 1);
        assert.deepEqual(await later.tell("[[more]]"), endTurn);
        await later.conversation.close("done");
      },
    ));

  it("refused credentials end the turn at the first refusal", () =>
    withCodex({ hi: [status(401)] }, async ({ start }) => {
      const driver = await start();
      const end = await driver.tell("[[hi]]");
      assert.ok(end.kind === "failed" && end.failure.kind === "not_signed_in", JSON.stringify(end));
    }));

  it("a conversation is not started without a sign-in", () =>
    withCodex(
      {},
      async ({ open }) => {
        const driver = open();
        await assert.rejects(
          driver.conversation.start(),
          (cause) => cause instanceof EngineFailure && cause.kind === "not_signed_in",
        );
      },
      { provider: "openai" },
    ));

  for (const [what, config] of [
    ["sandbox", 'sandbox_mode = "workspace-write"'],
    ["permission profile", 'default_permissions = ":workspace"'],
  ] as const) {
    it(`a project is not trusted because it was opened, and the ${what} of the configuration holds`, () =>
      withCodex(
        { write: [run("echo done > made.txt"), say("Written.")] },
        async ({ start, place, env }) => {
          const { execFileSync } = await import("node:child_process");
          execFileSync("git", ["init", "-q"], { cwd: place.cwd });
          // A server of a project that is trusted would run.
          const server = `[mcp_servers.project]\ncommand = "touch"\nargs = ["${place.root}/ran"]\n`;
          place.write(".codex/config.toml", server);
          const file = join(env["CODEX_HOME"]!, "config.toml");
          const before = readFileSync(file, "utf8");
          const driver = await start();
          assert.equal(driver.conversation.settingsState.mode, "acceptEdits");
          assert.deepEqual(await driver.tell("[[write]]"), endTurn);
          assert.equal(place.read("made.txt"), "done\n");
          assert.deepEqual(await driver.tell("/clear"), endTurn);
          assert.equal(driver.conversation.settingsState.mode, "acceptEdits");
          assert.deepEqual(await driver.tell("[[write]]"), endTurn);
          const fork = await start({ request: { start: { kind: "fork", id: driver.conversation.savedId } } });
          assert.notEqual(fork.conversation.id, driver.conversation.id);
          assert.equal(readFileSync(file, "utf8"), before);
          assert.ok(!existsSync(join(place.root, "ran")), "nothing of the project runs");
        },
        { config },
      ));
  }
});

const editPatch = [
  "*** Begin Patch",
  "*** Update File: hello.txt",
  "@@",
  " hello world",
  "-second line",
  "+changed line",
  " third line",
  "*** End Patch",
].join("\n");

/** Waits until no process with this in its command line is alive. */
async function waitForNone(directory: string, command: string): Promise<void> {
  const left = await waitUntil(directory, (all) => !all.some((one) => one.command.includes(command)), 2000);
  assert.deepEqual(
    left.filter((one) => one.command.includes(command)),
    [],
  );
}
