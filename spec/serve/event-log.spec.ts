/**
 * Journal: numbered events, of which the newest are kept.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { eventFrame } from "../../lib/serve/event-stream.ts";
import { EventLog } from "../../lib/serve/event-log.ts";

/** The packet in an event's frame. */
const read = (journal: EventLog, id: number): string | undefined =>
  /^id: \d+\nevent: message\ndata: ([^]*)\n\n$/.exec(journal.frame(id)?.toString() ?? "")?.[1];
const bytesOf = (id: number, event: string): number => Buffer.byteLength(eventFrame(id, event));

describe("Journal", () => {
  it("numbers events from 1 and gives them back", () => {
    const journal = new EventLog();
    assert.equal(journal.lastId, 0);
    assert.deepEqual([journal.append("a"), journal.append("b")], [1, 2]);
    assert.deepEqual(
      [0, 1, 2, 3].map((id) => read(journal, id)),
      [undefined, "a", "b", undefined],
    );
    assert.equal(journal.forgottenId, 0);
  });

  it("forgets the oldest beyond its cap, and keeps the newest however long it is", () => {
    const journal = new EventLog(2 * bytesOf(1, "aaaaa"));
    journal.append("aaaaa");
    journal.append("bbbbb");
    journal.append("c");
    assert.deepEqual([journal.forgottenId, read(journal, 1), read(journal, 2)], [1, undefined, "bbbbb"]);
    journal.append("d".repeat(1000));
    assert.deepEqual([journal.forgottenId, journal.lastId, read(journal, 4)?.length], [3, 4, 1000]);
  });

  it("behaves as a list of which only the end is seen", () => {
    fc.assert(
      fc.property(
        fc.array(fc.string({ unit: "grapheme", maxLength: 12 }), { maxLength: 200 }),
        fc.nat(600),
        (events, cap) => {
          const journal = new EventLog(cap);
          events.forEach((event, i) => assert.equal(journal.append(event), i + 1));
          assert.equal(journal.lastId, events.length);
          let kept = 0;
          for (let id = events.length; id > journal.forgottenId; id--) {
            assert.equal(read(journal, id), events[id - 1]);
            kept += bytesOf(id, events[id - 1] ?? "");
          }
          assert.ok(kept <= cap || journal.forgottenId === events.length - 1);
          assert.equal(journal.frame(journal.forgottenId), undefined);
          assert.equal(journal.frame(journal.lastId + 1), undefined);
        },
      ),
    );
  });

  it("takes a hundred thousand events without slowing down", () => {
    const journal = new EventLog(99 * bytesOf(99_999, "0123456789") + bytesOf(100_000, "0123456789"));
    for (let i = 0; i < 100_000; i++) journal.append("0123456789");
    assert.deepEqual([journal.lastId, journal.forgottenId], [100_000, 99_900]);
  });

  it("gives every reader the same buffer of an event", () => {
    const journal = new EventLog();
    const id = journal.append("a");
    assert.equal(journal.frame(id), journal.frame(id));
  });

  it("tells its followers of each event and of the end, until they leave", () => {
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
