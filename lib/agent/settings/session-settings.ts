/**
 * The settings of one session, kept the same in the engine and in the client.
 *
 * A change by the client is applied by the engine; a change by the engine is sent to the
 * client once.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { Conversation, SettingsState } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import type { AgentContext } from "../agent-context.ts";
import { rpcErrorOf } from "../errors.ts";
import { configOptions, refusalOf, type SettingsView } from "./config-options.ts";

export interface SessionSettingsCallbacks {
  readonly autoContinue: { isOn: boolean };
  readonly continueAtReset: { isOn: boolean };
  readonly sessionId: () => string;
  readonly push: (update: SessionUpdate) => void;
}

export class SessionSettings {
  readonly #context: AgentContext;
  readonly #conversation: Conversation;
  readonly #callbacks: SessionSettingsCallbacks;
  #autoResume: boolean;
  /** The mode and model that the client knows. */
  #known: Pick<SettingsState, "mode" | "model">;

  constructor(context: AgentContext, conversation: Conversation, callbacks: SessionSettingsCallbacks) {
    this.#context = context;
    this.#conversation = conversation;
    this.#callbacks = callbacks;
    this.#autoResume = context.settings.autoResume ?? false;
    this.#known = conversation.settingsState;
  }

  /** What `configOptions` and `modeState` show. */
  get view(): SettingsView {
    const { settingsState } = this.#conversation;
    return {
      engineName: settingsState.engineName ?? this.#context.engine.name,
      settingsState,
      autoResume: this.#autoResume,
      autoContinue: this.#callbacks.autoContinue.isOn,
      continueAtReset: this.#callbacks.continueAtReset.isOn,
      hasSwitches: this.#context.client.clientCapabilities.session?.configOptions?.boolean != null,
    };
  }

  /** The conversation has started; the client learns its settings from the response that opens the session. */
  started(): void {
    this.#known = this.#conversation.settingsState;
  }

  /** The client changes one option. */
  async set(id: string, value: string | boolean): Promise<void> {
    const chosen = String(value);
    const why = refusalOf(configOptions(this.view), id, chosen);
    if (why !== undefined) throw new RpcError(errorCodes.invalidParams, why);
    if (id === "auto_resume") {
      this.#autoResume = chosen === "true";
      return;
    }
    if (id === "auto_continue") {
      this.#callbacks.autoContinue.isOn = chosen === "true";
      return;
    }
    if (id === "continue_at_reset") {
      this.#callbacks.continueAtReset.isOn = chosen === "true";
      return;
    }
    await this.#conversation.change(id, chosen).catch((cause: unknown) => Promise.reject(rpcErrorOf(cause)));
    this.#tellChanges();
  }

  /** Sends all config options, after a change that the client did not make with `session/set_config_option`. */
  publish(): void {
    this.#callbacks.push(update.configOptions(configOptions(this.view)));
  }

  /** The engine has changed a setting without a request of ours. */
  takeOver(): void {
    this.#tellChanges();
    this.publish();
  }

  #tellChanges(): void {
    const before = this.#known;
    this.#known = this.#conversation.settingsState;
    const { mode, model } = this.#known;
    if (before.mode !== mode) this.#callbacks.push(update.currentMode(mode));
    // Clients of the 2025 protocol are notified of the model separately.
    if (before.model !== model && this.#context.isLegacy) {
      const { client } = this.#context;
      client.sendForeign(this.#callbacks.sessionId(), { sessionUpdate: "current_model_update", currentModelId: model });
    }
  }
}
