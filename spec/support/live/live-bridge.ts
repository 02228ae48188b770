/**
 * Runs the built `bowline bridge` in a live environment, driven by raw lines.
 *
 * Every line that it writes is checked against the protocol's schema. `onCallback`
 * answers callbacks; "never" leaves one open.
 */
import assert from "node:assert/strict";
import { randomUUID } from "node:crypto";
import { BridgeMessage } from "../../../lib/bridge/index.ts";
import { AgentProgram, type ProgramExit } from "./agent-program.ts";
import { at, isObject, textAt, type JsonObject } from "../json.ts";
import { Log, type WaitOptions } from "./client/event-log.ts";
import type { Script } from "./api/model-script.ts";
import { withEnvironment, type AgentOptions, type LiveEnvironment } from "./live-environment.ts";

export type CallbackReply = JsonObject | "never";

export class LiveBridge implements AsyncDisposable {
  readonly program: AgentProgram;
  /** The bridge's messages, in order. */
  readonly said = new Log<JsonObject>("bridge", (message) => JSON.stringify(message).slice(0, 300));
  /** Answers a `callback.request` by its payload. */
  onCallback: (payload: JsonObject, message: JsonObject) => CallbackReply = () => ({ behavior: "allow" });

  constructor(program: AgentProgram) {
    this.program = program;
    program.wire.follow(({ from, message }) => {
      if (from !== "agent") return;
      assert.ok(message, "every line is a JSON object");
      assert.equal(BridgeMessage.read(message), message, `every line is of the protocol: ${JSON.stringify(message)}`);
      this.said.push(message);
      if (message["type"] === "callback.request") this.#answer(message);
    });
  }

  send(type: string, session_id: string | undefined, payload: JsonObject, id: string = randomUUID()): string {
    void this.program.send({ type, id, ...(session_id !== undefined && { session_id }), payload });
    return id;
  }

  /** The message that answers this id, an error too. */
  replyTo(id: string, options: WaitOptions = {}): Promise<JsonObject> {
    return this.said.waitFor((message) => message["id"] === id, { what: `the reply to ${id}`, ...options });
  }

  call(
    type: string,
    session_id: string | undefined,
    payload: JsonObject = {},
    options: WaitOptions = {},
  ): Promise<JsonObject> {
    return this.replyTo(this.send(type, session_id, payload), options);
  }

  /** Creates a session and gives its id. */
  async create(payload: JsonObject, options: WaitOptions = {}): Promise<LiveSession> {
    const reply = await this.call("session.create", undefined, payload, options);
    assert.equal(reply["type"], "session.created", JSON.stringify(reply));
    return new LiveSession(this, textAt(reply, "session_id"), textAt(reply, "payload.sdk_session_id"));
  }

  hangUp(): Promise<ProgramExit> {
    return this.program.hangUp();
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.program[Symbol.asyncDispose]();
  }

  #answer(message: JsonObject): void {
    const { payload } = message;
    const answer = this.onCallback(isObject(payload) ? payload : {}, message);
    if (answer === "never") return;
    this.send("callback.response", textAt(message, "session_id"), answer, textAt(message, "id"));
  }
}

class LiveSession {
  readonly bridge: LiveBridge;
  readonly id: string;
  readonly sdkId: string;

  constructor(bridge: LiveBridge, id: string, sdkId: string) {
    this.bridge = bridge;
    this.id = id;
    this.sdkId = sdkId;
  }

  /** The CLI's messages so far. */
  get messages(): readonly JsonObject[] {
    return this.bridge.said.items
      .filter((message) => message["type"] === "sdk.message" && message["session_id"] === this.id)
      .map((message) => message["payload"] as JsonObject);
  }

  /** The n-th result, from 1. */
  result(nth = 1, options: WaitOptions = {}): Promise<JsonObject> {
    return this.message((payload) => payload["type"] === "result", nth, options);
  }

  async message(is: (payload: JsonObject) => boolean, nth = 1, options: WaitOptions = {}): Promise<JsonObject> {
    let count = 0;
    const counted = new Set<JsonObject>();
    const found = await this.bridge.said.waitFor((message) => {
      if (message["type"] !== "sdk.message" || message["session_id"] !== this.id || counted.has(message)) return false;
      const { payload } = message;
      if (!isObject(payload) || !is(payload)) return false;
      counted.add(message);
      return ++count >= nth;
    }, options);
    return found["payload"] as JsonObject;
  }

  /** Sends a message; its id is the prompt's uuid. */
  tell(message: string): string {
    return this.bridge.send("session.send", this.id, { message });
  }

  async query(method: string, ...args: readonly unknown[]): Promise<JsonObject> {
    const reply = await this.bridge.call("query.call", this.id, { method, args });
    assert.equal(reply["type"], "query.result", JSON.stringify(reply));
    return at(reply, "payload") as JsonObject;
  }

  interrupt(): Promise<JsonObject> {
    return this.bridge.call("session.interrupt", this.id);
  }

  kill(): Promise<JsonObject> {
    return this.bridge.call("session.kill", this.id);
  }

  /** Callbacks this session asked, by their payload. */
  get asked(): readonly JsonObject[] {
    return this.bridge.said.items
      .filter((message) => message["type"] === "callback.request" && message["session_id"] === this.id)
      .map((message) => message["payload"] as JsonObject);
  }
}

export interface BridgePlay extends LiveEnvironment {
  readonly bridge: LiveBridge;
  readonly cwd: string;
  /** A session in the project. */
  readonly open: (prompt: string, options?: JsonObject) => Promise<LiveSession>;
}

export interface BridgeOptions extends AgentOptions {
  /** The test ends it without a further message. */
  readonly mayBeKilled?: boolean;
}

/** Plays with a running bridge, which has to leave with 0. */
export function withBridge(
  scripts: Readonly<Record<string, Script>>,
  play: (driver: BridgePlay) => Promise<void>,
  options: BridgeOptions = {},
): Promise<void> {
  return withEnvironment(scripts, async (environment) => {
    const args = ["bridge", ...(options.args ?? [])];
    const bridge = environment.own(new LiveBridge(new AgentProgram(environment.program({ ...options, args }))));
    const { cwd } = environment.place;
    const open = (prompt: string, given: JsonObject = {}): Promise<LiveSession> =>
      bridge.create({ prompt, cwd, options: given });
    await play({ ...environment, bridge, cwd, open });
    const exit = await bridge.hangUp();
    if (options.mayBeKilled !== true) assert.deepEqual(exit, { code: 0, signal: null });
  });
}
