/**
 * A fake Claude CLI that plays a recording and fails at a given place (faulty-link.ts).
 */
import { ClaudeExit, type ClaudeLink } from "../../../lib/claude/index.ts";
import type { Frame } from "../claude/fake-cli.ts";
import { type Fault, FaultyLink } from "./faulty-link.ts";

export class RecordedClaude extends FaultyLink implements ClaudeLink {
  /** The lines that the host received, whole lines only. */
  readonly said: string[] = [];
  readonly frames: Frame[] = [];
  #exit: ClaudeExit | undefined;
  readonly #uuids = new Map<string, string>();
  readonly #ids = new Map<string, string>();

  constructor(fault: Fault | undefined) {
    super("the Claude CLI", fault);
  }

  readonly exit = (): ClaudeExit | undefined => this.#exit;

  /** One recorded line, with the ids of the current host. */
  say(recorded: string): void {
    const line = this.#translated(recorded);
    if (this.sayLine(line)) this.said.push(line);
  }

  /** The host's prompt replaces the recorded one. */
  meetPrompt(recorded: unknown, own: Frame): void {
    if (typeof recorded === "string") this.#uuids.set(recorded, String(own["uuid"]));
  }

  /** The host's request replaces the recorded one. */
  meetRequest(recorded: unknown, own: Frame): void {
    this.#ids.set(String(recorded), String(own["request_id"]));
  }

  override die(reason: string): void {
    this.#exit = new ClaudeExit(reason, { code: 1, signal: null, stderr: [] });
    super.die(reason);
  }

  protected override receive(line: string): void {
    const frame: Frame = JSON.parse(line);
    this.frames.push(frame);
    if (this.isObedient && frame["request"]?.subtype === "interrupt") queueMicrotask(() => this.#stop(frame));
  }

  protected override stopIfInterrupted(): void {
    const last = this.frames.findLast(({ type, request }) => type === "user" || request?.subtype === "interrupt");
    if (last !== undefined && last["type"] !== "user") queueMicrotask(() => this.#stop(last));
  }

  /** Ends the turn as the Claude CLI does when it is interrupted. */
  #stop({ request_id }: Frame): void {
    const uuid: unknown = this.frames.findLast(({ type }) => type === "user")?.["uuid"];
    const aborted = { subtype: "error_during_execution", is_error: true, terminal_reason: "aborted_streaming" };
    for (const event of [
      { type: "control_response", response: { subtype: "success", request_id, response: { still_queued: [] } } },
      { type: "result", ...aborted, user_message_uuids: [uuid] },
      { type: "system", subtype: "session_state_changed", state: "idle" },
    ]) {
      this.push(`${JSON.stringify(event)}\n`);
    }
  }

  #translated(line: string): string {
    let said = line;
    for (const [recorded, own] of this.#uuids) said = said.replaceAll(recorded, own);
    if (!said.includes('"control_response"')) return said;
    for (const [recorded, own] of this.#ids)
      said = said.replaceAll(`"request_id":"${recorded}"`, `"request_id":"${own}"`);
    return said;
  }
}
