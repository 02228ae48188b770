/**
 * The conversation between the user and one agent, prompt after prompt.
 *
 * Holds the session and its options, passes updates to the renderer and permission
 * requests to the frontend. Whatever the agent does, the user can stop it and leave.
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
import { sanitizeLine, visibleLine } from "./render/sanitize.ts";
import type { Theme } from "./render/theme.ts";
import { isAllowing, noAnswer, outcomeLines } from "./render/permission-prompt.ts";
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
  readonly frontend: Frontend;
  readonly theme: Theme;
  /** Prints only the agent's text. */
  readonly isQuiet: boolean;
  /** Prints prompts too, because the terminal did not echo them. */
  readonly echoes: boolean;
  /** Converts an error to a sentence for the user. */
  readonly explain: (cause: unknown) => string;
  /** Reports on stderr what was refused because the user could not be asked. */
  readonly onRefused: (what: string) => void;
}

export class Conversation {
  readonly #options: ConversationOptions;
  #agent: ClientConnection | undefined;
  #renderer: ConversationRenderer;
  #sessionId = "";
  #sessionOptions: readonly SessionOption[] = [];
  #commands: readonly AvailableCommand[] = [];
  #lastQuestion: Promise<unknown> = Promise.resolve();
  #lastSwitch: Promise<void> = Promise.resolve();
  #turn: AbortController | undefined;
  #hasFailed = false;
  #hasRefused = false;

  constructor(options: ConversationOptions) {
    this.#options = options;
    this.#renderer = new ConversationRenderer(options.theme);
    options.frontend.open({
      live: (frame, nowMs) => this.#renderer.live(frame, nowMs),
      doing: () => this.#renderer.doing,
      status: () => this.#status(),
      words: () => slashWords(this.#commands),
      onStop: () => this.#turn?.abort(),
      onSwitch: (category) => {
        // Serialized: each change starts from the value the previous one has set.
        this.#lastSwitch = this.#lastSwitch.then(() => this.#cycle(category));
      },
    });
  }

  /** Whether a prompt failed. */
  get hasFailed(): boolean {
    return this.#hasFailed;
  }

  /** Whether a permission was refused because the user could not be asked. */
  get hasRefused(): boolean {
    return this.#hasRefused;
  }

  handlers(): ClientHandlers {
    const { frontend } = this.#options;
    return {
      "session/update": ({ sessionId, update }) => {
        // Late updates of a session that was closed are dropped.
        if (this.#sessionId === "" || sessionId === this.#sessionId) this.#take(update);
        return frontend.drained();
      },
      "session/request_permission": (request, { signal }) => {
        // Serialized: each question appears directly below the call it asks about.
        const answer = this.#lastQuestion.then(() => this.#ask(request, signal));
        this.#lastQuestion = answer.catch(() => {});
        return answer;
      },
    };
  }

  async #ask({ toolCall, options }: RequestPermissionRequest, signal: AbortSignal): Promise<RequestPermissionResponse> {
    const { frontend, theme, isQuiet } = this.#options;
    if (signal.aborted) return { outcome: noAnswer };
    // The text before the question; quiet mode prints it, but not the question.
    this.#print(this.#renderer.flush());
    const { printed, whole, isCut } = this.#renderer.propose(toolCall, Date.now());
    if (!isQuiet || theme.isLive) this.#print(printed);
    const outcome = await frontend.choose({ options, whole, isCut }, signal);
    if (!isQuiet) this.#print(outcomeLines(options, outcome, theme));
    const isAllowed = outcome.outcome === "selected" && isAllowing(options, outcome.optionId);
    if (!frontend.isAttended && !isAllowed) this.#onRefused(visibleLine(toolCall.title ?? toolCall.toolCallId));
    return { outcome };
  }

  /** A permission was refused because the user could not be asked. */
  #onRefused(title: string): void {
    this.#hasRefused = true;
    this.#options.onRefused(title);
  }

  /** Switches to an open session and closes the previous one. */
  enter(agent: ClientConnection, sessionId: string, state: SessionOptionState): void {
    const before = this.#sessionId;
    const mayClose = agent.agentCapabilities.sessionCapabilities?.close != null;
    if (before !== "" && mayClose) agent.call("session/close", { sessionId: before }).catch(() => {});
    this.#agent = agent;
    this.#sessionId = sessionId;
    this.#sessionOptions = sessionOptions(state);
    this.#options.frontend.refresh();
  }

  /** Sets a session option; `word` is its id or category, `value` as the user typed it. */
  async set(word: string, value: string): Promise<void> {
    const one = this.#sessionOptions.find(({ id, category }) => category === word || id === word);
    if (one === undefined) return this.#printError(`there is no ${word} to choose here`);
    const choice = choiceNamed(one, value);
    if (choice === undefined) {
      return this.#printError(`${word} can be ${one.choices.map((known) => known.value).join(", ") || "nothing else"}`);
    }
    await this.#setOption(one, choice);
    const now = this.#sessionOptions.find(({ id }) => id === one.id);
    if (now !== undefined) this.tell([this.#options.theme.paint.dim(`${sanitizeLine(now.name)}: ${shownValue(now)}`)]);
  }

  /** Prints lines of the program itself, unless it is quiet. */
  tell(lines: readonly string[]): undefined {
    if (!this.#options.isQuiet) this.#print(this.#renderer.remark(lines));
  }

  /** Handles the user's lines until the user leaves. Rejects when the agent is gone. */
  async run(first: string | undefined, openNew: () => Promise<void>): Promise<void> {
    const { frontend } = this.#options;
    if (first !== undefined) await this.#handleLine(first, openNew);
    for (;;) {
      const line = await Promise.race([frontend.next(), this.#agentGone()]);
      if (line === undefined || (await this.#handleLine(line, openNew)) === "left") return;
    }
  }

  async #handleLine(line: string, openNew: () => Promise<void>): Promise<"left" | undefined> {
    if (line.trim() === "") return undefined;
    if (this.#options.echoes && !this.#options.isQuiet) this.#print(this.#renderer.prompt(line));
    const command = ownCommand(line);
    if (command?.word === "quit") return "left";
    if (command !== undefined) return this.#runCommand(command, openNew);
    return this.#prompt(line);
  }

  async #prompt(text: string): Promise<"left" | undefined> {
    const { frontend } = this.#options;
    const turn = new AbortController();
    const startedAtMs = Date.now();
    this.#turn = turn;
    frontend.busy("");
    try {
      const prompt = [block.text(text)];
      const answer = this.#agent?.prompt({ sessionId: this.#sessionId, prompt }, { signal: turn.signal });
      const left = frontend.left.then((): "left" => "left");
      const response = await Promise.race([answer, left]);
      if (response === "left") {
        // Cancels the turn; its late response is dropped.
        turn.abort();
        answer?.catch(() => {});
        return "left";
      }
      this.#endTurn();
      this.#summary(response, Date.now() - startedAtMs);
    } catch (cause) {
      this.#endTurn();
      if (cause instanceof ConnectionClosed) throw cause;
      this.#printError(this.#options.explain(cause));
      this.#hasFailed = true;
    } finally {
      this.#turn = undefined;
      // Questions of a finished turn are withdrawn.
      this.#agent?.permissions.cancel(this.#sessionId);
      frontend.busy(undefined);
    }
    return undefined;
  }

  /** Prints what is still open; quiet mode prints only the text. */
  #endTurn(): void {
    const words = this.#renderer.flush();
    const rest = this.#renderer.end();
    this.#print(this.#options.isQuiet ? words : [...words, ...rest]);
  }

  /** Prints stop reason, duration, context usage and cost. */
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

  async #runCommand({ word, rest }: OwnCommand, openNew: () => Promise<void>): Promise<undefined> {
    const [first, ...others] = rest;
    if (word === "help") return this.tell(helpLines(slashWords(this.#commands), this.#options.theme));
    if (word === "new") {
      await openNew();
      return;
    }
    const [option, values] = word === "set" ? [first, others] : [word, rest];
    if (values.length === 0) this.#list(option);
    else await this.set(option ?? "", values.join(" "));
  }

  #list(word: string | undefined): void {
    const listed = this.#sessionOptions.filter(
      ({ id, category }) => word === undefined || word === id || word === category,
    );
    if (listed.length === 0) this.#printError("there is nothing of that kind to choose here");
    else this.tell(listed.flatMap((one) => optionLines(one, this.#options.theme)));
  }

  async #cycle(category: "mode" | "model"): Promise<void> {
    const one = this.#sessionOptions.find((candidate) => candidate.category === category);
    const value = one && nextValue(one);
    if (one !== undefined && value !== undefined) await this.#setOption(one, value);
  }

  async #setOption(one: SessionOption, value: string): Promise<void> {
    if (this.#agent === undefined) return;
    try {
      this.#sessionOptions = await setOption(this.#agent, this.#sessionId, this.#sessionOptions, one, value);
    } catch (cause) {
      if (!(cause instanceof ConnectionClosed)) this.#printError(this.#options.explain(cause));
    }
    this.#options.frontend.refresh();
  }

  #take(update: SessionUpdate): void {
    const { frontend, isQuiet } = this.#options;
    this.#sessionOptions = withUpdate(this.#sessionOptions, update);
    if (update.sessionUpdate === "available_commands_update") this.#commands = update.availableCommands;
    const isWords = update.sessionUpdate === "agent_message_chunk";
    if (!isQuiet || isWords) this.#print(this.#renderer.take(update, Date.now()));
    frontend.refresh();
  }

  #status(): string {
    const shown = ["mode", "model"].flatMap((category) =>
      this.#sessionOptions.filter((one) => one.category === category),
    );
    const values = shown.map(shownValue).join(" · ");
    return values === "" ? "/help" : `${values} · shift-tab mode · ctrl-o model · /help`;
  }

  #printError(text: string): void {
    this.#print(this.#renderer.notice(text, true));
  }

  #print(lines: readonly string[]): void {
    if (lines.length > 0) this.#options.frontend.print(lines);
  }

  /** Rejects when the connection to the agent closes. */
  async #agentGone(): Promise<never> {
    const reason = await this.#agent?.closed;
    throw new ConnectionClosed(reason ?? "the agent is gone");
  }
}

/** The message of an error, safe to print. */
export function sentenceOf(cause: unknown): string {
  if (cause instanceof RpcError) return sanitizeLine(cause.message);
  return cause instanceof Error ? sanitizeLine(cause.message) : "something went wrong";
}

/** Formats a count: 950, 17.7k, 1M. */
function amount(count: number): string {
  const scaled = (unit: number, sign: string): string => `${Number((count / unit).toPrecision(3))}${sign}`;
  return count >= 1_000_000 ? scaled(1_000_000, "M") : count >= 1000 ? scaled(1000, "k") : String(count);
}
