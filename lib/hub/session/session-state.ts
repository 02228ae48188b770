/**
 * The state of a session, read from the messages between agent and clients: title, options, mode.
 *
 * A client that attaches later is answered from here, without asking the agent.
 */
import {
  type ContentBlock,
  type LoadSessionResponse,
  type SessionConfigOption,
  type SessionModeState,
  SessionNotification,
  type SessionUpdate,
} from "../../acp/index.ts";
import { Fault } from "../../schema/index.ts";
import { titleOf } from "./session-title.ts";
import type { EntryNeed } from "./update-log.ts";

export class SessionState {
  title: string | null = null;
  /** The agent's own answer to the request that opened the session. */
  #opened: LoadSessionResponse = {};
  #configOptions: readonly SessionConfigOption[] | undefined;
  #modeId: string | undefined;

  /** `response` is what the agent answered to `session/new`, `load`, `resume` or `fork`. */
  opened(response: LoadSessionResponse): void {
    const { sessionId: _, ...rest }: LoadSessionResponse & { readonly sessionId?: string } = response;
    this.#opened = rest;
    this.#configOptions = undefined;
    this.#modeId = undefined;
  }

  /** The answer to a client that attaches now. */
  get response(): LoadSessionResponse {
    const modes: SessionModeState | null | undefined = this.#opened.modes;
    return {
      ...this.#opened,
      ...(modes != null && this.#modeId !== undefined && { modes: { ...modes, currentModeId: this.#modeId } }),
      ...(this.#configOptions !== undefined && { configOptions: this.#configOptions }),
    };
  }

  prompted(content: readonly ContentBlock[]): void {
    this.title ??= titleOf(content);
  }

  /** Applies an update to the state. Returns the capability that a client needs to receive it. */
  updated(params: unknown): EntryNeed | undefined {
    const read = SessionNotification.read(params);
    // An update that this version does not know is passed on as it is.
    return read instanceof Fault ? undefined : this.#take(read.update);
  }

  #take(update: SessionUpdate): EntryNeed | undefined {
    switch (update.sessionUpdate) {
      case "session_info_update":
        if (update.title != null) this.title = update.title;
        return undefined;
      case "config_option_update":
        this.#configOptions = update.configOptions;
        return update.configOptions.some(({ type }) => type === "boolean") ? "boolean" : undefined;
      case "current_mode_update":
        this.#modeId = update.currentModeId;
        return undefined;
      case "user_message_chunk":
        this.title ??= titleOf([update.content]);
        return undefined;
      case "notice":
        return "notices";
      case "compaction_update":
      case "compaction_summary_chunk":
        return "compaction";
      case "agent_message_chunk":
      case "agent_thought_chunk":
      case "tool_call":
      case "tool_call_update":
      case "plan":
      case "available_commands_update":
      case "usage_update":
        return undefined;
    }
  }
}
