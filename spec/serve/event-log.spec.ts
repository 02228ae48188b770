/**
 * EventLog: numbered events, of which the newest are kept.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { eventFrame } from "../../lib/serve/event-stream.ts";
import { EventLog } from "../../lib/serve/event-log.ts";

/** The packet in an encoded event. */
const read = (log: EventLog, id: number): string | undefined =>
  /^id: \d+\nevent: message\ndata: ([^]*)\n\n$/.exec(log.frame(id)?.toString() ?? "")?.[1];
const bytesOf = (id: number, event: string): number => Buffer.byteLength(eventFrame(id, event));

describe("EventLog", () => {
  it("the event log numbers events from 1 and returns them by id", () => {
    const log = new EventLog();
    assert.equal(log.lastId, 0);
    assert.deepEqual([log.append("a"), log.append("b")], [1, 2]);
    assert.deepEqual(
      [0, 1, 2, 3].map((id) => read(log, id)),
      [undefined, "a", "b", undefined],
    );
    assert.equal(log.droppedId, 0);
  });

  it("the event log drops the oldest events beyond its limit and keeps the newest, however long it is", () => {
    const log = new EventLog(2 * bytesOf(1, "aaaaa"));
    log.append("aaaaa");
    log.append("bbbbb");
    log.append("c");
    assert.deepEqual([log.droppedId, read(log, 1), read(log, 2)], [1, undefined, "bbbbb"]);
    log.append("d".repeat(1000));
    assert.deepEqual([log.droppedId, log.lastId, read(log, 4)?.length], [3, 4, 1000]);
  });

  it("the event log behaves like a list of which only the end is kept", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 200 }),
        fc.nat(600),
        (events, cap) => {
          const log = new EventLog(cap);
          events.forEach((event, i) => assert.equal(log.append(event), i + 1));
          assert.equal(log.lastId, events.length);
          let kept = 0;
          for (let id = events.length; id > log.droppedId; id--) {
            assert.equal(read(log, id), events[id - 1]);
            kept += bytesOf(id, events[id - 1] ?? "");
          }
          assert.ok(kept <= cap || log.droppedId === events.length - 1);
          assert.equal(log.frame(log.droppedId), undefined);
          assert.equal(log.frame(log.lastId + 1), undefined);
        },
      ),
    );
  });

  it("the event log takes a hundred thousand events without slowing down", () => {
    const log = new EventLog(99 * bytesOf(99_999, "0123456789") + bytesOf(100_000, "0123456789"));
    for (let i = 0; i < 100_000; i++) log.append("0123456789");
    assert.deepEqual([log.lastId, log.droppedId], [100_000, 99_900]);
  });

  it("the event log returns the same buffer of an event to every subscriber", () => {
    const log = new EventLog();
    const id = log.append("a");
    assert.equal(log.frame(id), log.frame(id));
  });

  it("the event log calls its followers for each event and at the end, until they unfollow", () => {
    const log = new EventLog();
    const calls: string[] = [];
    const unfollow = log.follow(() => calls.push(`${log.lastId} ${log.isClosed}`));
    log.append("a");
    log.close();
    unfollow();
    log.append("b");
    assert.deepEqual(calls, ["1 false", "1 true"]);
    assert.equal(log.followerCount, 0);
  });
});
