/**
 * The schemas of the app-server protocol never throw, and keep what they cannot read.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  CodexNotification,
  errorName,
  errorStatus,
  FileChangeItem,
  ServerRequest,
  ThreadItem,
  threadIdOf,
} from "../../../lib/codex/protocol/index.ts";
import { Fault } from "../../../lib/schema/index.ts";
import { notificationsOf, recordedRows, recordingNames } from "../../support/codex/recording.ts";
import { hostileValues } from "../../support/hostile-values.ts";

describe("the app-server protocol", () => {
  it("a recorded notification that the fold uses is read as the same object", () => {
    const ignored = new Set(["item/autoApprovalReview/started", "thread/goal/updated", "thread/queue/changed"]);
    for (const name of recordingNames()) {
      for (const message of notificationsOf(recordedRows(name))) {
        if (ignored.has(String(message["method"]))) continue;
        assert.equal(CodexNotification.read(message), message, `${name}: ${String(message["method"])}`);
      }
    }
  });

  it("a notification with an unknown method is kept under its name", () => {
    const message = { method: "item/newThing", params: { threadId: "t-1" } };
    const read = CodexNotification.read(message);
    assert.ok(!(read instanceof Fault) && read.method === "unknown");
    assert.equal(read.named, "item/newThing");
    assert.equal(read.value, message);
    assert.equal(threadIdOf(read), "t-1");
  });

  it("an item of an unknown type does not make its notification unknown", () => {
    const message = { method: "item/started", params: { threadId: "t-1", item: { type: "newThing", id: "i-1" } } };
    const read = CodexNotification.read(message);
    assert.ok(!(read instanceof Fault) && read.method === "item/started");
    assert.equal(read.params.item.type, "unknown");
  });

  it("a wrong field of an item counts as left out", () => {
    const item = { type: "commandExecution", id: "i", command: "ls", status: "completed", exitCode: "zero", cwd: 7 };
    const read = ThreadItem.read(item);
    assert.ok(!(read instanceof Fault) && read.type === "commandExecution");
    assert.deepEqual([read.exitCode, read.cwd, read.command], [undefined, undefined, "ls"]);
  });

  it("a patch with a change that cannot be read is refused as a whole", () => {
    const good = { path: "/a", kind: { type: "add" }, diff: "a" };
    const item = { type: "fileChange", id: "i", status: "inProgress", changes: [good, { path: "/b" }] };
    assert.ok(FileChangeItem.read(item) instanceof Fault);
  });

  it("no value makes a schema throw", () => {
    for (const [name, value] of hostileValues) {
      for (const schema of [CodexNotification, ServerRequest, ThreadItem]) {
        assert.ok(!(schema.read(value) instanceof Fault), name);
        const item = { type: "fileChange", id: value, changes: value };
        assert.ok(!(schema.read({ method: "item/completed", params: { threadId: "t", item } }) instanceof Fault), name);
      }
    }
  });

  it("the name and the HTTP status of an error are found in both of its forms", () => {
    assert.equal(errorName("usageLimitExceeded"), "usageLimitExceeded");
    assert.equal(errorName({ httpConnectionFailed: { httpStatusCode: 401 } }), "httpConnectionFailed");
    assert.equal(errorStatus({ httpConnectionFailed: { httpStatusCode: 401 } }), 401);
    assert.equal(errorStatus({ responseStreamDisconnected: { httpStatusCode: null } }), undefined);
    assert.equal(errorStatus("other"), undefined);
  });
});
