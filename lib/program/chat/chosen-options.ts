/**
 * The options of the session as the user sees and changes them: the status line, the lists
 * of choices, `/set`, and the keys that switch to the next value.
 */
import type { ClientConnection, SessionUpdate } from "../../acp/index.ts";
import { ConnectionClosed } from "../../rpc/index.ts";
import { sanitizeLine } from "./render/sanitize.ts";
import { widthOf } from "./render/text-width.ts";
import type { Theme } from "./render/theme.ts";
import {
  choiceNamed,
  isRisky,
  nextValue,
  type SessionOption,
  type SessionOptionState,
  sessionOptions,
  setOption,
  shownValue,
  withUpdate,
} from "./session-options.ts";
import { optionLines } from "./slash-commands.ts";

/** The columns beside the status line. */
const statusMargin = 2;

export interface ChosenOptionsCallbacks {
  readonly theme: Theme;
  /** Converts an error to a sentence for the user. */
  readonly explain: (cause: unknown) => string;
  readonly tell: (lines: readonly string[]) => void;
  readonly printError: (text: string) => void;
  /** The status line may have changed. */
  readonly onChanged: () => void;
}

export class ChosenOptions {
  readonly #callbacks: ChosenOptionsCallbacks;
  #agent: ClientConnection | undefined;
  #sessionId = "";
  #options: readonly SessionOption[] = [];
  #lastSwitch: Promise<void> = Promise.resolve();

  constructor(callbacks: ChosenOptionsCallbacks) {
    this.#callbacks = callbacks;
  }

  /** Whether the mode asks for nothing. */
  get isRisky(): boolean {
    return this.#options.some(({ category, value }) => category === "mode" && isRisky(value));
  }

  /** The engine where there are two, the mode and the model, and how to change them. */
  get statusLine(): string {
    const engine = this.#options.filter(({ id }) => id === "route");
    const shown = [
      ...engine,
      ...["mode", "model"].flatMap((category) => this.#options.filter((one) => one.category === category)),
    ];
    const switches = engine.flatMap(({ choices, value }) =>
      choices.filter((one) => one.value !== value).map((one) => `/${sanitizeLine(one.value)}`),
    );
    const keys = shown.length === 0 ? [] : ["shift-tab mode", ...(switches.length === 0 ? [] : [switches.join(" ")])];
    const values = shown.map(shownValue);
    const withoutModel = shown.filter(({ category }) => category !== "model").map(shownValue);
    // In a narrow terminal what the user needs least is left out first.
    const forms = [[...values, ...keys], [...values, ...keys.slice(0, 1)], values, withoutModel, []];
    const lines = forms.map((parts) => [...parts, "/help"].join(" · "));
    const fitting = lines.find((line) => widthOf(line) <= this.#callbacks.theme.columns() - statusMargin);
    return fitting ?? "/help";
  }

  /** The session is another one. */
  enter(agent: ClientConnection, sessionId: string, state: SessionOptionState): void {
    this.#agent = agent;
    this.#sessionId = sessionId;
    this.#options = sessionOptions(state);
    this.#callbacks.onChanged();
  }

  /** The agent may have changed an option. */
  take(update: SessionUpdate): void {
    this.#options = withUpdate(this.#options, update);
  }

  /** Sets an option; `word` is its id or category, `value` as the user typed it. */
  async set(word: string, value: string): Promise<void> {
    const { theme, tell, printError } = this.#callbacks;
    const one = this.#options.find(({ id, category }) => category === word || id === word);
    if (one === undefined) return printError(`there is no ${word} to choose here`);
    const choice = choiceNamed(one, value);
    if (choice === undefined) {
      const known = one.choices.map((each) => each.value).join(", ");
      return printError(`${word} ${value} is not offered here; choose one of ${known || "none"}`);
    }
    await this.#set(one, choice);
    const now = this.#options.find(({ id }) => id === one.id);
    if (now !== undefined) tell([theme.paint.dim(`${sanitizeLine(now.name)}: ${shownValue(now)}`)]);
  }

  /** Shows the choices of the options with this id or category, or of all. */
  list(word: string | undefined): void {
    const { theme, tell, printError } = this.#callbacks;
    const listed = this.#options.filter(({ id, category }) => word === undefined || word === id || word === category);
    if (listed.length === 0) printError("there is nothing of that kind to choose here");
    else tell(listed.flatMap((one) => optionLines(one, theme)));
  }

  /** Sets the value after the current one. Serialized: each change starts from the value the previous one has set. */
  switchToNext(category: "mode" | "model"): void {
    this.#lastSwitch = this.#lastSwitch.then(async () => {
      const one = this.#options.find((candidate) => candidate.category === category);
      const value = one && nextValue(one);
      if (one !== undefined && value !== undefined) await this.#set(one, value);
    });
  }

  async #set(one: SessionOption, value: string): Promise<void> {
    const { explain, printError, onChanged } = this.#callbacks;
    if (this.#agent === undefined) return;
    try {
      this.#options = await setOption(this.#agent, this.#sessionId, this.#options, one, value);
    } catch (cause) {
      if (!(cause instanceof ConnectionClosed)) printError(explain(cause));
    }
    onChanged();
  }
}
