/**
 * One process of the agent under test, driven by raw lines.
 *
 * Can send lines that no client would send. Logs every line, and every wait has a time
 * limit. Refuses permission requests and answers every other request of the agent with
 * -32601, because it advertises no capability.
 */
import { isRecord } from "../../schema/index.ts";
import { encodeError, encodeNotification, encodeResult, errorCodes, type Id } from "../../rpc/index.ts";
import type { Link } from "../../wire/index.ts";
import type { WireLog, LoggedUpdate } from "./wire-log.ts";
import { RuleViolation } from "./rule.ts";

/** `error` is undefined when the request succeeded. */
export interface RawAnswer {
  readonly result: unknown;
  readonly error: unknown;
}

export class AgentUnderTest {
  readonly run: number;
  /** Resolves with the reason when the connection is closed. */
  readonly gone: Promise<string>;
  readonly #link: Link;
  readonly #log: WireLog;
  readonly #limitMs: number;
  /** By the id as JSON, so that "1" and 1 differ. */
  readonly #waiting = new Map<string, { answer: (answer: RawAnswer) => void; fail: (cause: RuleViolation) => void }>();
  #goneBecause: string | undefined;
  #lastId = 0;
  #onLine = (): void => {};

  constructor(run: number, link: Link, log: WireLog, limitMs: number) {
    this.run = run;
    this.#link = link;
    this.#log = log;
    this.#limitMs = limitMs;
    this.gone = new Promise((resolve) => {
      link.open({
        onLine: (line) => this.#onAgentLine(line),
        onFault: (fault) => log.fault(run, fault.kind),
        onDrain: () => {},
        onEnd: () => link.close("the agent closed its output"),
        onClose: (reason) => {
          this.#goneBecause = reason;
          this.#onLine();
          for (const { fail } of this.#waiting.values()) fail(this.#goneViolation());
          resolve(reason);
        },
      });
    });
  }

  get isGone(): boolean {
    return this.#goneBecause !== undefined;
  }

  /** Sends a line unchanged. */
  send(line: string): void {
    this.#log.add(this.run, "client", line);
    this.#link.send(line);
  }

  notify(method: string, params: unknown): void {
    this.send(encodeNotification(method, params));
  }

  /** Sends a request; `id` is JSON text, so that any kind of id can be tried. */
  ask(
    method: string,
    params: unknown,
    limitMs: number = this.#limitMs,
    id = String(++this.#lastId),
  ): Promise<RawAnswer> {
    const answer = this.answerTo(id, method, limitMs);
    this.send(`{"jsonrpc":"2.0","id":${id},${encodeNotification(method, params).slice('{"jsonrpc":"2.0",'.length)}`);
    return answer;
  }

  answerTo(text: string, what: string, limitMs: number = this.#limitMs): Promise<RawAnswer> {
    if (this.isGone) return Promise.reject(this.#goneViolation());
    const id = JSON.stringify(JSON.parse(text));
    return new Promise((answer, fail) => {
      const late = new RuleViolation(`${what} was not answered within ${limitMs / 1000} s`);
      const timer = setTimeout(() => fail(late), limitMs);
      const settle = <T>(then: (value: T) => void) => {
        return (value: T): void => {
          clearTimeout(timer);
          this.#waiting.delete(id);
          then(value);
        };
      };
      this.#waiting.set(id, { answer: settle(answer), fail: settle(fail) });
    });
  }

  /** Waits until the agent has read everything sent before, by a request it must answer. */
  async settle(): Promise<void> {
    await this.ask("_bowline.check/ping", {});
  }

  /** Resolves when a matching update arrives, when the agent is gone, or after `limitMs`. */
  async untilUpdate(is: (update: LoggedUpdate) => boolean, limitMs: number): Promise<void> {
    const from = this.#log.rows.length;
    await new Promise<void>((resolve) => {
      const timer = setTimeout(resolve, limitMs);
      this.#onLine = () => {
        if (!this.isGone && !this.#log.updates(from).some(is)) return;
        clearTimeout(timer);
        resolve();
      };
    });
    this.#onLine = () => {};
  }

  /** Closes the agent's stdin; the link then ends the process if it does not exit. */
  close(): Promise<string> {
    this.#link.close("the check is over");
    return this.gone;
  }

  #goneViolation(): RuleViolation {
    return new RuleViolation(`the agent went away: ${this.#goneBecause ?? ""}`);
  }

  #onAgentLine(line: string): void {
    const message = this.#log.add(this.run, "agent", line);
    this.#onLine();
    if (message.kind === "response") {
      this.#waiting.get(JSON.stringify(message.id) ?? "")?.answer(message);
    } else if (message.kind === "request") {
      this.send(this.#reply(message.id, message.method, message.params));
    }
  }

  #reply(id: Id, method: string, params: unknown): string {
    if (method !== "session/request_permission")
      return encodeError(id, { code: errorCodes.methodNotFound, message: "not advertised" });
    const options = isRecord(params) && Array.isArray(params["options"]) ? params["options"] : [];
    const no: unknown = options.find((option) => isRecord(option) && option["kind"] === "reject_once");
    const outcome = isRecord(no) ? { outcome: "selected", optionId: no["optionId"] } : { outcome: "cancelled" };
    return encodeResult(id, { outcome });
  }
}
