/**
 * The Codex engine with the real Codex CLI when the CLI is killed, when the client does not
 * read, and with subagents and scripts of the model.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { setTimeout as pause } from "node:timers/promises";
import type { ConversationDriver } from "../../support/codex/conversation-driver.ts";
import { withCodex } from "../../support/live/codex/codex-environment.ts";
import { call, escalate, run, say, sayForEver, script } from "../../support/live/api/fake-responses-api.ts";
import { descendants, waitForCommand, waitUntil } from "../../support/processes.ts";

const endTurn = { kind: "stopped", stopReason: "end_turn" };
const cancelled = { kind: "stopped", stopReason: "cancelled" };
/** A model that writes scripts instead of calling tools. */
const scripting = { model: "gpt-6.1-sol" };

describe("the Codex engine under faults", () => {
  it("the app-server is killed as soon as it has taken the prompt: the next turn knows the prompt", () =>
    withCodex({ wait: [sayForEver("On and on ")], again: [say("Back.")] }, async ({ start, api }) => {
      const driver = await start();
      const pids = servers();
      await driver.submit("[[wait]] remember me");
      await driver.until(() => driver.events.some(({ type }) => type === "acknowledged"));
      for (const pid of pids) process.kill(pid, "SIGKILL");
      assert.equal((await driver.end(0)).kind, "lost");
      assert.deepEqual(await driver.tell("[[again]]"), endTurn);
      assert.match(JSON.stringify(api.calls.at(-1)?.body), /remember me/);
      assert.equal(driver.conversation.savedId, driver.conversation.id);
    }));

  it("the app-server is killed during a question: the question is aborted and the turn lost", () =>
    withCodex({ ask: [escalate("echo x", "May I?")], again: [say("Back.")] }, async ({ start }) => {
      let isAborted = false;
      const driver = await start({
        answer: (_, signal) =>
          new Promise((resolve) => {
            signal.addEventListener("abort", () => {
              isAborted = true;
              resolve("unanswered");
            });
          }),
      });
      await driver.submit("[[ask]]");
      await driver.until(() => driver.asked.length === 1);
      killServer();
      assert.equal((await driver.end(0)).kind, "lost");
      assert.ok(isAborted);
      assert.deepEqual(driver.calls, ["echo x: failed"]);
      assert.deepEqual(await driver.tell("[[again]]"), endTurn);
    }));

  it("the app-server is killed while idle: the next prompt does not notice", () =>
    withCodex({ hi: [say("Hello.")] }, async ({ start }) => {
      const [first, second] = [await start(), await start()];
      await first.tell("[[hi]]");
      killServer();
      await waitUntilStopped(first);
      assert.deepEqual(await first.tell("[[hi]]"), endTurn);
      assert.deepEqual(await second.tell("[[hi]]"), endTurn);
      assert.equal(servers().length, 1);
    }));

  it("a killed app-server loses the turns of all conversations, and each goes on", () =>
    withCodex({ wait: [sayForEver("On and on ")], again: [say("Back.")] }, async ({ start }) => {
      const drivers = await Promise.all([start(), start(), start()]);
      await Promise.all(drivers.map((driver) => driver.submit("[[wait]]")));
      await Promise.all(drivers.map((driver) => driver.until(() => driver.text !== "")));
      killServer();
      const ends = await Promise.all(drivers.map((driver) => driver.end(0)));
      assert.deepEqual(
        ends.map(({ kind }) => kind),
        ["lost", "lost", "lost"],
      );
      const next = await Promise.all(drivers.map((driver) => driver.tell("[[again]]")));
      assert.deepEqual(next, [endTurn, endTurn, endTurn]);
      assert.equal(servers().length, 1);
    }));

  it("a client that does not read stops the output of Codex, and gets all of it later", () =>
    withCodex({ much: [run("seq 1 20000"), say("Counted.")] }, async ({ start }) => {
      const driver = await start({ showsTerminals: true });
      await driver.submit("[[much]]");
      await driver.until(() => driver.calls.length === 1);
      driver.conversation.pause();
      await pause(300);
      const seen = driver.events.length;
      await pause(300);
      assert.equal(driver.events.length, seen);
      driver.conversation.resume();
      assert.deepEqual(await driver.end(0), endTurn);
      assert.match(JSON.stringify(driver.updates), /\b20000\b/);
    }));

  it("the commands of a model that writes scripts ask, run and are cancelled like others", () =>
    withCodex(
      {
        ask: [
          script(
            'await tools.exec_command({cmd:"echo one", sandbox_permissions:"require_escalated", justification:"May I?"});',
          ),
          say("Done."),
        ],
        wait: [script('await tools.exec_command({cmd:"sleep 1234"});')],
      },
      async ({ start, place }) => {
        const driver = await start({ answer: () => "allow" });
        assert.deepEqual(await driver.tell("[[ask]]"), endTurn);
        assert.equal(driver.asked.length, 1);
        assert.deepEqual(driver.calls, ["echo one: completed"]);
        await driver.submit("[[wait]]");
        await driver.until(() => driver.calls.length === 2);
        await waitForCommand(place.root, "sleep 1234");
        driver.conversation.interrupt();
        assert.deepEqual(await driver.end(1), cancelled);
        assert.equal(driver.calls[1], "sleep 1234: failed");
        await noneLeft(place.root, "sleep 1234");
      },
      scripting,
    ));

  it("a subagent's question reaches the user, and its report ends its call", () =>
    withCodex(
      {
        agent: [spawn("looker", "[[child]]"), wait, say("All done.")],
        child: [
          script(
            'await tools.exec_command({cmd:"echo child", sandbox_permissions:"require_escalated", justification:"May the child?"});',
          ),
          say("The child looked."),
        ],
      },
      async ({ start }) => {
        const driver = await start({ answer: () => "allow" });
        assert.deepEqual(await driver.tell("[[agent]]"), endTurn);
        assert.equal(driver.asked.length, 1);
        assert.deepEqual([...driver.calls].sort(), [
          "Agent looker: completed",
          "Wait for the agents: completed",
          "echo child: completed",
        ]);
        assert.equal(driver.text, "All done.");
        assert.match(JSON.stringify(driver.updates), /The child looked/);
      },
      scripting,
    ));

  it("cancelling stops the command of a subagent too", () =>
    withCodex(
      {
        agent: [spawn("sleeper", "[[child]]"), wait, say("All done.")],
        child: [script('await tools.exec_command({cmd:"sleep 1234"});')],
      },
      async ({ start, place }) => {
        const driver = await start();
        await driver.submit("[[agent]]");
        await driver.until(() => driver.calls.some((one) => one.startsWith("sleep")));
        await waitForCommand(place.root, "sleep 1234");
        driver.conversation.interrupt();
        assert.deepEqual(await driver.end(0), cancelled);
        assert.deepEqual(
          driver.calls.filter((one) => !one.endsWith("failed")),
          [],
        );
        await noneLeft(place.root, "sleep 1234");
      },
      scripting,
    ));

  it("closing a conversation stops what runs and leaves the other conversations alone", () =>
    withCodex({ wait: [run("sleep 1234")], hi: [say("Hello.")] }, async ({ start, place }) => {
      const [first, second] = [await start(), await start()];
      await first.submit("[[wait]]");
      await first.until(() => first.calls.length === 1);
      await waitForCommand(place.root, "sleep 1234");
      await first.conversation.close("closed");
      await noneLeft(place.root, "sleep 1234");
      assert.deepEqual(await second.tell("[[hi]]"), endTurn);
    }));
});

const wait = call("wait_agent", { timeout_ms: 10_000 }, "collaboration");

function spawn(task_name: string, message: string): ReturnType<typeof call> {
  return call("spawn_agent", { task_name, message, fork_turns: "none" }, "collaboration");
}

function servers(): readonly number[] {
  return descendants(process.pid)
    .filter(({ command }) => command.includes("app-server"))
    .map(({ pid }) => pid);
}

function killServer(): void {
  for (const pid of servers()) process.kill(pid, "SIGKILL");
}

/** Waits until the conversation has noticed that its app-server is gone. */
async function waitUntilStopped(driver: ConversationDriver): Promise<void> {
  while (driver.conversation.isRunning) await pause(10);
}

async function noneLeft(directory: string, command: string): Promise<void> {
  const left = await waitUntil(directory, (all) => !all.some((one) => one.command.includes(command)), 2000);
  assert.deepEqual(
    left.filter((one) => one.command.includes(command)).map(({ pid }) => pid),
    [],
  );
}
