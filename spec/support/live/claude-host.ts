/**
 * Drives the real CLI over stream-json, without Bowline.
 *
 * The shortest correct host: one process, prompts correlated by uuid, every control
 * request answered. It shows what the CLI itself does, and makes the recordings.
 * `onTraffic` receives each line of both directions.
 */
import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { createInterface } from "node:readline";
import { at, isObject, listAt, textAt, type JsonObject } from "../json.ts";
import { Log, type WaitOptions } from "./client/event-log.ts";
import { claudeExecutable, cleanEnvironment } from "./real-cli.ts";
import type { MessagesApi } from "./api/fake-messages-api.ts";
import type { Workspace } from "./workspace.ts";

/** The flags every session is started with. */
const hostFlags: readonly string[] = [
  "-p",
  "--verbose",
  "--input-format=stream-json",
  "--output-format=stream-json",
  "--include-partial-messages",
  "--permission-prompt-tool=stdio",
];

export interface Traffic {
  readonly dir: "in" | "out" | "stderr" | "exit";
  readonly msg?: unknown;
  readonly text?: string;
  readonly eof?: true;
  readonly code?: number | null;
  readonly signal?: string | null;
}

/** The answer to a control request of the CLI; "never" leaves it open. */
export type ControlAnswer = "never" | JsonObject | ((request: JsonObject) => JsonObject);

export interface HostOptions {
  readonly api: MessagesApi;
  readonly workspace: Workspace;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly sessionId?: string;
  readonly onTraffic?: (traffic: Traffic) => void;
}

export interface Exit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export class ClaudeHost implements AsyncDisposable {
  readonly sessionId: string;
  readonly args: readonly string[];
  /** Every line of the CLI. */
  readonly lines: Log<JsonObject>;
  /** Taken first in, first out; when empty, `usual` answers, and that allows everything. */
  readonly answers: ControlAnswer[] = [];
  usual: ControlAnswer = allow;
  readonly exited: Promise<Exit>;
  stderr = "";
  readonly #child: ChildProcessWithoutNullStreams;
  readonly #onTraffic: (traffic: Traffic) => void;
  #lastControl = 0;

  constructor({ api, workspace, args = [], env = {}, sessionId, onTraffic = () => {} }: HostOptions) {
    this.sessionId = sessionId ?? randomUUID();
    const isNew = !args.some((arg) => /^--(resume|continue|session-id)/.test(arg));
    this.args = [...hostFlags, ...(isNew ? [`--session-id=${this.sessionId}`] : []), ...args];
    this.#onTraffic = onTraffic;
    this.lines = new Log("claude", describeLine);
    this.#child = spawn(claudeExecutable(), [...this.args], {
      cwd: workspace.cwd,
      env: cleanEnvironment(api.port, workspace.home, { CLAUDE_CODE_EMIT_SESSION_STATE_EVENTS: "1", ...env }),
    });
    // A write into a CLI that has just died is answered by its exit.
    this.#child.stdin.on("error", () => {});
    this.#child.stderr.setEncoding("utf8").on("data", (text: string) => {
      this.stderr += text;
      onTraffic({ dir: "stderr", text });
    });
    createInterface({ input: this.#child.stdout, crlfDelay: Infinity }).on("line", (line) => this.#receive(line));
    this.exited = new Promise((resolve) => {
      this.#child.on("error", (cause) => this.lines.close(`could not be started: ${cause.message}`));
      this.#child.on("close", (code, signal) => {
        onTraffic({ dir: "exit", code, signal });
        this.lines.close(`exited with ${code ?? signal}: ${this.stderr.slice(-500)}`);
        resolve({ code, signal });
      });
    });
  }

  get pid(): number {
    return this.#child.pid ?? -1;
  }

  send(message: JsonObject): void {
    this.#onTraffic({ dir: "in", msg: message });
    this.#child.stdin.write(`${JSON.stringify(message)}\n`);
  }

  /** Sends a control request and gives the whole `response` of its answer, `error` or `success`. */
  async control(subtype: string, fields: JsonObject = {}): Promise<JsonObject> {
    const request_id = subtype === "initialize" ? "init-1" : `host-${++this.#lastControl}`;
    const from = this.lines.length;
    this.send({ type: "control_request", request_id, request: { subtype, ...fields } });
    const line = await this.lines.waitFor(
      (line) => line["type"] === "control_response" && textAt(line, "response.request_id") === request_id,
      { from, what: `the answer to ${subtype}` },
    );
    return at(line, "response") as JsonObject; // waitFor looked inside it
  }

  initialize(fields: JsonObject = {}): Promise<JsonObject> {
    return this.control("initialize", fields);
  }

  /** Sends a prompt without waiting for anything; gives its uuid. */
  tell(content: string | readonly JsonObject[]): string {
    const uuid = randomUUID();
    const message = { role: "user", content };
    const origin = { kind: "human" };
    this.send({ type: "user", message, parent_tool_use_id: null, session_id: "", uuid, origin });
    return uuid;
  }

  /** Sends a prompt and waits for its result. */
  prompt(content: string | readonly JsonObject[], options: WaitOptions = {}): Promise<JsonObject> {
    return this.resultOf(this.tell(content), options);
  }

  resultOf(uuid: string, options: WaitOptions = {}): Promise<JsonObject> {
    const isResult = (line: JsonObject): boolean =>
      line["type"] === "result" && listAt(line, "user_message_uuids").includes(uuid);
    return this.lines.waitFor(isResult, { what: "the result of the prompt", ...options });
  }

  /** Waits for a line by its type, and its subtype if it has one: `system/init`, `result`. */
  next(kind: string, options: WaitOptions = {}): Promise<JsonObject> {
    return this.lines.waitFor((line) => kindOf(line) === kind, { what: kind, ...options });
  }

  end(): Promise<Exit> {
    this.#onTraffic({ dir: "in", eof: true });
    this.#child.stdin.end();
    return this.exited;
  }

  kill(signal: NodeJS.Signals = "SIGTERM"): Promise<Exit> {
    this.#child.kill(signal);
    return this.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  #receive(text: string): void {
    const line: unknown = JSON.parse(text);
    if (!isObject(line)) return;
    this.#onTraffic({ dir: "out", msg: line });
    this.lines.push(line);
    if (line["type"] === "control_request") this.#answer(line);
  }

  #answer(line: JsonObject): void {
    const request = at(line, "request");
    if (!isObject(request)) return;
    const given = this.answers.shift() ?? this.usual;
    if (given === "never") return;
    const response = typeof given === "function" ? given(request) : given;
    const success = { subtype: "success", request_id: line["request_id"], response };
    this.send({ type: "control_response", response: success });
  }
}

export function allow(request: JsonObject): JsonObject {
  return { behavior: "allow", updatedInput: request["input"] };
}

export const deny: JsonObject = { behavior: "deny", message: "The user said no." };

/** `system/init`, `control_request/can_use_tool`, `stream_event/message_start`, `result`. */
export function kindOf(line: JsonObject): string {
  const type = textAt(line, "type");
  if (type === "stream_event") return `${type}/${textAt(line, "event.type")}`;
  if (type === "control_request") return `${type}/${textAt(line, "request.subtype")}`;
  return type === "system" ? `${type}/${textAt(line, "subtype")}` : type;
}

function describeLine(line: JsonObject): string {
  return `${kindOf(line)} ${JSON.stringify(line["message"] ?? line["event"] ?? line["request"] ?? line["state"] ?? "")}`;
}
