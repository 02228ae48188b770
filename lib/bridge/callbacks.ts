/**
 * Pending callbacks of one session: requests of the CLI that the client has to answer
 * (tool permissions, hooks, MCP elicitations).
 *
 * Each callback ends exactly once: answered, timed out, or cancelled by the CLI. The
 * client is notified of a timeout or cancellation. An invalid answer leaves the callback
 * pending. Uses no stream, and no clock but `after`.
 */
import type { Schedule } from "../wire/index.ts";
import type {
  CanUseTool,
  Elicitation,
  ElicitationResult,
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
  /** How long a callback may stay pending; 0 means without limit. */
  readonly limitMs: number;
}

interface CallbackQuestionKind<T> {
  readonly payload: CallbackQuestion;
  readonly read: (payload: unknown) => T | Fault;
  /** The CLI's answer when the callback times out or is cancelled. */
  readonly fallback: T;
}

export class Callbacks {
  readonly #options: CallbacksOptions;
  /** By callback id; the function accepts the client's answer or returns what is wrong with it. */
  readonly #pending = new Map<string, (payload: unknown) => Fault | undefined>();

  constructor(options: CallbacksOptions) {
    this.#options = options;
  }

  /** `raw` is the unparsed request of the CLI: it also has suggestions of kinds unknown here. */
  askTool(asked: CanUseTool, signal: AbortSignal, raw: Readonly<Record<string, unknown>>): Promise<ToolDecision> {
    const { subtype: _, tool_name, input, permission_suggestions: __, ...rest } = asked;
    const { permission_suggestions } = raw;
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
        fallback: { behavior: "deny", message: "Permission request timed out" },
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
        fallback: {},
      },
      signal,
    );
  }

  askElicitation(asked: Elicitation, signal: AbortSignal): Promise<ElicitationResult> {
    const { subtype: _, ...question } = asked;
    return this.#ask<ElicitationResult>(
      {
        payload: { callback_type: "elicitation", ...question },
        read: (payload) => {
          const reply = ElicitationReply.read(payload);
          if (reply instanceof Fault) return reply;
          return { action: reply.action, ...(reply.content != null && { content: reply.content }) };
        },
        fallback: { action: "cancel" },
      },
      signal,
    );
  }

  /** False when no callback with this id is pending; a fault when the answer is invalid and the callback stays pending. */
  answer(id: string, payload: unknown): boolean | Fault {
    const accept = this.#pending.get(id);
    return accept === undefined ? false : (accept(payload) ?? true);
  }

  #ask<T>({ payload, read, fallback }: CallbackQuestionKind<T>, signal: AbortSignal): Promise<T> {
    const { session_id, send, after, newId, limitMs } = this.#options;
    const { callback_type } = payload;
    const id = newId();
    return new Promise((resolve) => {
      const remove = (): void => {
        this.#pending.delete(id);
        cancelLimit?.();
        signal.removeEventListener("abort", onCancelled);
      };
      const onCancelled = (): void => {
        remove();
        const reason = signal.reason instanceof Error ? signal.reason.message : "withdrawn";
        send({ type: "callback.cancelled", id, session_id, payload: { callback_type, reason } });
        // Only settles the promise: the CLI ignores the answer to a request it cancelled.
        resolve(fallback);
      };
      const onTimeout = (): void => {
        remove();
        resolve(fallback);
        const message = `no callback.response within ${limitMs} ms`;
        send(failure("CALLBACK_TIMEOUT", message, { id, session_id }, { callback_type, timeout_ms: limitMs }));
      };
      const cancelLimit = limitMs === 0 ? undefined : after(limitMs, onTimeout);
      signal.addEventListener("abort", onCancelled, { once: true });
      this.#pending.set(id, (response) => {
        const answer = read(response);
        if (answer instanceof Fault) return answer;
        remove();
        resolve(answer);
        return undefined;
      });
      send({ type: "callback.request", id, session_id, payload });
    });
  }
}

/** Leaves `updatedInput` out when the client changes nothing: `ClaudeConnection` then fills in the requested input. */
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
  const answer: Readonly<Record<string, unknown>> = {
    continue: reply.continue,
    suppressOutput: reply.suppress_output ?? reply.suppressOutput,
    stopReason: reply.stop_reason ?? reply.stopReason,
    decision: reply.decision,
    systemMessage: reply.system_message ?? reply.systemMessage,
    reason: reply.reason,
    hookSpecificOutput: reply.hook_specific_output ?? reply.hookSpecificOutput,
  };
  return Object.fromEntries(Object.entries(answer).filter(([, value]) => value != null));
}
