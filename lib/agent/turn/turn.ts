/**
 * One prompt, from its arrival to its answer. A turn is settled exactly once.
 *
 * Holds the prompt and the state; turn-state.ts has the transitions. Has no timers and
 * knows no engine: `run` does what a transition asks for.
 */
import type { ContentBlock } from "../../acp/index.ts";
import type { Prompt, TurnEnd } from "../../engine/index.ts";
import { transition, type TurnAction, type TurnInput, type TurnState } from "./turn-state.ts";

/** Computes the prompt's content when it is about to be sent, for example with the editor's unsaved text. */
export type Refine = () => Promise<readonly ContentBlock[]>;

export class Turn {
  readonly id: string;
  /** Resolves when the turn is settled. Never rejects. */
  readonly ended: Promise<TurnEnd>;
  /** Prompts that `_session/steer` added to this turn. */
  readonly added: Prompt[] = [];
  readonly #refine: Refine | undefined;
  readonly #preface: readonly string[] | undefined;
  readonly #run: (action: Exclude<TurnAction, "settle">, turn: Turn) => void;
  #content: readonly ContentBlock[];
  #state: TurnState = { kind: "idle" };
  #settle: (end: TurnEnd) => void = () => {};

  constructor(
    id: string,
    content: readonly ContentBlock[],
    refine: Refine | undefined,
    run: (action: Exclude<TurnAction, "settle">, turn: Turn) => void,
    preface?: readonly string[],
  ) {
    this.id = id;
    this.#content = content;
    this.#refine = refine;
    this.#run = run;
    this.#preface = preface;
    this.ended = new Promise((resolve) => (this.#settle = resolve));
  }

  get prompt(): Prompt {
    const preface = this.#preface;
    return { id: this.id, content: this.#content, ...(preface !== undefined && { preface }) };
  }

  get state(): TurnState["kind"] {
    return this.#state.kind;
  }

  get isSettled(): boolean {
    return this.#state.kind === "settled";
  }

  /** Computes the final content. If that fails, the original content is sent. */
  async prepare(): Promise<void> {
    this.#content = (await this.#refine?.().catch(() => undefined)) ?? this.#content;
  }

  /** Applies an input and does what the transition asks for. */
  take(input: TurnInput): void {
    const { state, action } = transition(this.#state, input);
    this.#state = state;
    if (state.kind === "settled" && action !== undefined) this.#settle(state.end);
    if (action !== undefined && action !== "settle") this.#run(action, this);
  }
}
