/**
 * Callbacks: the CLI's questions that wait for the client.
 *
 * Each leaves exactly once: answered, out of time, or withdrawn; the CLI gets one
 * answer and the client is told of every end it did not cause. A wrong answer
 * leaves the question open. Holds no stream and no clock.
 */
import type { Schedule } from "../wire/index.ts";
import type {
  CanUseTool,
  Elicitation,
  ElicitationAnswer,
  HookAnswer,
  HookCallback,
  ToolDecision,
} from "../claude/index.ts";
import { Fault } from "../schema/index.ts";
import { ElicitationReply, HookReply, ToolAnswer } from "./client-message.ts";
import { type BridgeMessage, type CallbackQuestion, failure } from "./bridge-message.ts";

export interface CallbacksOptions {
  readonly session_id: string;
  readonly send: (message: BridgeMessage) => void;
  readonly after: Schedule;
  readonly newId: () => string;
  /** 0 for ever. */
  readonly limitMs: number;
}

interface CallbackQuestionKind<T> {
  readonly payload: CallbackQuestion;
  readonly read: (payload: unknown) => T | Fault;
  /** For the CLI, when the client says nothing. */
  readonly tooLate: T;
}

export class Callbacks {
  readonly #options: CallbacksOptions;
  /** Each takes the client's answer, or says what is wrong with it. */
  readonly #open = new Map<string, (payload: unknown) => Fault | undefined>();

  constructor(options: CallbacksOptions) {
    this.#options = options;
  }

  /** `said` is the question as the CLI wrote it: suggestions of a new kind are there. */
  askTool(asked: CanUseTool, signal: AbortSignal, said: Readonly<Record<string, unknown>>): Promise<ToolDecision> {
    const { subtype: _, tool_name, input, permission_suggestions: __, ...rest } = asked;
    const { permission_suggestions } = said;
    return this.#ask(
      {
        payload: {
          callback_type: "can_use_tool",
          tool_name,
          tool_input: input,
          ...(permission_suggestions != null && { suggestions: permission_suggestions }),
          ...rest,
        },
        read: (payload) => {
          const answer = ToolAnswer.read(payload);
          return answer instanceof Fault ? answer : decisionOf(answer, asked);
        },
        tooLate: { behavior: "deny", message: "Permission request timed out" },
      },
      signal,
    );
  }

  askHook(hook_event: string, { input, tool_use_id }: HookCallback, signal: AbortSignal): Promise<HookAnswer> {
    return this.#ask(
      {
        payload: { callback_type: "hook", hook_event, hook_input: input, ...(tool_use_id != null && { tool_use_id }) },
        read: (payload) => {
          const reply = HookReply.read(payload);
          return reply instanceof Fault ? reply : hookAnswerOf(reply);
        },
        tooLate: {},
      },
      signal,
    );
  }

  askElicitation(asked: Elicitation, signal: AbortSignal): Promise<ElicitationAnswer> {
    const { subtype: _, ...question } = asked;
    return this.#ask<ElicitationAnswer>(
      {
        payload: { callback_type: "elicitation", ...question },
        read: (payload) => {
          const reply = ElicitationReply.read(payload);
          if (reply instanceof Fault) return reply;
          return { action: reply.action, ...(reply.content != null && { content: reply.content }) };
        },
        tooLate: { action: "cancel" },
      },
      signal,
    );
  }

  /** False when no question of this id is open; a fault when the answer is wrong, and then it still is. */
  answer(id: string, payload: unknown): boolean | Fault {
    const take = this.#open.get(id);
    return take === undefined ? false : (take(payload) ?? true);
  }

  #ask<T>({ payload, read, tooLate }: CallbackQuestionKind<T>, signal: AbortSignal): Promise<T> {
    const { session_id, send, after, newId, limitMs } = this.#options;
    const { callback_type } = payload;
    const id = newId();
    return new Promise((resolve) => {
      const leave = (): void => {
        this.#open.delete(id);
        cancelLimit?.();
        signal.removeEventListener("abort", withdrawn);
      };
      const withdrawn = (): void => {
        leave();
        const reason = signal.reason instanceof Error ? signal.reason.message : "withdrawn";
        send({ type: "callback.cancelled", id, session_id, payload: { callback_type, reason } });
        // Nobody reads it any more.
        resolve(tooLate);
      };
      const timedOut = (): void => {
        leave();
        resolve(tooLate);
        const message = `no callback.response within ${limitMs} ms`;
        send(failure("CALLBACK_TIMEOUT", message, { id, session_id }, { callback_type, timeout_ms: limitMs }));
      };
      const cancelLimit = limitMs === 0 ? undefined : after(limitMs, timedOut);
      signal.addEventListener("abort", withdrawn, { once: true });
      this.#open.set(id, (given) => {
        const answer = read(given);
        if (answer instanceof Fault) return answer;
        leave();
        resolve(answer);
        return undefined;
      });
      send({ type: "callback.request", id, session_id, payload });
    });
  }
}

/** The engine fills in the asked input when the client gives no other. */
function decisionOf(answer: ToolAnswer, { permission_suggestions, tool_use_id }: CanUseTool): ToolDecision {
  const { behavior, updated_input, updated_permissions, message, interrupt } = answer;
  const toolUseID = tool_use_id === undefined ? {} : { toolUseID: tool_use_id };
  if (behavior === "deny") {
    return { behavior, message: message ?? "Denied", ...(interrupt === true && { interrupt }), ...toolUseID };
  }
  const permissions = updated_permissions ?? (permission_suggestions === undefined ? undefined : []);
  return {
    behavior,
    ...(updated_input != null && { updatedInput: updated_input }),
    ...(permissions !== undefined && { updatedPermissions: permissions }),
    ...toolUseID,
  };
}

function hookAnswerOf(reply: HookReply): HookAnswer {
  const said: Readonly<Record<string, unknown>> = {
    continue: reply.continue,
    suppressOutput: reply.suppress_output ?? reply.suppressOutput,
    stopReason: reply.stop_reason ?? reply.stopReason,
    decision: reply.decision,
    systemMessage: reply.system_message ?? reply.systemMessage,
    reason: reply.reason,
    hookSpecificOutput: reply.hook_specific_output ?? reply.hookSpecificOutput,
  };
  return Object.fromEntries(Object.entries(said).filter(([, value]) => value != null));
}
