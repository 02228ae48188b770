/**
 * The conversation of a chat that is connected: reads prompts from the frontend, sends them to
 * the agent, and handles the chat's own commands (slash-commands.ts).
 *
 * Holds the session, passes updates to the renderer and permission requests to the frontend.
 * Whatever the agent does, the user can stop it and leave. chat.ts starts and stops the agent.
 */
import {
  type AvailableCommand,
  block,
  type ClientConnection,
  type ClientHandlers,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
  type SessionUpdate,
} from "../../acp/index.ts";
import { ConnectionClosed } from "../../rpc/index.ts";
import { isRecord, textOf } from "../../schema/index.ts";
import type { Frontend } from "./frontend/frontend.ts";
import { fileCompletions, messageBlocks } from "./attachments.ts";
import { PastedImages } from "./clipboard-image.ts";
import { nextStep } from "./error-sentence.ts";
import { fillForm } from "./fill-form.ts";
import type { SlashCompletion } from "./input/input-view.ts";
import { pickSaved } from "./saved-conversations.ts";
import { runShell } from "./shell-command.ts";
import { sanitizeLine, sanitizeOutput, visibleLine } from "./render/sanitize.ts";
import { wrap } from "./render/text-width.ts";
import { glyphs, type Theme } from "./render/theme.ts";
import { isAllowing, noAnswer, outcomeLines, questionWords, reasonOption } from "./render/permission-prompt.ts";
import { helpLines, type OwnCommand, ownCommand, slashWords, unknownCommand } from "./slash-commands.ts";
import { turnSummary } from "./render/turn-summary.ts";
import { ConversationRenderer } from "./render/conversation-renderer.ts";
import { ChosenOptions } from "./chosen-options.ts";
import type { SessionOptionState } from "./session-options.ts";

export interface ChatConversationOptions {
  readonly frontend: Frontend;
  readonly theme: Theme;
  readonly cwd: string;
  /** Prints only the agent's text. */
  readonly isQuiet: boolean;
  /** Prints prompts too, because the terminal did not echo them. */
  readonly echoes: boolean;
  /** Converts an error to a sentence for the user. */
  readonly explain: (cause: unknown) => string;
  /** Reports on stderr what was refused because the user could not be asked. */
  readonly onRefused: (what: string) => void;
}

/** Opens another session: the saved one with this id, or a new one. */
export type OpenSession = (sessionId: string | undefined) => Promise<void>;

export class ChatConversation {
  readonly #options: ChatConversationOptions;
  readonly #chosen: ChosenOptions;
  #agent: ClientConnection | undefined;
  #renderer: ConversationRenderer;
  #sessionId = "";
  /** A saved session that is being loaded: its updates come before it is entered. */
  #loading: string | undefined;
  #commands: readonly AvailableCommand[] = [];
  #lastQuestion: Promise<unknown> = Promise.resolve();
  #turn: AbortController | undefined;
  #hasFailed = false;
  #hasRefused = false;
  #hasAnswered = false;
  /** Messages that could not be added to the running turn. */
  readonly #queued: string[] = [];
  /** The output of a command that goes with the next message. */
  #context = "";
  readonly #pasted = new PastedImages();
  #completions: { readonly text: string; readonly files: readonly SlashCompletion[] } = { text: "", files: [] };

  constructor(options: ChatConversationOptions) {
    this.#options = options;
    this.#renderer = new ConversationRenderer(options.theme);
    this.#chosen = new ChosenOptions({
      theme: options.theme,
      explain: options.explain,
      tell: (lines) => this.tell(lines),
      printError: (text) => this.#printError(text),
      onChanged: () => options.frontend.refresh(),
    });
    options.frontend.open({
      live: (frame, nowMs) => this.#renderer.live(frame, nowMs),
      doing: () => this.#renderer.doing,
      status: () => this.#chosen.statusLine,
      isRisky: () => this.#chosen.isRisky,
      words: () => slashWords(this.#commands),
      files: (text) => this.#files(text),
      onUnfold: () => this.#unfold(),
      onRewind: () => this.#rewind(),
      onPasteImage: () => this.#pasteImage(),
      onStop: () => this.#turn?.abort(),
      onSwitch: (category) => this.#chosen.switchToNext(category),
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

  /** The session, once a prompt in it was answered. */
  get answeredSession(): string | undefined {
    return this.#hasAnswered ? this.#sessionId : undefined;
  }

  handlers(): ClientHandlers {
    const { frontend } = this.#options;
    return {
      // Without a terminal no form is offered; questions then come as permission requests and are refused.
      ...(frontend.isAttended && {
        "elicitation/create": (request, { signal }) => {
          const answer = this.#lastQuestion.then(() => this.#fill(request, signal));
          this.#lastQuestion = answer.catch(() => {});
          return answer;
        },
      }),
      "session/update": ({ sessionId, update }) => {
        // Late updates of a session that was closed are dropped.
        if (["", sessionId].includes(this.#sessionId) || sessionId === this.#loading) this.#take(update);
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
    const { frontend, theme, isQuiet, cwd } = this.#options;
    if (signal.aborted) return { outcome: noAnswer };
    // The text before the question; quiet mode prints it, but not the question.
    this.#print(this.#renderer.flush());
    const { printed, whole, isCut, kind } = this.#renderer.propose(toolCall, Date.now(), cwd);
    const asked = questionWords(kind, options, toolCall.title);
    if (!isQuiet || theme.isLive) this.#print(printed);
    // Only a running turn can take a message that changes its course.
    const takesInstead = this.#turn !== undefined && options.some(({ kind }) => kind === "reject_once");
    const { outcome, instead } = await frontend.choose({ options, asked, whole, isCut, takesInstead }, signal);
    const takesReason = options.some(({ optionId }) => optionId === reasonOption);
    if (instead !== undefined && !takesReason) setImmediate(() => void this.#steer(instead));
    const reason = takesReason ? instead : undefined;
    if (!isQuiet) this.#print(outcomeLines(options, outcome, theme, reason));
    const isAllowed = outcome.outcome === "selected" && isAllowing(options, outcome.optionId);
    if (!frontend.isAttended && !isAllowed) this.#onRefused(visibleLine(toolCall.title ?? toolCall.toolCallId));
    if (reason === undefined || outcome.outcome === "cancelled") return { outcome };
    return { outcome: { ...outcome, _meta: { reason } } };
  }

  /** Fills in a form of the agent. */
  async #fill(request: CreateElicitationRequest, signal: AbortSignal): Promise<CreateElicitationResponse> {
    this.#print(this.#renderer.flush());
    const response = await fillForm(request, {
      pick: (list) => this.#options.frontend.pick(list, signal),
      tell: (text) =>
        this.tell(
          wrap(
            `  ${this.#options.theme.paint.dim(`${glyphs.answer} ${visibleLine(text)}`)}`,
            this.#options.theme.columns(),
            "    ",
          ),
        ),
    });
    const call = "toolCallId" in request ? request.toolCallId : undefined;
    if (response.action === "accept" && typeof call === "string") this.#renderer.answered(call);
    return response;
  }

  /** Adds a message to the running turn; an agent that cannot do that gets it as the next prompt. */
  async #steer(text: string): Promise<void> {
    this.#print(this.#renderer.prompt(text));
    try {
      const params = { sessionId: this.#sessionId, prompt: [block.text(text)] };
      await this.#agent?.callExtension("_session/steer", params);
    } catch {
      this.#queued.push(text);
    }
  }

  /** A permission was refused because the user could not be asked. */
  #onRefused(title: string): void {
    this.#hasRefused = true;
    this.#options.onRefused(title);
  }

  /** The next session is this saved one. */
  load(sessionId: string): void {
    this.#loading = sessionId;
  }

  /** Switches to an open session and closes the previous one. */
  enter(agent: ClientConnection, sessionId: string, state: SessionOptionState): void {
    const before = this.#sessionId;
    const mayClose = agent.agentCapabilities.sessionCapabilities?.close != null;
    if (before !== "" && mayClose) agent.call("session/close", { sessionId: before }).catch(() => {});
    this.#agent = agent;
    this.#sessionId = sessionId;
    this.#loading = undefined;
    this.#chosen.enter(agent, sessionId, state);
  }

  /** Sets a session option; `word` is its id or category, `value` as the user typed it. */
  set(word: string, value: string): Promise<void> {
    return this.#chosen.set(word, value);
  }

  /** Prints lines of the program itself, unless it is quiet. */
  tell(lines: readonly string[]): undefined {
    if (!this.#options.isQuiet) this.#print(this.#renderer.remark(lines));
  }

  /** Handles the user's lines until the user leaves. Rejects when the agent is gone. */
  async run(first: string | undefined, openNew: OpenSession): Promise<void> {
    const { frontend } = this.#options;
    if (first !== undefined) await this.#handleLine(first, openNew);
    for (;;) {
      const line = this.#queued.shift() ?? (await Promise.race([frontend.next(), this.#agentGone()]));
      if (line === undefined || (await this.#handleLine(line, openNew)) === "left") return;
    }
  }

  async #handleLine(line: string, openNew: OpenSession): Promise<"left" | undefined> {
    if (line.trim() === "") return undefined;
    if (this.#options.echoes && !this.#options.isQuiet) this.#print(this.#renderer.prompt(line));
    const command = ownCommand(line);
    if (command?.word === "quit") return "left";
    if (command !== undefined) return this.#runCommand(command, openNew);
    if (line.startsWith("!") && line.length > 1) return this.#runShell(line);
    const hint = this.#commands.length === 0 ? undefined : unknownCommand(line, slashWords(this.#commands));
    if (hint === undefined) return this.#prompt(line);
    this.#printError(hint);
    this.#hasFailed = true;
    return undefined;
  }

  async #prompt(text: string): Promise<"left" | undefined> {
    const { frontend } = this.#options;
    const turn = new AbortController();
    const startedAtMs = Date.now();
    this.#turn = turn;
    frontend.busy("");
    try {
      const files = messageBlocks(this.#context + text, this.#options.cwd, this.#takesImages);
      const prompt = [...files, ...this.#pasted.namedIn(text)];
      this.#context = "";
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
      const summary = turnSummary(response, Date.now() - startedAtMs, this.#renderer.usage ?? {});
      this.tell([this.#options.theme.paint.dim(summary)]);
      this.#hasAnswered = true;
      const rewound = rewoundText(response?._meta);
      if (rewound !== undefined) frontend.prefill(rewound);
    } catch (cause) {
      this.#endTurn();
      if (cause instanceof ConnectionClosed) throw cause;
      this.#printError(`${this.#options.explain(cause)}${nextStep(cause)}`);
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

  /** `!command` runs in the user's shell; `!!command` also gives its output to the agent with the next message. */
  async #runShell(line: string): Promise<undefined> {
    const { frontend, theme, cwd } = this.#options;
    const isShared = line.startsWith("!!");
    const command = line.replace(/^!+\s*/, "");
    const turn = new AbortController();
    this.#turn = turn;
    frontend.busy(sanitizeLine(command));
    const { output, status } = await runShell(command, cwd, process.env, turn.signal);
    this.#turn = undefined;
    frontend.busy(undefined);
    const shown = sanitizeOutput(output).trimEnd().split("\n");
    if (isShared) this.#context = `I ran \`${command}\` (${status}):\n\n${sanitizeOutput(output)}\n\n`;
    const note = isShared ? "; the output goes with your next message" : "; the agent does not see this, !! shares it";
    this.tell([...shown.map((row) => `  ${row}`), theme.paint.dim(`  ${status}${note}`)]);
  }

  #files(text: string): readonly SlashCompletion[] {
    if (this.#completions.text !== text) this.#completions = { text, files: fileCompletions(text, this.#options.cwd) };
    return this.#completions.files;
  }

  get #takesImages(): boolean {
    return this.#agent?.agentCapabilities.promptCapabilities?.image === true;
  }

  #pasteImage(): ReturnType<PastedImages["paste"]> {
    if (!this.#takesImages) return Promise.resolve({ problem: "this agent takes no images" });
    return this.#pasted.paste(process.env);
  }

  #unfold(): undefined {
    const lines = this.#renderer.unfolded();
    this.tell(lines.length === 0 ? [this.#options.theme.paint.dim("there is no folded output")] : lines);
  }

  #rewind(): void {
    if (this.#commands.some(({ name }) => name === "rewind")) this.#options.frontend.submit("/rewind");
  }

  async #runCommand({ word, rest }: OwnCommand, openNew: OpenSession): Promise<undefined> {
    const [first, ...others] = rest;
    if (word === "help") return this.tell(helpLines(slashWords(this.#commands), this.#options.theme));
    if (word === "output") return this.#unfold();
    if (word === "new") return openNew(undefined).then(() => undefined);
    if (word === "resume") {
      if (this.#agent?.agentCapabilities.loadSession !== true)
        return this.#printError("this agent keeps no conversations");
      const { frontend, cwd } = this.#options;
      const sessionId = first ?? (await pickSaved(this.#agent, frontend, cwd, (text) => this.#printError(text)));
      if (sessionId !== undefined)
        await openNew(sessionId).catch((cause: unknown) => this.#printError(this.#options.explain(cause)));
      return;
    }
    const [option, values] = word === "set" ? [first, others] : [word, rest];
    if (values.length === 0) this.#chosen.list(option);
    else await this.set(option ?? "", values.join(" "));
  }

  #take(update: SessionUpdate): void {
    const { frontend, isQuiet } = this.#options;
    this.#chosen.take(update);
    if (update.sessionUpdate === "available_commands_update") this.#commands = update.availableCommands;
    const isWords = update.sessionUpdate === "agent_message_chunk";
    if (!isQuiet || isWords) this.#print(this.#renderer.take(update, Date.now()));
    frontend.refresh();
  }

  #printError(text: string): undefined {
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

/** The text of a prompt that `/rewind` has taken back; undefined without one, or when it was more than text. */
function rewoundText(meta: Readonly<Record<string, unknown>> | null | undefined): string | undefined {
  const bowline = meta?.["bowline"];
  const rewound = isRecord(bowline) ? bowline["rewound"] : undefined;
  const prompt = isRecord(rewound) ? rewound["prompt"] : undefined;
  const [only, ...more]: readonly unknown[] = Array.isArray(prompt) ? prompt : [];
  return isRecord(only) && more.length === 0 ? textOf(only["text"]) : undefined;
}
