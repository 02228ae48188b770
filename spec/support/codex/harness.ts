/**
 * Short functions that make notifications and requests of Codex, and a conversation that
 * takes them.
 */
import assert from "node:assert/strict";
import type { SessionUpdate } from "../../../lib/acp/index.ts";
import { CodexNotification, ServerRequest } from "../../../lib/codex/protocol/index.ts";
import {
  type CodexQuestion,
  approvalQuestion,
  type AskedPermission,
  CodexState,
  fold,
} from "../../../lib/codex/translate/index.ts";
import type { ClientView } from "../../../lib/display/index.ts";
import { Fault } from "../../../lib/schema/index.ts";
import { cwd, viewOf } from "./recording.ts";

export const thread = "thread-1";
export const turnId = "turn-1";

/** A conversation that takes messages as they are on the wire. */
export class CodexHarness {
  readonly state: CodexState;

  constructor(view: Partial<ClientView> = {}) {
    this.state = new CodexState(viewOf(view), thread);
  }

  take(...messages: readonly object[]): readonly SessionUpdate[] {
    return messages.flatMap((message) => {
      const read = CodexNotification.read(message);
      assert.ok(!(read instanceof Fault));
      return fold(this.state, read);
    });
  }

  ask(method: string, params: object): CodexQuestion {
    const read = ServerRequest.read({
      id: 0,
      method,
      params: { threadId: thread, turnId, itemId: "call-1", ...params },
    });
    assert.ok(!(read instanceof Fault));
    return approvalQuestion(read, this.state);
  }

  askPermission(method: string, params: object): AskedPermission {
    const asked = this.ask(method, params);
    assert.equal(asked.kind, "permission");
    return asked;
  }
}

export function started(item: object, threadId = thread): object {
  return { method: "item/started", params: { threadId, turnId, item: { id: "call-1", ...item } } };
}

export function completed(item: object, threadId = thread): object {
  return { method: "item/completed", params: { threadId, turnId, item: { id: "call-1", ...item } } };
}

export function turnStarted(turn: object = {}, threadId = thread): object {
  return { method: "turn/started", params: { threadId, turn: { id: turnId, status: "inProgress", ...turn } } };
}

export function turnCompleted(turn: object = {}, threadId = thread): object {
  return { method: "turn/completed", params: { threadId, turn: { id: turnId, status: "completed", ...turn } } };
}

export function textDelta(delta: string, itemId = "msg-1"): object {
  return { method: "item/agentMessage/delta", params: { threadId: thread, turnId, itemId, delta } };
}

export function outputDelta(delta: string, itemId = "call-1"): object {
  return { method: "item/commandExecution/outputDelta", params: { threadId: thread, turnId, itemId, delta } };
}

export function command(line: string, more: object = {}): object {
  return {
    type: "commandExecution",
    command: `/bin/bash -lc '${line}'`,
    cwd,
    processId: "1",
    source: "unifiedExecStartup",
    status: "inProgress",
    commandActions: [{ type: "unknown", command: line }],
    aggregatedOutput: null,
    exitCode: null,
    ...more,
  };
}

export function patch(changes: readonly object[], status = "inProgress"): object {
  return { type: "fileChange", changes, status };
}

export const edit = { path: `${cwd}/a.ts`, kind: { type: "update", move_path: null }, diff: "@@ -1 +1 @@\n-a\n+b\n" };

/** The text of the messages among these updates, by their ids. */
export function messageTexts(updates: readonly SessionUpdate[]): Readonly<Record<string, string>> {
  const texts: Record<string, string> = {};
  for (const one of updates) {
    if (one.sessionUpdate !== "agent_message_chunk" && one.sessionUpdate !== "agent_thought_chunk") continue;
    const id = one.messageId ?? "";
    if (one.content.type === "text") texts[id] = (texts[id] ?? "") + one.content.text;
  }
  return texts;
}
