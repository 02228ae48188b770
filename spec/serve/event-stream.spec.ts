/**
 * Event stream: the bytes of a packet, and what a reader may say of them.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { eventFrame, keepalive, lastEventId } from "../../lib/serve/event-stream.ts";

describe("eventFrame", () => {
  it("writes id, event and one line of data", () => {
    assert.equal(eventFrame(7, '{"type":"error"}'), 'id: 7\nevent: message\ndata: {"type":"error"}\n\n');
  });

  it("stays one event whatever the packet says, since JSON has no line ends", () => {
    const text = "a\n\nid: 9\r\ndata: {}\u2028\u0000";
    const frame = eventFrame(1, JSON.stringify({ text }));
    assert.equal(frame.split("\n").length, 5);
    assert.doesNotMatch(frame, /\r/);
    assert.equal(JSON.parse(frame.split("\n")[2]?.slice("data: ".length) ?? "").text, text);
  });

  it("keeps a line open by a comment, which is no event", () => {
    assert.equal(keepalive, ": keepalive\n\n");
  });
});

describe("lastEventId", () => {
  it("reads what we could have told", () => {
    assert.equal(lastEventId("0"), 0);
    assert.equal(lastEventId("12"), 12);
  });

  it("takes anything else for nothing", () => {
    for (const value of [undefined, "", " 1", "-1", "1.5", "1e3", "0x10", "NaN", "9".repeat(40), "1, 2", "__proto__"]) {
      assert.equal(lastEventId(value), undefined, String(value));
    }
  });
});
