/**
 * Live specs of messages and turns: what the model says and how its turn ends, as the
 * editor gets it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { fullCapabilities } from "../../support/live/client/acp-client.ts";
import { inSession } from "../../support/live/with-agent.ts";
import {
  answer,
  answering,
  breaksAfter,
  call,
  forever,
  hold,
  say,
  think,
  tries,
  words,
} from "../../support/live/api/model-script.ts";

describe("text of the model", () => {
  it("text and thoughts of the model are sent as they stream, separately, each once", () =>
    inSession(
      { talk: [answer(think("Let me ", "see."), say("Hello ", hold("middle"), "there", "."))] },
      async ({ client, api, sessionId, tell }) => {
        const told = tell("[[talk]] hi");
        await api.gate("middle").reached();
        await client.waitFor((update) => update.sessionUpdate === "agent_message_chunk");
        assert.equal(client.text(sessionId), "Hello ");
        api.gate("middle").release();
        assert.deepEqual(await told, ["thinks Let me see.", "says Hello there.", "answers end_turn"]);
      },
    ));

  it("a fast stream of text loses no word and is joined into few updates", () =>
    inSession({ fast: [answer(words(2000))] }, async ({ client, sessionId, tell }) => {
      const all = Array.from({ length: 2000 }, (_, i) => `w${i} `).join("");
      assert.deepEqual(await tell("[[fast]] go"), [`says ${all}`, "answers end_turn"]);
      const chunks = client.updatesOf(sessionId).filter((one) => one.sessionUpdate === "agent_message_chunk");
      assert.ok(chunks.length < 1000, `${chunks.length} updates for 2000 words`);
      const ids = new Set(chunks.map((one) => "messageId" in one && one.messageId));
      assert.equal(ids.size, 1);
    }));

  it("text of the model is not repeated when its stream breaks and the answer comes again", () =>
    inSession(
      { broken: [tries(breaksAfter(say("One ", "two ")), answer(say("One ", "two ", "three.")))] },
      async ({ tell }) => {
        const seen = await tell("[[broken]] go");
        // How much of the broken stream arrives depends on the network; none of it may be shown twice.
        const said = seen.flatMap((line) => (line.startsWith("says ") ? [line.slice("says ".length)] : []));
        assert.equal(said.join(""), "One two three.");
        const thoughts = seen.filter((line) => line.startsWith("thinks "));
        assert.deepEqual(thoughts, ["thinks The API did not answer, trying again in 1 s (attempt 1 of 10).\n"]);
        assert.equal(seen.at(-1), "answers end_turn");
      },
    ));

  it("a turn reports the used context and the cost", () =>
    inSession({ talk: [answer(say("Hello."))] }, async ({ client, sessionId, tell }) => {
      await tell("[[talk]] hi");
      const usage = client.updatesOf(sessionId).filter((one) => one.sessionUpdate === "usage_update");
      assert.deepEqual(
        usage.map(({ used, size, cost }) => [used, size, cost?.currency, (cost?.amount ?? 0) > 0]).at(-1),
        [200, 1_000_000, "USD", true],
      );
    }));
});

describe("a turn's end", () => {
  it("a turn ends with refusal when the model refuses, with the reason apart from its text", () =>
    inSession({ no: [forever(answering({ stopReason: "refusal" }, say("No.")))] }, async ({ tell }) => {
      const seen = await tell("[[no]] go");
      assert.equal(seen.at(-1), "answers refusal");
      assert.match(seen.at(-2) ?? "", /^says No\.\n\nAPI Error: .*safeguards flagged this message/);
    }));

  it("a turn ends with max_tokens when the model runs out of tokens again and again", () =>
    inSession({ long: [forever(answering({ stopReason: "max_tokens" }, say("Much. ")))] }, async ({ tell }) => {
      const seen = await tell("[[long]] go");
      assert.equal(seen.length, 2);
      assert.match(seen[0] ?? "", /^says (Much\. ){4}\n\nAPI Error: .*output token maximum/);
      assert.equal(seen[1], "answers max_tokens");
    }));
});

describe("slash commands", () => {
  it("slash commands are offered with a description each, none that only a terminal can run", () =>
    inSession({ talk: [answer(say("Hello."))] }, async ({ client, tell }) => {
      await tell("[[talk]] hi");
      const offered = client.updatesOf().flatMap((one) => {
        return one.sessionUpdate === "available_commands_update" ? [one.availableCommands] : [];
      });
      const names = offered.at(-1)?.map(({ name }) => name) ?? [];
      assert.ok(names.includes("compact") && names.includes("context") && names.includes("init"));
      for (const left of ["login", "logout", "exit", "heapdump", "agents"]) assert.ok(!names.includes(left), left);
      for (const { description } of offered.flat()) {
        assert.ok(description.length > 5 && description.length <= 160 && !description.includes("\n"), description);
        assert.doesNotMatch(description, /\be\.g\.$|^\(removed\)/);
      }
    }));

  it("slash commands show what they print, and an unknown command goes to the model", () =>
    inSession({ odd: [answer(say("Odd."))] }, async ({ api, tell }) => {
      const [context = "", ...rest] = await tell("/context");
      assert.match(context, /^says ## Context Usage\n/);
      assert.deepEqual(rest, ["answers end_turn"]);
      assert.equal(api.requests.length, 0);
      assert.deepEqual(await tell("/no-such-command [[odd]]"), ["says Odd.", "answers end_turn"]);
    }));

  it("slash commands compact the conversation and report it, and the next prompt has the summary", () =>
    inSession({ talk: [answer(say("Hello."))] }, async ({ api, tell }) => {
      await tell("[[talk]] hi");
      assert.deepEqual(await tell("/compact"), [
        "thinks Compacting the conversation…\nThe conversation was compacted.\n",
        "answers end_turn",
      ]);
      assert.deepEqual(await tell("[[talk]] again"), ["says Hello.", "answers end_turn"]);
      assert.match(JSON.stringify(api.requestsOf("talk").at(-1)?.body.messages), /The user said hello\./);
    }));

  it("slash commands send compaction and titles as updates to a client that shows them", () =>
    inSession(
      { talk: [answer(say("Hello."))] },
      async ({ tell }) => {
        await tell("[[talk]] hi");
        assert.deepEqual(await tell("/compact"), [
          "compaction in_progress",
          "compaction completed",
          "answers end_turn",
        ]);
        const renamed = await tell("/rename A better name");
        assert.ok(renamed.includes("title A better name"), renamed.join("\n"));
      },
      { capabilities: { ...fullCapabilities, session: { compaction: {}, notices: {} } } },
    ));

  it("slash commands clear the conversation and its plan, and the session goes on under the same id", () =>
    inSession(
      {
        plan: [
          answer(call("TodoWrite", { todos: [{ content: "One", status: "pending", activeForm: "Doing one" }] })),
          answer(say("Planned.")),
        ],
        talk: [answer(say("Hello."))],
      },
      async ({ api, tell }) => {
        await tell("[[plan]] PERSIMMON");
        assert.deepEqual(await tell("/clear"), ["plan ", "answers end_turn"]);
        assert.deepEqual(await tell("[[talk]] hi"), ["says Hello.", "answers end_turn"]);
        assert.doesNotMatch(JSON.stringify(api.requestsOf("talk")[0]?.body.messages), /PERSIMMON/);
      },
    ));

  it("slash commands change the model, and the editor's picker follows", () =>
    inSession({ talk: [answer(say("Hello."))] }, async ({ client, api, tell }) => {
      await tell("/model haiku");
      await tell("[[talk]] hi");
      assert.match(api.requestsOf("talk")[0]?.body.model ?? "", /haiku/);
      const options = client.updatesOf().flatMap((one) => {
        return one.sessionUpdate === "config_option_update" ? [one.configOptions] : [];
      });
      assert.equal(options.at(-1)?.find(({ id }) => id === "model")?.currentValue, "haiku");
    }));
});
