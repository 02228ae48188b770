/**
 * Conversation: a person and an agent, prompt after prompt.
 *
 * Holds the session and how it is set, hands updates to the story and questions to
 * the front. Whatever the agent does, the person can stop it and leave.
 */
import {
  type AvailableCommand,
  block,
  type ClientConnection,
  type ClientHandlers,
  type PromptResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "../../acp/index.ts";
import { ConnectionClosed, RpcError } from "../../rpc/index.ts";
import type { Frontend } from "./frontend/frontend.ts";
import { sanitizeLine } from "./render/sanitize.ts";
import type { Theme } from "./render/theme.ts";
import { noAnswer, outcomeLines } from "./render/permission-prompt.ts";
import { helpLines, type OwnCommand, ownCommand, slashWords, optionLines } from "./slash-commands.ts";
import { duration, ConversationRenderer } from "./render/conversation-renderer.ts";
import {
  choiceNamed,
  setOption,
  nextValue,
  withUpdate,
  type SessionOptionState,
  shownValue,
  type SessionOption,
  sessionOptions,
} from "./session-options.ts";

export interface ConversationOptions {
  readonly front: Frontend;
  readonly theme: Theme;
  /** Only what the agent says is printed. */
  readonly isQuiet: boolean;
  /** Prompts are printed, for they were not typed here. */
  readonly echoes: boolean;
  /** An error as a sentence for the person. */
  readonly explain: (cause: unknown) => string;
}

export class Conversation {
  readonly #options: ConversationOptions;
  #agent: ClientConnection | undefined;
  #renderer: ConversationRenderer;
  #sessionId = "";
  #switches: readonly SessionOption[] = [];
  #commands: readonly AvailableCommand[] = [];
  #asking: Promise<unknown> = Promise.resolve();
  #switching: Promise<void> = Promise.resolve();
  #turn: AbortController | undefined;
  #hasFailed = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#renderer = new ConversationRenderer(options.theme);
    options.front.open({
      live: (frame, nowMs) => this.#renderer.live(frame, nowMs),
      doing: () => this.#renderer.doing,
      status: () => this.#status(),
      words: () => slashWords(this.#commands),
      onStop: () => this.#turn?.abort(),
      onSwitch: (category) => {
        // One after the other: each begins where the one before has ended.
        this.#switching = this.#switching.then(() => this.#cycle(category));
      },
    });
  }

  /** Whether a prompt came to nothing. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  handlers(): ClientHandlers {
    const { front } = this.#options;
    return {
      "session/update": ({ sessionId, update }) => {
        // What an earlier session still has to say belongs to nobody.
        if (this.#sessionId === "" || sessionId === this.#sessionId) this.#take(update);
        return front.drained();
      },
      "session/request_permission": (request, { signal }) => {
        // One after the other, each below what it is about.
        const answer = this.#asking.then(() => this.#ask(request, signal));
        this.#asking = answer.catch(() => {});
        return answer;
      },
    };
  }

  async #ask({ toolCall, options }: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const { front, theme, isQuiet } = this.#options;
    if (signal.aborted) return { outcome: noAnswer };
    const { printed, whole, isCut } = this.#renderer.propose(toolCall, Date.now());
    if (!isQuiet || theme.isLive) this.#print(printed);
    const outcome = await front.choose({ options, whole, isCut }, signal);
    if (!isQuiet) this.#print(outcomeLines(options, outcome, theme));
    return { outcome };
  }

  /** Goes on with an open session; the one before it is closed. */
  enter(agent: ClientConnection, sessionId: string, state: SessionOptionState): void {
    const before = this.#sessionId;
    const mayClose = agent.agentCapabilities.sessionCapabilities?.close != null;
    if (before !== "" && mayClose) agent.call("session/close", { sessionId: before }).catch(() => {});
    this.#agent = agent;
    this.#sessionId = sessionId;
    this.#switches = sessionOptions(state);
    this.#options.front.refresh();
  }

  /** Sets an option by the words a person has for it. */
  async set(word: string, value: string): Promise<void> {
    const one = this.#switches.find(({ id, category }) => category === word || id === word);
    if (one === undefined) return this.#complain(`there is no ${word} to choose here`);
    const choice = choiceNamed(one, value);
    if (choice === undefined) {
      return this.#complain(
        `${word} can be ${one.choices.map((choiceOf) => choiceOf.value).join(", ") || "nothing else"}`,
      );
    }
    await this.#flip(one, choice);
    const now = this.#switches.find(({ id }) => id === one.id);
    if (now !== undefined) this.tell([this.#options.theme.paint.dim(`${sanitizeLine(now.name)}: ${shownValue(now)}`)]);
  }

  /** Says something of our own. */
  tell(lines: readonly string[]): undefined {
    if (!this.#options.isQuiet) this.#print(this.#renderer.remark(lines));
  }

  /** Takes what the person says until they leave. Rejects when the agent is gone. */
  async run(first: string | undefined, renew: () => Promise<void>): Promise<void> {
    const { front } = this.#options;
    if (first !== undefined) await this.#hear(first, renew);
    for (;;) {
      const said = await Promise.race([front.next(), this.#gone()]);
      if (said === undefined || (await this.#hear(said, renew)) === "left") return;
    }
  }

  async #hear(said: string, renew: () => Promise<void>): Promise<"left" | undefined> {
    if (said.trim() === "") return undefined;
    if (this.#options.echoes && !this.#options.isQuiet) this.#print(this.#renderer.prompt(said));
    const command = ownCommand(said);
    if (command?.word === "quit") return "left";
    if (command !== undefined) return this.#obey(command, renew);
    return this.#prompt(said);
  }

  async #prompt(text: string): Promise<"left" | undefined> {
    const { front } = this.#options;
    const turn = new AbortController();
    const startedAtMs = Date.now();
    this.#turn = turn;
    front.busy("");
    try {
      const prompt = [block.text(text)];
      const answer = this.#agent?.prompt({ sessionId: this.#sessionId, prompt }, { signal: turn.signal });
      const left = front.left.then((): "left" => "left");
      const response = await Promise.race([answer, left]);
      if (response === "left") {
        // The agent is told to stop; whatever it still answers is for nobody.
        turn.abort();
        answer?.catch(() => {});
        return "left";
      }
      this.#print(this.#renderer.end());
      this.#summary(response, Date.now() - startedAtMs);
    } catch (cause) {
      this.#print(this.#renderer.end());
      if (cause instanceof ConnectionClosed) throw cause;
      this.#complain(this.#options.explain(cause));
      this.#hasFailed = true;
    } finally {
      this.#turn = undefined;
      // A question of a turn that is over is nobody's.
      this.#agent?.permissions.cancel(this.#sessionId);
      front.busy(undefined);
    }
    return undefined;
  }

  /** How it ended, how long it took, how full the context is, what it cost. */
  #summary(response: PromptResponse | undefined, tookMs: number): void {
    const { paint } = this.#options.theme;
    const { used, size, cost } = this.#renderer.usage ?? {};
    const parts = [
      response === undefined || response.stopReason === "end_turn" ? "" : response.stopReason.replaceAll("_", " "),
      duration(tookMs),
      used === undefined || size === undefined ? "" : `${amount(used)} of ${amount(size)} tokens`,
      cost == null
        ? ""
        : sanitizeLine(cost.currency === "USD" ? `$${cost.amount.toFixed(2)}` : `${cost.amount} ${cost.currency}`),
    ];
    this.tell([paint.dim(parts.filter((part) => part !== "").join(" · "))]);
  }

  async #obey({ word, rest }: OwnCommand, renew: () => Promise<void>): Promise<undefined> {
    const [first, ...others] = rest;
    if (word === "help") return this.tell(helpLines(slashWords(this.#commands), this.#options.theme));
    if (word === "new") {
      await renew();
      return;
    }
    const [option, values] = word === "set" ? [first, others] : [word, rest];
    if (values.length === 0) this.#list(option);
    else await this.set(option ?? "", values.join(" "));
  }

  #list(word: string | undefined): void {
    const listed = this.#switches.filter(({ id, category }) => word === undefined || word === id || word === category);
    if (listed.length === 0) this.#complain("there is nothing of that kind to choose here");
    else this.tell(listed.flatMap((one) => optionLines(one, this.#options.theme)));
  }

  async #cycle(category: "mode" | "model"): Promise<void> {
    const one = this.#switches.find((candidate) => candidate.category === category);
    const value = one && nextValue(one);
    if (one !== undefined && value !== undefined) await this.#flip(one, value);
  }

  async #flip(one: SessionOption, value: string): Promise<void> {
    if (this.#agent === undefined) return;
    try {
      this.#switches = await setOption(this.#agent, this.#sessionId, this.#switches, one, value);
    } catch (cause) {
      if (!(cause instanceof ConnectionClosed)) this.#complain(this.#options.explain(cause));
    }
    this.#options.front.refresh();
  }

  #take(update: SessionUpdate): void {
    const { front, isQuiet } = this.#options;
    this.#switches = withUpdate(this.#switches, update);
    if (update.sessionUpdate === "available_commands_update") this.#commands = update.availableCommands;
    const isWords = update.sessionUpdate === "agent_message_chunk";
    if (!isQuiet || isWords) this.#print(this.#renderer.take(update, Date.now()));
    front.refresh();
  }

  #status(): string {
    const shown = ["mode", "model"].flatMap((category) => this.#switches.filter((one) => one.category === category));
    const values = shown.map(shownValue).join(" · ");
    return values === "" ? "/help" : `${values} · shift-tab mode · ctrl-o model · /help`;
  }

  #complain(text: string): void {
    this.#print(this.#renderer.notice(text, true));
  }

  #print(lines: readonly string[]): void {
    if (lines.length > 0) this.#options.front.print(lines);
  }

  /** Rejects when the agent goes. */
  async #gone(): Promise<never> {
    const reason = await this.#agent?.closed;
    throw new ConnectionClosed(reason ?? "the agent is gone");
  }
}

/** What an error has to say to a person. */
export function sentenceOf(cause: unknown): string {
  if (cause instanceof RpcError) return sanitizeLine(cause.message);
  return cause instanceof Error ? sanitizeLine(cause.message) : "something went wrong";
}

/** 950, 17.7k, 1M. */
function amount(count: number): string {
  const scaled = (unit: number, sign: string): string => `${Number((count / unit).toPrecision(3))}${sign}`;
  return count >= 1_000_000 ? scaled(1_000_000, "M") : count >= 1000 ? scaled(1000, "k") : String(count);
}
