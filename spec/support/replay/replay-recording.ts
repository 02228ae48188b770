/**
 * Replays a recording of the CLI through the whole agent, and returns the resulting
 * traffic.
 *
 * The recording is also the script: where it has a line of the host, a scripted client
 * does what a user would have done to cause it. Lines that our host never sends, or
 * sends in another form, are skipped.
 */
import { mkdtempSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { emptyStore } from "../claude/agent-harness.ts";
import { claudeAgent } from "../claude/claude-agent.ts";
import {
  type AwaitedFrame,
  relocate,
  isTurnOpen,
  readTape,
  linesBefore,
  type Tape,
  tapeLink,
  type TapeLink,
  FileSnapshots,
} from "../../../lib/tape/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import type { WireLine } from "../live/agent-program.ts";
import { at, isObject, type JsonObject, listAt, textAt } from "../json.ts";
import { fakeClock } from "../fake-clock.ts";
import { type AgentRequest, type Answer, RawClient } from "../acp/raw-client.ts";
import { chosenBy, type RecordedAnswer } from "./recorded-answers.ts";

export interface Replayed {
  readonly wire: readonly WireLine[];
  /** One for each prompt that was sent, in order. */
  readonly answers: readonly Answer[];
  readonly bugs: readonly unknown[];
  readonly cwd: string;
}

export interface ReplayOptions {
  readonly capabilities?: JsonObject;
}

/** The directory all replays pretend to work in. */
const cwd = realpathSync(mkdtempSync(join(tmpdir(), "bowline-replay-")));

export async function replay(text: string, options: ReplayOptions = {}): Promise<Replayed> {
  return new Replay(relocate(readTape(text), cwd), options).run();
}

class Replay {
  readonly #tape: Tape;
  readonly #texts: FileSnapshots;
  readonly #options: ReplayOptions;
  readonly #clock = fakeClock();
  readonly #bugs: unknown[] = [];
  readonly #prompts: Promise<Answer>[] = [];
  /** The agent's requests that wait for the user, and answers that wait for a request. */
  readonly #asked: AgentRequest[] = [];
  readonly #given: RecordedAnswer[] = [];
  readonly #opened: Promise<void>;
  readonly #over: Promise<void>;
  #open = (): void => {};
  #end = (): void => {};
  #sessionId = "";
  #link: TapeLink | undefined;
  readonly #client: RawClient;

  constructor(tape: Tape, options: ReplayOptions) {
    this.#tape = tape;
    this.#texts = new FileSnapshots(tape);
    this.#options = options;
    this.#opened = new Promise((resolve) => (this.#open = resolve));
    this.#over = new Promise((resolve) => (this.#end = resolve));
    const [agentEnd, clientEnd] = memoryPair();
    claudeAgent(agentEnd, {
      launcher: () => ({ link: this.#play(), ready: () => {} }),
      after: this.#clock.after,
      env: {},
      program: { command: "bowline", args: [] },
      store: emptyStore,
      prewarms: false,
      onBug: (doing, cause) => this.#bugs.push([doing, cause]),
      textOf: (path) => this.#texts.textOf(path),
    });
    this.#client = new RawClient(clientEnd, (request) => {
      this.#asked.push(request);
      this.#meet();
    });
  }

  async run(): Promise<Replayed> {
    const clientCapabilities = this.#options.capabilities ?? {};
    await this.#client.call("initialize", { protocolVersion: 1, clientCapabilities });
    const opened = await this.#client.call("session/new", { cwd, mcpServers: [] });
    if ("result" in opened) {
      this.#sessionId = textAt(opened.result, "sessionId");
      // A user sees what the session offers before writing a prompt.
      await breath();
      this.#open();
      await this.#over;
    }
    const answers = await Promise.all(this.#prompts);
    // Text may still wait to be coalesced.
    for (let i = 0; i < 3; i++) {
      this.#clock.advance(16);
      await breath();
    }
    if ("result" in opened) await this.#client.call("session/close", { sessionId: this.#sessionId });
    this.#client.close();
    return { wire: this.#client.wire, answers, bugs: this.#bugs, cwd };
  }

  #play(): TapeLink {
    const tape = tapeLink(this.#tape, { onWait: (frame) => void this.#act(frame) });
    this.#link = {
      send: tape.send,
      pause: tape.pause,
      resume: tape.resume,
      close: tape.close,
      skip: tape.skip,
      open: (callbacks) =>
        tape.open({
          ...callbacks,
          onLine: (line) => {
            this.#texts.onLine();
            callbacks.onLine(line);
          },
          onClose: (reason) => {
            callbacks.onClose(reason);
            this.#end();
          },
        }),
    };
    return this.#link;
  }

  /** What the user does at this point of the recording. */
  async #act(frame: AwaitedFrame | undefined): Promise<void> {
    if (frame === undefined) return this.#end();
    if (frame.type === "request" && frame.subtype === "initialize" && this.#sessionId === "") return;
    await this.#opened;
    if (frame.type === "answer") return this.#answer(frame);
    const isBusy = isTurnOpen(this.#tape, frame);
    if (frame.type === "user") {
      // Our host queues a prompt while another runs; the recorded one folded it in.
      if (isBusy) return this.#link?.skip();
      await Promise.all(this.#prompts);
      this.#prompts.push(this.#client.call("session/prompt", { sessionId: this.#sessionId, prompt: blocksOf(frame) }));
      return;
    }
    const sessionId = this.#sessionId;
    switch (frame.subtype) {
      case "interrupt":
        if (isBusy) return this.#client.notify("session/cancel", { sessionId });
        break;
      case "set_permission_mode":
        await this.#set("mode", frame.request["mode"]);
        break;
      case "set_model":
        await this.#set("model", frame.request["model"]);
    }
    // Already done, or never sent by our host.
    this.#link?.skip();
  }

  #set(configId: string, value: unknown): Promise<Answer> {
    return this.#client.call("session/set_config_option", { sessionId: this.#sessionId, configId, value });
  }

  #answer(frame: Extract<AwaitedFrame, { readonly type: "answer" }>): void {
    const asked = linesBefore(this.#tape, frame).find((line) => at(line, "request_id") === frame.id);
    if (asked === undefined) return this.#link?.skip();
    if (!["can_use_tool", "elicitation"].includes(textAt(asked, "request.subtype"))) {
      // The engine answers other requests without the user.
      return;
    }
    this.#given.push({ asked: at(asked, "request"), answer: frame.answer });
    this.#meet();
  }

  /** Matches the agent's requests with the user's answers. */
  #meet(): void {
    for (const request of this.#asked.slice()) {
      const chosen = this.#given.map((given) => chosenBy(given, request)).find((one) => one !== undefined);
      if (chosen === undefined) continue;
      this.#asked.splice(this.#asked.indexOf(request), 1);
      request.answer(chosen);
    }
  }
}

/** Lets everything that is on its way arrive. */
async function breath(): Promise<void> {
  for (let i = 0; i < 3; i++) await new Promise((resolve) => setImmediate(resolve));
}

/** A recorded prompt, as an editor would send it. */
function blocksOf({ message }: Extract<AwaitedFrame, { readonly type: "user" }>): readonly JsonObject[] {
  const content = at(message, "content");
  if (typeof content === "string") return [{ type: "text", text: content === "" ? "(nothing)" : content }];
  const blocks = listAt(message, "content").filter(isObject);
  const sent = blocks.flatMap((block): readonly JsonObject[] => {
    const source = block["source"];
    if (block["type"] === "text" && block["text"] !== "") return [{ type: "text", text: block["text"] }];
    if (block["type"] !== "image") return [];
    return [{ type: "image", data: at(source, "data"), mimeType: at(source, "media_type") }];
  });
  return sent.length === 0 ? [{ type: "text", text: "(nothing)" }] : sent;
}
