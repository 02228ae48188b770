/**
 * A fake CLI that sends whatever the random driver tells it to, sensible or not.
 *
 * It keeps what the host sent. With `#isWellBehaved` it answers every request, accepts
 * every prompt, sends one word and ends the turn.
 */
import { ClaudeExit, type ClaudeLink, type LaunchedCli } from "../../../lib/claude/index.ts";
import type { LaunchRequest } from "../../../lib/claude/engine/run/launcher.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import { ends, says, takes } from "../../support/claude/agent-harness.ts";
import { type Frame, offers } from "../../support/claude/fake-cli.ts";

/** How a CLI answers the host's first request. */
export const greetings = ["well", "not at all", "refuses", "signed out", "too old", "nonsense"] as const;
export type Greeting = (typeof greetings)[number];

export class RandomCli {
  readonly request: LaunchRequest;
  readonly link: ClaudeLink;
  readonly prompts: Frame[] = [];
  /** Requests of the host that wait for an answer. */
  readonly requests: Frame[] = [];
  /** How often a permission was decided, by the id of the question. */
  readonly decided: Frame[] = [];
  /** Tool calls without a prompt: in the background, or made after a result, when the CLI may be idle. */
  readonly ownCalls = new Set<string>();
  #isResting = false;
  isOpen = true;
  readonly #far: Link;
  readonly #greeting: Greeting;
  readonly #onPrompt: (prompt: Frame) => void;
  #exit: ClaudeExit | undefined;
  #isWellBehaved = false;

  constructor(request: LaunchRequest, { greeting, faults, onPrompt }: RandomClis) {
    this.request = request;
    this.#greeting = greeting;
    this.#onPrompt = onPrompt;
    const [near, far] = memoryPair();
    this.#far = far;
    this.link = { ...near, exit: () => this.#exit };
    far.open({
      onLine: (line) => this.#hear(JSON.parse(line)),
      onFault: () => faults.push("the CLI was sent a line it could not read"),
      onDrain: () => {},
      onEnd: () => far.close("the host went"),
      onClose: () => void (this.isOpen = false),
    });
  }

  say(...events: readonly Frame[]): void {
    for (const event of events) this.sayLine(JSON.stringify(event));
  }

  sayLine(line: string): void {
    if (/"idle"|"type":"result"/.test(line)) this.#isResting = true;
    if (this.#isResting || line.includes('"isAsync":true')) {
      for (const [, id] of line.matchAll(/"(?:id|tool_use_id)":"([^"]*)"/g)) this.ownCalls.add(id ?? "");
    }
    this.#far.send(line);
  }

  answer({ request_id }: Frame, response: Frame): void {
    this.say({ type: "control_response", response: { subtype: "success", request_id, response } });
  }

  refuse({ request_id }: Frame): void {
    this.say({ type: "control_response", response: { subtype: "error", request_id, error: "no", error_code: "no" } });
  }

  die(code: number | null): void {
    this.#exit = new ClaudeExit("the Claude CLI was ended", { code, signal: null, stderr: ["its last words"] });
    this.#far.close("the Claude CLI was ended");
  }

  /** From here on the CLI behaves well, and answers what it left unanswered. */
  behave(): void {
    this.#isWellBehaved = true;
    for (const frame of this.requests.splice(0)) this.#answerWell(frame);
    for (const frame of this.prompts.slice(-1)) this.#runTurn(frame);
  }

  #hear(frame: Frame): void {
    if (frame["type"] === "user") {
      this.prompts.push(frame);
      this.#isResting = false;
      this.#onPrompt(frame);
      if (this.#isWellBehaved) this.#runTurn(frame);
    } else if (frame["type"] === "control_response") {
      this.decided.push(frame);
    } else if (frame["type"] === "control_request") {
      if (this.#isWellBehaved) return this.#answerWell(frame);
      if (frame["request"]?.subtype === "initialize") return this.#greet(frame);
      this.requests.push(frame);
    }
  }

  #answerWell(frame: Frame): void {
    this.answer(frame, frame["request"]?.subtype === "initialize" ? offers : {});
  }

  #runTurn(frame: Frame): void {
    this.say(...takes(frame), says(`tame ${frame["uuid"]}`, `msg-${frame["uuid"]}`), ...ends(frame));
  }

  #greet(frame: Frame): void {
    switch (this.#greeting) {
      case "well":
        return this.answer(frame, offers);
      case "not at all":
        return void this.requests.push(frame);
      case "refuses":
        return this.refuse(frame);
      case "signed out":
        return this.answer(frame, { ...offers, account: { tokenSource: "none", apiProvider: "firstParty" } });
      case "too old":
        return this.answer(frame, { ...offers, claude_code_version: "0.1.0" });
      case "nonsense":
        return this.answer(frame, { commands: 7, models: [null, "x"], account: [], current_permission_mode: {} });
    }
  }
}

export class RandomClis {
  readonly runs: RandomCli[] = [];
  readonly faults: string[] = [];
  /** Called for every prompt that a CLI receives. */
  onPrompt: (prompt: Frame) => void = () => {};
  greeting: Greeting = "well";
  /** Nothing can be started. */
  isMissing = false;
  #isWellBehaved = false;

  readonly launcher = (request: LaunchRequest): LaunchedCli => {
    if (this.isMissing) throw new ClaudeExit("could not start claude: ENOENT");
    const cli = new RandomCli(request, this);
    if (this.#isWellBehaved) cli.behave();
    this.runs.push(cli);
    return { link: cli.link, ready: () => {} };
  };

  behave(): void {
    this.#isWellBehaved = true;
    this.isMissing = false;
    for (const cli of this.runs) cli.behave();
  }
}
