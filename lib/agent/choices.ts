/**
 * Choices: what is set in a session, the same in the CLI and in the editor.
 *
 * A change that one side makes reaches the other, and is told once. What is set
 * outlives a run of the CLI: the next one is started with it.
 */
import { type SessionUpdate, update } from "../acp/index.ts";
import type { ClaudeLaunch, Control, InitializeAnswer } from "../claude/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import type { EditorOffers } from "./editor-options.ts";
import {
  applySettings,
  changeOption,
  configOptions,
  launchSettings,
  modelNamed,
  type Offers,
  type Settings,
} from "./settings.ts";

export interface ChoicesEnds {
  readonly push: (update: SessionUpdate) => void;
  /** The model changed, for clients of the older dialect. */
  readonly onModel: (model: string | undefined) => void;
  /** False where the CLI would refuse bypassPermissions. */
  readonly mayBypass: boolean;
  readonly editor: () => EditorOffers;
}

export class Choices {
  readonly #ends: ChoicesEnds;
  #answer: InitializeAnswer = {};
  #settings: Settings;
  /** Until somebody has chosen a mode it is left to the user's own settings. */
  #isModeChosen: boolean;

  constructor(settings: Partial<Settings>, ends: ChoicesEnds) {
    this.#ends = ends;
    this.#settings = { mode: "default", autoResume: false, edits: false, commands: false, ...settings };
    this.#isModeChosen = settings.mode !== undefined;
  }

  get offers(): Offers {
    const { mayBypass, editor } = this.#ends;
    return { answer: this.#answer, mayBypass, editor: editor() };
  }

  get settings(): Settings {
    return this.#settings;
  }

  /** What a CLI is started with. */
  get launch(): ClaudeLaunch {
    return launchSettings(this.#settings, this.#isModeChosen);
  }

  /** What the CLI offers, and the mode it began in. */
  learn(answer: InitializeAnswer): void {
    this.#answer = answer;
    const { current_permission_mode: mode } = answer;
    if (!this.#isModeChosen && mode !== undefined) this.#settings = { ...this.#settings, mode };
  }

  /** The person changes one option, in the running CLI too. */
  async change(control: Control | undefined, id: string, value: string | boolean): Promise<void> {
    const before = this.#settings;
    const changed = changeOption(this.offers, before, id, value);
    if (changed.kind === "refused") throw new RpcError(errorCodes.invalidParams, changed.why);
    // Set before the CLI hears of it, so that its own report of the change is no news.
    this.#settings = changed.settings;
    try {
      await applySettings(control, before, changed.settings);
    } catch (cause) {
      if (this.#settings === changed.settings) this.#settings = before;
      throw cause;
    }
    const { mode, model } = changed.settings;
    if (before.mode !== mode) this.#modeChanged(mode);
    if (before.model !== model) this.#ends.onModel(model);
  }

  /** All options, after a change that the editor did not make through them. */
  tell(): void {
    this.#ends.push(update.configOptions(configOptions(this.offers, this.#settings)));
  }

  /** The CLI says which mode it is in. */
  heedMode(mode: string | undefined): void {
    if (mode === undefined || mode === this.#settings.mode) return;
    this.#settings = { ...this.#settings, mode };
    this.#modeChanged(mode);
    this.tell();
  }

  /** The CLI says which model it uses; a slash command may have changed it. */
  heedModel(resolved: string | undefined): void {
    const model = modelNamed(this.#answer, this.#settings.model, resolved);
    if (model === undefined) return;
    this.#settings = { ...this.#settings, model };
    this.#ends.onModel(model);
    this.tell();
  }

  #modeChanged(mode: string): void {
    this.#isModeChosen = true;
    this.#ends.push(update.currentMode(mode));
  }
}
