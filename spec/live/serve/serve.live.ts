/**
 * Live specs of `bowline serve` with the real CLI: sessions over HTTP, from their
 * creation to their deletion.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";
import { type Visitor, visitor } from "../../support/serve/test-server.ts";
import { descendants, waitForCommand, waitUntil } from "../../support/processes.ts";
import { answer, call, say, type Script } from "../../support/live/api/model-script.ts";
import { withEnvironment, type LiveEnvironment } from "../../support/live/live-environment.ts";

interface Play extends Visitor, LiveEnvironment {
  readonly pid: number;
  /** The running CLIs. */
  readonly clis: () => number;
  /** Asks the server to exit; resolves with its exit code. */
  readonly end: (signal: NodeJS.Signals) => Promise<number | null>;
}

function withServer(
  scripts: Readonly<Record<string, Script>>,
  play: (driver: Play) => Promise<void>,
  env: Readonly<Record<string, string>> = {},
  flags: readonly string[] = [],
): Promise<void> {
  return withEnvironment(scripts, async (environment) => {
    const {
      command,
      args = [],
      env: all,
      cwd,
    } = environment.program({ args: ["serve", "--port", "0", ...flags], env: { BOWLINE_PREWARM: "0", ...env } });
    const child = spawn(command, args, { env: all, cwd, stdio: ["ignore", "pipe", "ignore"] });
    const exit = once(child, "close").then(([code]): number | null => code);
    environment.own({
      [Symbol.asyncDispose]: async () => {
        child.kill("SIGKILL");
        await exit;
      },
    });
    const [line] = await once(child.stdout, "data");
    const { origin, hash } = new URL(String(line).trim());
    const pid = child.pid ?? 0;
    await play({
      ...environment,
      ...visitor(origin, hash.replace("#token=", "")),
      pid,
      clis: () => descendants(pid).filter(({ command }) => command.includes("--session-id")).length,
      end: (signal) => {
        child.kill(signal);
        return exit;
      },
    });
  });
}

describe("bowline serve with the real CLI", () => {
  it("bowline serve creates a session, asks before it writes, is interrupted in a command, and deletes the session", () =>
    withServer(
      {
        write: [
          answer(say("I will write it."), call("Write", { file_path: "notes.md", content: "# Notes\n" })),
          answer(say("Written.")),
        ],
        sleep: [
          answer(call("Bash", { command: "touch started && sleep 987", description: "Sleeps" })),
          answer(say("Slept.")),
        ],
        hello: [answer(say("Hello", " again."))],
      },
      async ({ call: ask, stream, open, place, clis, end }) => {
        const session = await open();
        assert.equal(clis(), 1);
        const first = await stream("POST", `${session}/send-message`, { body: { content: "[[write]] a note" } });
        await first.untilPacket("permission_request");
        const { requestId, content } = first.packet("permission_request");
        assert.deepEqual([content[0].oldText, content[0].newText], ["", "# Notes\n"]);
        assert.equal(existsSync(place.path("notes.md")), false);
        await ask("POST", `${session}/permissions/${requestId}`, { body: { optionId: "allow" } });
        await first.over();
        assert.equal(readFileSync(place.path("notes.md"), "utf8"), "# Notes\n");
        assert.equal(first.packet("artifact_created").artifact.name, "notes.md");
        assert.equal(first.packet("prompt_response").stopReason, "end_turn");

        const second = await stream("POST", `${session}/send-message`, { body: { content: "[[sleep]] now" } });
        await second.untilPacket("permission_request");
        await ask("POST", `${session}/permissions/${second.packet("permission_request").requestId}`, {
          body: { optionId: "allow" },
        });
        await waitForCommand(place.root, "sleep 987");
        // The reader disconnects, and reconnects after the last event it saw.
        const lastId = String(second.events.at(-1)?.id);
        second.leave();
        const rest = await stream("GET", `${session}/events`, { headers: { "last-event-id": lastId } });
        await ask("POST", `${session}/interrupt`);
        await rest.untilPacket("prompt_response");
        assert.equal(rest.packet("prompt_response").stopReason, "cancelled");
        assert.equal(rest.packet("tool_call_progress").status, "failed");
        rest.leave();
        const left = await waitUntil(place.root, (all) => !all.some(({ command }) => command.includes("sleep 987")));
        assert.ok(!left.some(({ command }) => command.includes("sleep 987")), "the command was ended");

        const third = await stream("POST", `${session}/send-message`, { body: { content: "[[hello]] there" } });
        await third.over();
        assert.equal(third.packet("prompt_response").stopReason, "end_turn");
        const { messages } = (await ask("GET", `${session}/messages`)).json;
        assert.deepEqual(
          messages.flatMap(({ type, content: said }: any) => (type === "user_message" ? [said.text] : [])),
          ["[[write]] a note", "[[sleep]] now", "[[hello]] there"],
        );

        assert.equal((await ask("DELETE", session)).status, 204);
        assert.equal(clis(), 0);
        assert.deepEqual((await ask("GET", "/saved")).json.sessions, []);
        assert.equal(await end("SIGINT"), 130);
      },
    ));

  it("bowline serve --strict streams the original packet protocol, with the questions of the model and their choices", () => {
    const questions = [
      {
        question: "Which colour?",
        header: "Colour",
        options: [
          { label: "Red", description: "Warm" },
          { label: "Blue", description: "Cold" },
        ],
        multiSelect: false,
      },
    ];
    return withServer(
      { ask: [answer(say("Well."), call("AskUserQuestion", { questions })), answer(say("Thanks."))] },
      async ({ call: ask, stream, open, end }) => {
        const session = await open();
        const strict = await stream("POST", `${session}/send-message`, { body: { content: "[[ask]] go" } });
        const whole = await stream("GET", `${session}/events?strict=0`);
        await whole.untilPacket("elicitation_request");
        const asked = (await ask("GET", "/questions")).json.questions;
        assert.equal(asked.length, 1, "a strict client finds the question here");
        const { requestId } = whole.packet("elicitation_request");
        const body = { action: "accept", content: { question_1: "Red" } };
        assert.equal((await ask("POST", `${session}/forms/${requestId}`, { body })).status, 204);
        await strict.over();
        whole.leave();
        const types = new Set(strict.events.map(({ packet }) => packet.type));
        assert.deepEqual([...types].toSorted(), [
          "agent_message_chunk",
          "prompt_response",
          "tool_call_progress",
          "tool_call_start",
        ]);
        assert.ok(
          strict.events.every(({ packet }) => packet.type === "tool_call_progress" || !("timestamp" in packet)),
        );
        assert.deepEqual(strict.packet("tool_call_progress").rawInput, { questions });
        assert.equal(await end("SIGINT"), 130);
      },
      {},
      ["--strict"],
    );
  });

  it("bowline serve closes a conversation, continues it, and is ended in the middle of a command without leftover processes", () =>
    withServer(
      {
        text: [answer(say("Hello", " there."))],
        sleep: [answer(call("Bash", { command: "touch started && sleep 986" }))],
      },
      async (first) => {
        const session = await first.open();
        await (await first.stream("POST", `${session}/send-message`, { body: { content: "[[text]] hi" } })).over();
        assert.equal((await first.call("POST", `${session}/close`)).status, 204);
        const [saved] = (await first.call("GET", "/saved")).json.sessions;
        assert.equal(`/sessions/${saved.sessionId}`, session);
        const { status } = await first.call("POST", "/sessions", { body: { sessionId: saved.sessionId } });
        assert.equal(status, 201);
        const { messages } = (await first.call("GET", `${session}/messages`)).json;
        assert.deepEqual(
          messages.map(({ type, content }: any) => [type, content.text]),
          [
            ["user_message", "[[text]] hi"],
            ["agent_message", "Hello there."],
          ],
        );
        const running = await first.stream("POST", `${session}/send-message`, { body: { content: "[[sleep]] now" } });
        await running.untilPacket("permission_request");
        await first.call("POST", `${session}/permissions/permission-1`, { body: { optionId: "allow" } });
        await waitForCommand(first.place.root, "sleep 986");
        assert.equal(await first.end("SIGTERM"), 143);
        // The live environment checks that no process outlives it.
        await running.over();
      },
    ));

  it("bowline serve sends a reason with a rejection, and takes a message back with its file so that it can be sent again", () =>
    withServer(
      {
        remove: [
          answer(call("Bash", { command: "rm -rf build", description: "Cleans up" })),
          answer(say("I will use git clean.")),
        ],
        write: [answer(call("Write", { file_path: "notes.md", content: "# Notes\n" })), answer(say("Written."))],
        text: [answer(say("Hello", " there."))],
      },
      async ({ call: ask, stream, open, place, end, api }) => {
        const session = await open();
        const send = (content: string) => stream("POST", `${session}/send-message`, { body: { content } });
        const first = await send("[[remove]] the build");
        await first.untilPacket("permission_request");
        const { requestId, options } = first.packet("permission_request");
        assert.ok(options.some(({ optionId }: { readonly optionId: string }) => optionId === "reject_reason"));
        const body = { optionId: "reject", reason: "Use git clean instead." };
        assert.equal((await ask("POST", `${session}/permissions/${requestId}`, { body })).status, 204);
        await first.over();
        assert.equal(first.packet("prompt_response").stopReason, "end_turn");
        const sent = api.sentTo("remove").join("\n");
        assert.match(sent, /The user rejected this tool call and said: Use git clean instead\./);

        const second = await send("[[write]] a note");
        await second.untilPacket("permission_request");
        const { requestId: writeId } = second.packet("permission_request");
        await ask("POST", `${session}/permissions/${writeId}`, { body: { optionId: "allow" } });
        await second.over();
        assert.ok(existsSync(place.path("notes.md")));
        const message = { messageId: "message-2", files: true };
        const dry = (await ask("POST", `${session}/rewind`, { body: { ...message, dryRun: true } })).json;
        assert.deepEqual([dry.laterCount, dry.files.paths], [0, [place.path("notes.md")]]);
        assert.ok(existsSync(place.path("notes.md")));
        const { content } = (await ask("POST", `${session}/rewind`, { body: message })).json;
        assert.deepEqual(content, [{ type: "text", text: "[[write]] a note" }]);
        assert.equal(existsSync(place.path("notes.md")), false);
        await (await send("[[text]] instead")).over();
        const { messages } = (await ask("GET", `${session}/messages`)).json;
        assert.deepEqual(
          messages.flatMap(({ type, content: said }: any) => (type === "user_message" ? [said.text] : [])),
          ["[[remove]] the build", "[[text]] instead"],
        );
        assert.deepEqual((await ask("GET", `${session}/tasks`)).json, { tasks: [] });
        assert.equal(await end("SIGINT"), 130);
      },
    ));

  it("bowline serve reports that the user is not signed in", () =>
    withServer(
      {},
      async ({ call: ask, end }) => {
        const { status, json } = await ask("POST", "/sessions");
        assert.deepEqual([status, json.code], [503, "not_signed_in"]);
        assert.match(json.message, /^Claude is not signed in: run `claude auth login`/);
        await end("SIGHUP");
      },
      { ANTHROPIC_API_KEY: "" },
    ));
});
