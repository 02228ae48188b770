/**
 * A `ClaudeConnection` over a link in memory, for specs that play the CLI.
 */
import assert from "node:assert/strict";
import { type ConversationEvent, ClaudeConnection, type HostHandlers, HostFrame } from "../../../lib/claude/index.ts";
import { isRecord } from "../../../lib/schema/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";

interface Timer {
  readonly delayMs: number;
  readonly run: () => void;
}

/** A connection, and the far end of its link: the frames it received, and a way to send lines as the CLI. */
export function connectionHarness(handlers: HostHandlers = {}, onEvent?: (event: ConversationEvent) => void) {
  const [near, far] = memoryPair();
  const hostFrames: Record<string, unknown>[] = [];
  const events: ConversationEvent[] = [];
  const failures: string[] = [];
  const timers = new Set<Timer>();
  let wake: (() => void) | undefined;
  far.open({
    onLine(line) {
      const frame: unknown = JSON.parse(line);
      assert.ok(isRecord(frame));
      assert.equal(HostFrame.read(frame), frame, "the host wrote a frame of the protocol");
      hostFrames.push({ ...frame });
      wake?.();
    },
    onFault: () => assert.fail("a fault on the way to the CLI"),
    onDrain() {},
    onEnd: () => wake?.(),
    onClose() {},
  });
  const claude = new ClaudeConnection(near, {
    handlers,
    after(delayMs, run) {
      const timer = { delayMs, run };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    onEvent: (event) => (onEvent ? onEvent(event) : void events.push(event)),
    onFailure: (doing) => failures.push(doing),
  });
  const say = (value: unknown): void => void far.send(typeof value === "string" ? value : JSON.stringify(value));
  return {
    claude,
    events,
    failures,
    timers,
    hostFrames,
    say,
    far,
    /** Resolves with the n-th frame the host wrote. */
    async frame(n: number): Promise<any> {
      while (hostFrames[n] === undefined) await new Promise<void>((resolve) => (wake = resolve));
      return hostFrames[n];
    },
    /** Resolves when every line sent so far has been read: a request and its answer follow them. */
    async settled(): Promise<void> {
      const before = hostFrames.length;
      const asked = claude.control.requestRaw("settled", {});
      while (hostFrames[before] === undefined) await new Promise<void>((resolve) => (wake = resolve));
      say(controlAnswer(String(hostFrames[before]?.["request_id"])));
      await asked;
    },
  };
}

export function controlAnswer(request_id: string, response?: unknown): object {
  return { type: "control_response", response: { subtype: "success", request_id, response } };
}

export function controlRequest(request_id: string, request: object): object {
  return { type: "control_request", request_id, request };
}
