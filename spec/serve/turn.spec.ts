/**
 * Turns over HTTP: sending messages, streaming packets, and reconnecting.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type SessionUpdate, update } from "../../lib/acp/index.ts";
import { PacketHistory } from "../../lib/packets/index.ts";
import { errorCodes, RpcError } from "../../lib/rpc/index.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { ServedSession } from "../../lib/serve/session.ts";
import {
  scriptedAgent,
  cancelled,
  type TurnScript,
  type ScriptedTurn,
  yesOrNo,
} from "../support/serve/scripted-agent.ts";
import { type EventStream, type Served, served } from "../support/serve/test-server.ts";

const say = (...texts: readonly string[]): TurnScript =>
  async function ({ show }) {
    for (const text of texts) await show(update.agentMessage(text));
  };

/** A scripted turn that continues when the spec says so. */
function held(script: (turn: ScriptedTurn, wait: () => Promise<void>) => Promise<void>): {
  readonly script: TurnScript;
  readonly go: () => void;
} {
  const going: (() => void)[] = [];
  let credit = 0;
  const wait = (): Promise<void> =>
    new Promise((resolve) => (credit > 0 ? (credit--, resolve()) : void going.push(resolve)));
  return {
    script: (turn) => script(turn, wait),
    go: () => {
      const next = going.shift();
      if (next === undefined) credit++;
      else next();
    },
  };
}

const message = (content: unknown, headers: Readonly<Record<string, string>> = {}) => ({ body: { content }, headers });
const asJson = { accept: "application/json" };

async function withServer(
  scenes: readonly TurnScript[],
  run: (harness: Served, path: string, player: ReturnType<typeof scriptedAgent>) => Promise<void>,
  options: Partial<Parameters<typeof served>[0]> = {},
): Promise<void> {
  const player = scriptedAgent(...scenes);
  const harness = await served({ startAgent: player.start, ...options });
  try {
    await run(harness, await harness.open(), player);
    assert.deepEqual(harness.bugs, []);
  } finally {
    await harness.close();
  }
}

const textsOf = ({ events }: EventStream): readonly string[] =>
  events.flatMap(({ packet }) => (packet.type === "agent_message_chunk" ? [packet.content.text] : []));
const idsOf = ({ events }: EventStream): readonly number[] => events.map(({ id }) => id);

describe("send-message", () => {
  it("send-message streams the packets of its turn byte by byte as documented, and ends with the turn", () =>
    withServer(
      [say("one ", "two\n")],
      async (harness, path) => {
        const stream = await harness.stream("POST", `${path}/send-message`, message("hi"));
        await stream.over();
        const at = "1970-01-01T00:00:01.500000+00:00";
        const chunk = (text: string): string =>
          `{"_meta":null,"content":{"_meta":null,"annotations":null,"text":"${text}","type":"text"},"sessionUpdate":"agent_message_chunk","type":"agent_message_chunk","timestamp":"${at}"}`;
        assert.equal(
          stream.text,
          `id: 2\nevent: message\ndata: ${chunk("one ")}\n\n` +
            `id: 3\nevent: message\ndata: ${chunk("two\\n")}\n\n` +
            `id: 4\nevent: message\ndata: {"_meta":{},"stopReason":"end_turn","type":"prompt_response","timestamp":"${at}"}\n\n`,
        );
        assert.equal(stream.isEnded, true);
        const { statusCode, headers } = stream.response;
        assert.equal(statusCode, 200);
        assert.equal(headers["content-type"], "text/event-stream");
        assert.equal(headers["cache-control"], "no-cache");
        assert.equal(headers.connection, "keep-alive");
        assert.equal(headers["x-accel-buffering"], "no");
        assert.equal(headers["content-encoding"], undefined);
      },
      { now: () => 1500 },
    ));

  for (const [name, options, query, isStrict] of [
    ["--strict", { isStrict: true }, "", true],
    ["--strict, of a client that asks for everything,", { isStrict: true }, "?strict=0", false],
    ["a client that asks for it", {}, "?strict=1", true],
    ["any other client", {}, "", false],
  ] as const) {
    it(`a stream with ${name} has ${isStrict ? "the original packet protocol alone" : "every packet"}`, () =>
      withServer(
        [
          async ({ show }) => {
            await show(update.agentThought("hm"));
            await show(update.agentMessage("one"));
          },
        ],
        async (harness, path) => {
          const stream = await harness.stream("POST", `${path}/send-message${query}`, message("hi"));
          await stream.over();
          assert.deepEqual(
            stream.events.map(({ id, packet }) => [id, packet.type, "timestamp" in packet]),
            isStrict
              ? [
                  [3, "agent_message_chunk", false],
                  [4, "prompt_response", false],
                ]
              : [
                  [2, "agent_thought_chunk", true],
                  [3, "agent_message_chunk", true],
                  [4, "prompt_response", true],
                ],
          );
          const all = await harness.stream("GET", `${path}/events${query}`);
          await all.untilPacket("prompt_response");
          assert.equal(JSON.stringify(all.events).includes("user_message_chunk"), !isStrict);
        },
        options,
      ));
  }

  it("send-message sends its response headers before the agent's first update", () =>
    withServer([cancelled], async (harness, path) => {
      const stream = await harness.stream("POST", `${path}/send-message`, message("hi"));
      assert.equal(stream.text, "");
      await harness.call("POST", `${path}/interrupt`);
      await stream.over();
    }));

  it("send-message with Accept: application/json answers 202 at once", () =>
    withServer([cancelled], async (harness, path) => {
      const { status, json } = await harness.call("POST", `${path}/send-message`, message("hi there", asJson));
      assert.equal(status, 202);
      assert.deepEqual([json.status, json.title, json.waiting], ["running", "hi there", 0]);
    }));

  it("send-message to an unknown session gets an error packet in the stream, or 404 as JSON", () =>
    withServer([say("x")], async (harness) => {
      const stream = await harness.stream("POST", "/sessions/unknown/send-message", message("hi"));
      await stream.over();
      assert.equal(stream.response.statusCode, 200);
      const expected = '{"type":"error","message":"Session not found","code":"not_found"}';
      assert.equal(stream.text, `id: 0\nevent: message\ndata: ${expected}\n\n`);
      const { status } = await harness.call("POST", "/sessions/unknown/send-message", message("hi", asJson));
      assert.equal(status, 404);
    }));

  it("send-message accepts content blocks and refuses other content", () =>
    withServer([({ prompt, show }) => show(update.agentMessage(JSON.stringify(prompt)))], async (harness, path) => {
      const blocks = [
        { type: "text", text: "look" },
        { type: "image", data: "AAAA", mimeType: "image/png" },
      ];
      const stream = await harness.stream("POST", `${path}/send-message`, message(blocks));
      await stream.over();
      assert.deepEqual(JSON.parse(textsOf(stream).join("")), blocks);
      for (const content of [undefined, null, "", [], 7, {}, [{ type: "video" }], [{ type: "text" }]]) {
        const { status } = await harness.call("POST", `${path}/send-message`, { body: { content } });
        assert.equal(status, 400, JSON.stringify(content));
      }
    }));

  it("queued messages run one after the other, each stream with its own turn", () => {
    const first = held(async ({ show }, wait) => {
      await show(update.agentMessage("first"));
      await wait();
    });
    return withServer([first.script, say("second")], async (harness, path) => {
      const one = await harness.stream("POST", `${path}/send-message`, message("1"));
      const two = await harness.stream("POST", `${path}/send-message`, message("2"));
      await one.until(({ events }) => events.length === 1);
      assert.equal((await harness.call("GET", path)).json.waiting, 1);
      assert.equal(two.text, "");
      first.go();
      await Promise.all([one.over(), two.over()]);
      assert.deepEqual([textsOf(one), textsOf(two)], [["first"], ["second"]]);
      assert.deepEqual([one.types.at(-1), two.types.at(-1)], ["prompt_response", "prompt_response"]);
    });
  });

  it("a message beyond the queue limit gets 429 instead of a stream", () =>
    withServer([cancelled], async (harness, path) => {
      const accepted = await harness.call("POST", `${path}/send-message`, message("run", asJson));
      assert.equal(accepted.status, 202);
      for (let i = 0; i < 8; i++) {
        assert.equal((await harness.call("POST", `${path}/send-message`, message("wait", asJson))).status, 202);
      }
      for (const headers of [asJson, {}]) {
        const { status, json } = await harness.call("POST", `${path}/send-message`, message("more", headers));
        assert.deepEqual([status, json.code], [429, "too_many"]);
      }
    }));

  it("a failed turn ends with an error packet and its reason", () =>
    withServer(
      [
        () => {
          throw new RpcError(errorCodes.authRequired, "Claude is not signed in: run `claude auth login`");
        },
        say("all is well"),
      ],
      async (harness, path) => {
        const stream = await (await harness.stream("POST", `${path}/send-message`, message("hi"))).over();
        assert.deepEqual(
          stream.events.map(({ packet }) => ({ ...packet, timestamp: "" })),
          [
            {
              timestamp: "",
              type: "error",
              message: "Claude is not signed in: run `claude auth login`",
              code: "-32000",
            },
          ],
        );
        const next = await (await harness.stream("POST", `${path}/send-message`, message("again"))).over();
        assert.deepEqual(next.types, ["agent_message_chunk", "prompt_response"]);
      },
    ));

  it("a turn ends with an error packet when the agent crashes", () =>
    withServer([cancelled], async (harness, path, player) => {
      const stream = await harness.stream("POST", `${path}/send-message`, message("hi"));
      player.connection?.close("it fell over");
      await stream.over();
      assert.deepEqual(stream.types, ["error"]);
      assert.match(stream.events[0]?.packet.message, /^the agent is gone/);
    }));

  it("a turn continues when its client disconnects", () => {
    const turn = held(async ({ show }, wait) => {
      await show(update.agentMessage("before "));
      await wait();
      await show(update.agentMessage("after"));
    });
    return withServer([turn.script], async (harness, path) => {
      const stream = await harness.stream("POST", `${path}/send-message`, message("hi"));
      await stream.until(({ events }) => events.length === 1);
      stream.leave();
      turn.go();
      const rest = await harness.stream("GET", `${path}/events`, { headers: { "last-event-id": "2" } });
      await rest.untilPacket("prompt_response");
      assert.deepEqual(textsOf(rest), ["after"]);
    });
  });
});

describe("events", () => {
  it("a client that reconnects anywhere in a turn gets the remaining events once and in order", () => {
    const texts = Array.from({ length: 12 }, (_, i) => `${i} `);
    const turn = held(async ({ show }, wait) => {
      for (const text of texts) {
        await show(update.agentMessage(text));
        await wait();
      }
    });
    return withServer([turn.script], async (harness, path) => {
      await harness.call("POST", `${path}/send-message`, message("hi", asJson));
      const seen: number[] = [];
      const words: string[] = [];
      // Connects and disconnects during the turn, each time after the last event received.
      for (let i = 0; i < texts.length; i++) {
        const stream = await harness.stream("GET", `${path}/events`, {
          headers: { "last-event-id": String(seen.at(-1) ?? 0) },
        });
        await stream.until((one) => textsOf(one).length > 0);
        seen.push(...idsOf(stream));
        words.push(...textsOf(stream));
        stream.leave();
        turn.go();
      }
      const last = await harness.stream("GET", `${path}/events?after=${seen.at(-1)}`);
      await last.untilPacket("prompt_response");
      seen.push(...idsOf(last));
      assert.deepEqual(words, texts);
      assert.deepEqual(
        seen,
        Array.from({ length: texts.length + 2 }, (_, i) => i + 1),
      );
    });
  });

  it("two subscribers get the same events, and a third one gets those it missed", () =>
    withServer([say("a", "b", "c")], async (harness, path) => {
      const two = await Promise.all([harness.stream("GET", `${path}/events`), harness.stream("GET", `${path}/events`)]);
      await harness.call("POST", `${path}/send-message`, message("hi", asJson));
      await Promise.all(two.map((stream) => stream.untilPacket("prompt_response")));
      const late = await (await harness.stream("GET", `${path}/events`)).untilPacket("prompt_response");
      assert.equal(two[0].text, two[1].text);
      assert.equal(late.text, two[0].text);
      assert.deepEqual(late.types, [
        "user_message_chunk",
        "agent_message_chunk",
        "agent_message_chunk",
        "agent_message_chunk",
        "prompt_response",
      ]);
      for (const stream of [...two, late]) stream.leave();
    }));

  it("the event stream includes updates between turns", () =>
    withServer([say("asked")], async (harness, path, player) => {
      const events = await harness.stream("GET", `${path}/events`);
      const turn = await (await harness.stream("POST", `${path}/send-message`, message("hi"))).over();
      await player.connection?.update(path.slice("/sessions/".length), update.agentMessage("unasked"));
      await events.until((one) => textsOf(one).length === 2);
      assert.deepEqual([textsOf(turn), textsOf(events)], [["asked"], ["asked", "unasked"]]);
      events.leave();
    }));

  it("an idle event stream gets keep-alives, a busy one does not", async () => {
    const time = fakeClock();
    await withServer(
      [say("x")],
      async (harness, path) => {
        const events = await harness.stream("GET", `${path}/events`);
        time.advance(14_999);
        await (await harness.stream("POST", `${path}/send-message`, message("hi"))).over();
        await events.untilPacket("prompt_response");
        const { length } = events.text;
        time.advance(14_999);
        time.advance(1);
        time.advance(15_000);
        await events.until(({ text }) => text.length > length + 20);
        assert.equal(events.text.slice(length), ": keepalive\n\n: keepalive\n\n");
        events.leave();
        await new Promise((resolve) => events.response.once("close", resolve));
      },
      { after: time.after },
    );
    assert.equal(time.pending(), 0);
  });

  it("an event id that was dropped or never existed gets 410, and the client starts again from the messages", () =>
    withServer(
      [say(...Array.from({ length: 50 }, (_, i) => `${i} ${"x".repeat(100)} `))],
      async (harness, path) => {
        await (await harness.stream("POST", `${path}/send-message`, message("hi"))).over();
        for (const headers of [{ "last-event-id": "1" }, { "last-event-id": "999" }, {}]) {
          const { status, json } = await harness.call("GET", `${path}/events`, { headers });
          assert.deepEqual([status, json.code], [410, "gone"]);
        }
        const { messages, lastEventId } = (await harness.call("GET", `${path}/messages`)).json;
        assert.deepEqual(
          messages.map(({ type }: any) => type),
          ["user_message", "agent_message", "prompt_response"],
        );
        assert.match(messages[1].content.text, /^0 x+ 1 x+ .* 49 x+ $/);
        const events = await harness.stream("GET", `${path}/events?after=${lastEventId}`);
        assert.equal(events.response.statusCode, 200);
        events.leave();
      },
      { maxEventLogBytes: 4000 },
    ));

  it("a subscriber beyond the limit gets 429", () =>
    withServer([say("x")], async (harness, path) => {
      const readers = await Promise.all(Array.from({ length: 32 }, () => harness.stream("GET", `${path}/events`)));
      assert.equal((await harness.call("GET", `${path}/events`)).status, 429);
      assert.equal((await harness.call("POST", `${path}/send-message`, message("hi"))).status, 429);
      for (const reader of readers) reader.leave();
    }));

  it("a message that was still queued when the session closed has no events", () => {
    let turns = 0;
    const counting: TurnScript = async (turn) => {
      turns++;
      await cancelled(turn);
    };
    return withServer([counting], async (harness, path) => {
      const running = await harness.stream("POST", `${path}/send-message`, message("1"));
      const waiting = await harness.stream("POST", `${path}/send-message`, message("2"));
      const closing = harness.call("POST", `${path}/close`);
      await Promise.all([closing, running.over(), waiting.over()]);
      assert.deepEqual([turns, running.isEnded, waiting.text, waiting.isEnded], [1, true, "", true]);
    });
  });

  it("the event stream ends when the session ends", () =>
    withServer([say("x")], async (harness, path) => {
      const events = await harness.stream("GET", `${path}/events`);
      await harness.call("POST", `${path}/close`);
      await events.over();
      assert.deepEqual([events.isEnded, events.text], [true, ""]);
    }));
});

describe("a subscriber that stops reading", () => {
  /** More than the socket buffers of both ends hold. */
  const parts = Array.from({ length: 400 }, (_, i) => `${i} ${"x".repeat(50_000)}`);
  const saying: TurnScript = async ({ show }) => {
    for (const part of parts) {
      await show(update.agentMessage(part));
      // The updates arrive over a pipe, as those of a real agent do.
      await new Promise((resolve) => setImmediate(resolve));
    }
  };

  it("a subscriber that pauses gets everything in order once it reads again", () =>
    withServer(
      [saying],
      async (harness, path) => {
        const slow = await harness.stream("GET", `${path}/events`);
        slow.response.pause();
        await (await harness.stream("POST", `${path}/send-message`, message("hi"))).over();
        assert.ok(textsOf(slow).length < parts.length, "it has not read");
        slow.response.resume();
        await slow.untilPacket("prompt_response");
        assert.deepEqual(textsOf(slow), parts);
        slow.leave();
      },
      { maxEventLogBytes: 64_000_000 },
    ));

  it("a subscriber is disconnected when its next events were dropped, and others continue", () =>
    withServer(
      [saying],
      async (harness, path) => {
        const [slow, quick] = await Promise.all([
          harness.stream("GET", `${path}/events`),
          harness.stream("GET", `${path}/events`),
        ]);
        slow.response.pause();
        await harness.call("POST", `${path}/send-message`, message("hi", asJson));
        await quick.untilPacket("prompt_response");
        assert.deepEqual(textsOf(quick), parts);
        slow.response.resume();
        await slow.over();
        assert.equal(slow.isBroken, true);
        // It has received complete events, and an id to reconnect with.
        const came = textsOf(slow);
        assert.deepEqual(came, parts.slice(0, came.length));
        const lastId = String(slow.events.at(-1)?.id);
        const { status } = await harness.call("GET", `${path}/events`, { headers: { "last-event-id": lastId } });
        assert.equal(status, 410);
        quick.leave();
      },
      { maxEventLogBytes: 6_000_000 },
    ));

  it("a subscriber is disconnected when it has not read for a minute", async () => {
    const time = fakeClock();
    await withServer(
      [saying],
      async (harness, path) => {
        const slow = await harness.stream("GET", `${path}/events`);
        slow.response.pause();
        await (await harness.stream("POST", `${path}/send-message`, message("hi"))).over();
        time.advance(59_999);
        assert.equal(slow.response.destroyed, false);
        time.advance(1);
        slow.response.resume();
        await slow.over();
        assert.equal(slow.isBroken, true);
        assert.ok(textsOf(slow).length < parts.length);
      },
      { after: time.after, maxEventLogBytes: 64_000_000 },
    );
  });
});

describe("interrupt", () => {
  it("interrupt ends the turn as cancelled, and queued messages are sent afterwards", () =>
    withServer([cancelled as TurnScript, say("next")], async (harness, path) => {
      const one = await harness.stream("POST", `${path}/send-message`, message("1"));
      const two = await harness.stream("POST", `${path}/send-message`, message("2"));
      assert.equal((await harness.call("POST", `${path}/interrupt`)).status, 204);
      await Promise.all([one.over(), two.over()]);
      assert.equal(two.events.at(-1)?.packet.stopReason, "end_turn");
      assert.deepEqual(textsOf(two), ["next"]);
    }));

  it("interrupt leaves no tool call running, and does nothing when no turn runs", () =>
    withServer(
      [
        async (turn) => {
          await turn.show(update.toolCall({ toolCallId: "t", title: "sleep", kind: "execute", status: "in_progress" }));
          await cancelled(turn);
        },
      ],
      async (harness, path) => {
        assert.equal((await harness.call("POST", `${path}/interrupt`)).status, 204);
        const stream = await harness.stream("POST", `${path}/send-message`, message("hi"));
        await stream.untilPacket("tool_call_progress");
        await harness.call("POST", `${path}/interrupt`);
        await stream.over();
        const statuses = stream.events.flatMap(({ packet }) => packet.status ?? []);
        assert.equal(statuses.at(-1), "failed");
        assert.equal(stream.events.at(-1)?.packet.stopReason, "cancelled");
      },
    ));
});

describe("permissions", () => {
  const toolCall = {
    toolCallId: "t",
    title: "rm -r build",
    kind: "execute",
    rawInput: { command: "rm -r build" },
  } as const;
  const asking: TurnScript = async ({ ask, show }) => show(update.agentMessage(await ask(toolCall)));

  it("a permission request accepts one answer, only an offered option, and only for a known request", () =>
    withServer([asking], async (harness, path) => {
      const stream = await harness.stream("POST", `${path}/send-message`, message("hi"));
      await stream.untilPacket("permission_request");
      const { requestId, options } = stream.packet("permission_request");
      assert.deepEqual(
        options.map(({ optionId }: any) => optionId),
        ["yes", "no"],
      );
      assert.equal((await harness.call("GET", path)).json.status, "asking");
      const at = `${path}/permissions/${requestId}`;
      assert.equal((await harness.call("POST", at, { body: { optionId: "maybe" } })).status, 400);
      assert.equal((await harness.call("POST", at, { body: {} })).status, 400);
      assert.equal((await harness.call("POST", `${path}/permissions/x`, { body: { optionId: "yes" } })).status, 404);
      const both = await Promise.all([1, 2].map(() => harness.call("POST", at, { body: { optionId: "no" } })));
      assert.deepEqual(both.map(({ status }) => status).sort(), [204, 409]);
      await stream.over();
      assert.deepEqual(textsOf(stream), ["no"]);
      const resolved = stream.packet("permission_resolved");
      assert.deepEqual([resolved.requestId, resolved.optionId], [requestId, "no"]);
      assert.equal((await harness.call("POST", at, { body: { optionId: "yes" } })).status, 409);
    }));

  it("an interrupt cancels the permission request, and a later answer is refused", () =>
    withServer([asking], async (harness, path) => {
      const stream = await harness.stream("POST", `${path}/send-message`, message("hi"));
      await stream.untilPacket("permission_request");
      const { requestId } = stream.packet("permission_request");
      await harness.call("POST", `${path}/interrupt`);
      await stream.over();
      const resolved = stream.packet("permission_resolved");
      assert.equal(resolved.optionId, null);
      const late = await harness.call("POST", `${path}/permissions/${requestId}`, { body: { optionId: "yes" } });
      assert.equal(late.status, 409);
      assert.deepEqual(textsOf(stream), []);
    }));

  it("a permission request that is cancelled before it arrives is not shown", async () => {
    const session = new ServedSession({
      id: "s",
      cwd: "/",
      now: () => 0,
      onBug: () => assert.fail("no bug"),
      agent: () => assert.fail("it is not asked"),
    });
    const asked = session.ask({ sessionId: "s", toolCall, options: yesOrNo }, AbortSignal.abort());
    assert.deepEqual(await asked, { outcome: { outcome: "cancelled" } });
    assert.equal(session.state.status, "idle");
  });

  it("a permission request waits while no client is connected, and a later client sees it", () =>
    withServer([asking], async (harness, path) => {
      const gone = await harness.stream("POST", `${path}/send-message`, message("hi"));
      await gone.untilPacket("permission_request");
      gone.leave();
      const events = await (await harness.stream("GET", `${path}/events`)).untilPacket("permission_request");
      const { requestId } = events.packet("permission_request");
      await harness.call("POST", `${path}/permissions/${requestId}`, { body: { optionId: "yes" } });
      await events.untilPacket("prompt_response");
      assert.deepEqual(textsOf(events), ["yes"]);
      events.leave();
    }));
});

describe("messages", () => {
  const turnOf = (toolCallId: string): readonly SessionUpdate[] => [
    update.agentThought("hm"),
    update.agentMessage("a"),
    update.agentMessage("b"),
    update.toolCall({ toolCallId, title: "ls", kind: "execute", status: "in_progress", rawInput: { command: "ls" } }),
    update.agentMessage("c"),
    update.toolCallUpdate({ toolCallId, status: "completed" }),
  ];
  const turn = turnOf("t");

  it("the messages equal the stored form of the stream's packets", () =>
    withServer(
      [
        async ({ show }) => {
          for (const one of turnOf(crypto.randomUUID())) await show(one);
        },
      ],
      async (harness, path) => {
        const events = await harness.stream("GET", `${path}/events`);
        for (const content of ["one", "two"]) {
          await (await harness.stream("POST", `${path}/send-message`, message(content))).over();
        }
        await events.until(({ types }) => types.filter((type) => type === "prompt_response").length === 2);
        const history = new PacketHistory();
        for (const { packet } of events.events) history.add(packet);
        const { messages, running, lastEventId, status } = (await harness.call("GET", `${path}/messages`)).json;
        assert.deepEqual(messages, history.packets);
        assert.deepEqual([running, lastEventId, status], [[], events.events.at(-1)?.id, "idle"]);
        assert.deepEqual(
          messages.map(({ type, turn_index }: any) => `${turn_index} ${type}`).slice(6),
          [
            "user_message",
            "agent_thought",
            "agent_message",
            "tool_call_progress",
            "agent_message",
            "prompt_response",
          ].map((type) => `1 ${type}`),
        );
        events.leave();
      },
    ));

  it("the messages end before the running turn, and its events complete them at any moment", () => {
    const second = held(async ({ show }, wait) => {
      for (const one of turn) {
        await show(one);
        await wait();
      }
    });
    return withServer([say("first"), second.script], async (harness, path) => {
      await (await harness.stream("POST", `${path}/send-message`, message("1"))).over();
      const whole = await harness.stream("GET", `${path}/events`);
      await harness.call("POST", `${path}/send-message`, message("2", asJson));
      for (let i = 0; i < turn.length; i++) {
        const { messages, running, lastEventId, status } = (await harness.call("GET", `${path}/messages`)).json;
        assert.deepEqual([messages.length, running, lastEventId, status], [3, [], 3, "running"]);
        const { length } = whole.events;
        second.go();
        await whole.until(({ events }) => events.length > length);
      }
      await whole.until(({ types }) => types.filter((type) => type === "prompt_response").length === 2);
      assert.equal((await harness.call("GET", `${path}/messages`)).json.lastEventId, whole.events.at(-1)?.id);
      whole.leave();
    });
  });

  it("the messages include the packets of a long turn that the event log has dropped", () => {
    const long = held(async ({ show }, wait) => {
      await show(turn[3] as SessionUpdate);
      for (let i = 0; i < 60; i++) await show(update.agentMessage(`${i} ${"x".repeat(90)} `));
      await wait();
    });
    return withServer(
      [long.script],
      async (harness, path) => {
        const events = await harness.stream("POST", `${path}/send-message`, message("hi"));
        await events.until((one) => textsOf(one).length === 60);
        const { messages, running, lastEventId } = (await harness.call("GET", `${path}/messages`)).json;
        assert.deepEqual(
          running.map(({ toolCallId }: any) => toolCallId),
          ["t"],
        );
        const rest = await harness.stream("GET", `${path}/events?after=${lastEventId}`);
        await rest.until(({ events: { length } }) => length > 0 && rest.events.at(-1)?.id === events.events.at(-1)?.id);
        assert.equal(messages.at(-1).content.text + textsOf(rest).join(""), textsOf(events).join(""));
        long.go();
        rest.leave();
      },
      { maxEventLogBytes: 5000 },
    );
  });
});

describe("a session's title and options", () => {
  it("a session's title is its first message until the agent sends a title", () =>
    withServer([({ show }) => show(update.sessionInfo({ title: "Better" })), say("x")], async (harness, path) => {
      const words = `  Fix\n the   ${"long ".repeat(40)}`;
      const { json } = await harness.call("POST", `${path}/send-message`, message(words, asJson));
      assert.equal(json.title, `Fix the ${"long ".repeat(15)}`.slice(0, 79) + "…");
      await (await harness.stream("POST", `${path}/send-message`, message("2"))).over();
      assert.equal((await harness.call("GET", path)).json.title, "Better");
    }));

  it("a session's title is never cut within a character", () =>
    withServer([say("x")], async (harness, path) => {
      const words = `${"x".repeat(78)}\u{1f600} and more`;
      const { json } = await harness.call("POST", `${path}/send-message`, message(words, asJson));
      assert.equal(json.title, `${"x".repeat(78)}…`);
    }));
});
