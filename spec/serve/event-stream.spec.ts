/**
 * Server-sent events: the encoding of a packet, and the Last-Event-ID header.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventFrame, keepalive, lastEventId } from "../../lib/serve/event-stream.ts";

describe("eventFrame", () => {
  it("an event frame has an id, an event name and one line of data", () => {
    assert.equal(eventFrame(7, '{"type":"error"}'), 'id: 7\nevent: message\ndata: {"type":"error"}\n\n');
  });

  it("an event frame stays one event for any packet, because JSON escapes line ends", () => {
    const text = "a\n\nid: 9\r\ndata: {}\u2028\u0000";
    const frame = eventFrame(1, JSON.stringify({ text }));
    assert.equal(frame.split("\n").length, 5);
    assert.doesNotMatch(frame, /\r/);
    assert.equal(JSON.parse(frame.split("\n")[2]?.slice("data: ".length) ?? "").text, text);
  });

  it("the keep-alive is a comment and no event", () => {
    assert.equal(keepalive, ": keepalive\n\n");
  });
});

describe("lastEventId", () => {
  it("lastEventId reads an id that the server could have sent", () => {
    assert.equal(lastEventId("0"), 0);
    assert.equal(lastEventId("12"), 12);
  });

  it("lastEventId ignores every other value", () => {
    for (const value of [undefined, "", " 1", "-1", "1.5", "1e3", "0x10", "NaN", "9".repeat(40), "1, 2", "__proto__"]) {
      assert.equal(lastEventId(value), undefined, String(value));
    }
  });
});
