/**
 * EventLog: numbered events, of which the newest are kept.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { eventFrame } from "../../lib/serve/event-stream.ts";
import { EventLog } from "../../lib/serve/event-log.ts";

/** The packet in an encoded event. */
const read = (journal: EventLog, id: number): string | undefined =>
  /^id: \d+\nevent: message\ndata: ([^]*)\n\n$/.exec(journal.frame(id)?.toString() ?? "")?.[1];
const bytesOf = (id: number, event: string): number => Buffer.byteLength(eventFrame(id, event));

describe("EventLog", () => {
  it("the event log numbers events from 1 and returns them by id", () => {
    const journal = new EventLog();
    assert.equal(journal.lastId, 0);
    assert.deepEqual([journal.append("a"), journal.append("b")], [1, 2]);
    assert.deepEqual(
      [0, 1, 2, 3].map((id) => read(journal, id)),
      [undefined, "a", "b", undefined],
    );
    assert.equal(journal.droppedId, 0);
  });

  it("the event log drops the oldest events beyond its limit and keeps the newest, however long it is", () => {
    const journal = new EventLog(2 * bytesOf(1, "aaaaa"));
    journal.append("aaaaa");
    journal.append("bbbbb");
    journal.append("c");
    assert.deepEqual([journal.droppedId, read(journal, 1), read(journal, 2)], [1, undefined, "bbbbb"]);
    journal.append("d".repeat(1000));
    assert.deepEqual([journal.droppedId, journal.lastId, read(journal, 4)?.length], [3, 4, 1000]);
  });

  it("the event log behaves like a list of which only the end is kept", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 200 }),
        fc.nat(600),
        (events, cap) => {
          const journal = new EventLog(cap);
          events.forEach((event, i) => assert.equal(journal.append(event), i + 1));
          assert.equal(journal.lastId, events.length);
          let kept = 0;
          for (let id = events.length; id > journal.droppedId; id--) {
            assert.equal(read(journal, id), events[id - 1]);
            kept += bytesOf(id, events[id - 1] ?? "");
          }
          assert.ok(kept <= cap || journal.droppedId === events.length - 1);
          assert.equal(journal.frame(journal.droppedId), undefined);
          assert.equal(journal.frame(journal.lastId + 1), undefined);
        },
      ),
    );
  });

  it("the event log takes a hundred thousand events without slowing down", () => {
    const journal = new EventLog(99 * bytesOf(99_999, "0123456789") + bytesOf(100_000, "0123456789"));
    for (let i = 0; i < 100_000; i++) journal.append("0123456789");
    assert.deepEqual([journal.lastId, journal.droppedId], [100_000, 99_900]);
  });

  it("the event log returns the same buffer of an event to every subscriber", () => {
    const journal = new EventLog();
    const id = journal.append("a");
    assert.equal(journal.frame(id), journal.frame(id));
  });

  it("the event log calls its followers for each event and at the end, until they unfollow", () => {
    const journal = new EventLog();
    const told: string[] = [];
    const leave = journal.follow(() => told.push(`${journal.lastId} ${journal.isClosed}`));
    journal.append("a");
    journal.close();
    leave();
    journal.append("b");
    assert.deepEqual(told, ["1 false", "1 true"]);
    assert.equal(journal.followerCount, 0);
  });
});
