/**
 * An agent on a link that runs the scripts of a spec.
 *
 * Each prompt runs the next script, which sends updates and may ask or wait.
 */
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import {
  agent,
  type AgentConnection,
  type ContentBlock,
  type CreateElicitationResponse,
  type ElicitationSchema,
  type McpServer,
  type PermissionOption,
  type PromptRequest,
  type RequestPermissionOutcome,
  type SessionConfigSelect,
  type SessionUpdate,
  type StopReason,
  type ToolCallUpdate,
} from "../../../lib/acp/index.ts";
import { errorCodes, RpcError } from "../../../lib/rpc/index.ts";
import { isRecord } from "../../../lib/schema/index.ts";
import type { Link } from "../../../lib/wire/index.ts";

export interface ScriptedTurn {
  readonly sessionId: string;
  readonly prompt: PromptRequest["prompt"];
  /** Aborts when the turn is cancelled. */
  readonly signal: AbortSignal;
  readonly show: (update: SessionUpdate) => Promise<void>;
  /** The option that was chosen, or `cancelled`. */
  readonly ask: (toolCall: ToolCallUpdate, options?: readonly PermissionOption[]) => Promise<string>;
  /** The answer to a form. */
  readonly elicit: (
    message: string,
    requestedSchema: ElicitationSchema,
    toolCallId?: string,
  ) => Promise<CreateElicitationResponse>;
}

export type TurnScript = (turn: ScriptedTurn) => Promise<StopReason | void> | StopReason | void;

export interface ScriptedAgent {
  readonly start: (link: Link) => { readonly stop: (reason: string) => Promise<void> };
  readonly opened: {
    readonly sessionId: string;
    readonly cwd: string;
    /** Those that `session/load` was given. */
    readonly mcpServers?: readonly McpServer[];
  }[];
  readonly closed: string[];
  readonly deleted: string[];
  /** The titles that were set, by session. */
  readonly titles: Map<string, string>;
  readonly stopped: string[];
  /** The error of `session/new`, if it has to fail. */
  newSessionError: RpcError | undefined;
  /** The updates that `session/load` sends before it responds. */
  past: readonly SessionUpdate[];
  /** The directory of its saved conversations. */
  heldIn: string | undefined;
  /** The configuration options of a session. */
  options: readonly SessionConfigSelect[];
  /** What `_session/tasks` lists; `_session/tasks/stop` removes from it. */
  tasks: readonly { readonly id: string; readonly [key: string]: unknown }[];
  /** Whether prompts can be taken back by `_session/rewind`; `past` is then what was said. */
  canRewind: boolean;
  /** The parameters of the rewinds that changed something. */
  readonly rewinds: Readonly<Record<string, unknown>>[];
  /** The outcomes of the permission requests, as the client sent them. */
  readonly outcomes: RequestPermissionOutcome[];
  connection: AgentConnection | undefined;
}

export const yesOrNo: readonly PermissionOption[] = [
  { optionId: "yes", name: "Allow", kind: "allow_once" },
  { optionId: "no", name: "Reject", kind: "reject_once" },
];

/** Scripts run in order; the last one is repeated. */
export function scriptedAgent(...scripts: readonly TurnScript[]): ScriptedAgent {
  let count = 0;
  /** The directory of the saved conversation, as it was last listed. */
  let listedIn = realpathSync(tmpdir());
  const self: ScriptedAgent = {
    opened: [],
    closed: [],
    deleted: [],
    titles: new Map(),
    stopped: [],
    newSessionError: undefined,
    past: [],
    heldIn: undefined,
    options: [],
    tasks: [],
    canRewind: false,
    rewinds: [],
    outcomes: [],
    connection: undefined,
    start: (link) => {
      self.connection = agent(link, {
        info: { name: "scripted-agent", version: "1" },
        prompt: { image: true },
        authMethods: () => [],
        extensions: () => ({
          "_session/tasks": () => ({ tasks: self.tasks }),
          "_session/tasks/stop": (params) => {
            self.tasks = self.tasks.filter(({ id }) => !isRecord(params) || params["taskId"] !== id);
            return {};
          },
          "_session/rewind": (params) => {
            if (!self.canRewind) throw new RpcError(errorCodes.methodNotFound, "_session/rewind: no such method");
            return rewound(self, params);
          },
        }),
        handlers: (client) => ({
          "session/new": ({ cwd }) => {
            if (self.newSessionError !== undefined) throw self.newSessionError;
            const sessionId = crypto.randomUUID();
            self.opened.push({ sessionId, cwd });
            return { sessionId, configOptions: self.options };
          },
          "session/set_config_option": ({ configId, value }) => {
            self.options = self.options.map((one) =>
              one.id === configId ? { ...one, currentValue: String(value) } : one,
            );
            return { configOptions: self.options };
          },
          "session/load": async ({ sessionId, cwd, mcpServers }) => {
            if (self.past.length === 0 && !self.canRewind)
              throw new RpcError(errorCodes.resourceNotFound, "Session not found", { sessionId });
            const isAgain = self.opened.some((one) => one.sessionId === sessionId);
            self.opened.push({ sessionId, cwd, ...(mcpServers.length > 0 && { mcpServers }) });
            for (const one of self.past) await client.update(sessionId, one);
            return isAgain ? { configOptions: self.options } : {};
          },
          "session/status": ({ sessionId }) => {
            if (self.past.length === 0)
              throw new RpcError(errorCodes.resourceNotFound, "Session not found", { sessionId });
            return { status: "saved", _meta: { cwd: self.heldIn ?? listedIn } };
          },
          "session/list": ({ cwd }) => {
            listedIn = self.heldIn ?? cwd ?? "/";
            return { sessions: [{ sessionId: savedId, cwd: listedIn, title: "An earlier talk" }] };
          },
          "session/set_title": ({ sessionId, title }) => {
            self.titles.set(sessionId, title);
            return { title };
          },
          "session/close": ({ sessionId }) => void self.closed.push(sessionId),
          "session/delete": ({ sessionId }) => void self.deleted.push(sessionId),
          "session/prompt": async ({ sessionId, prompt }, { signal }) => {
            if (self.canRewind) self.past = [...self.past, ...prompt.map((one) => userMessage(one, `own-${count}`))];
            const script = scripts[Math.min(count++, scripts.length - 1)];
            const turn: ScriptedTurn = {
              sessionId,
              prompt,
              signal,
              show: (update) => {
                if (self.canRewind) self.past = [...self.past, update];
                return client.update(sessionId, update);
              },
              ask: async (toolCall, options = yesOrNo) => {
                const params = { sessionId, toolCall, options };
                const { outcome } = await client.call("session/request_permission", params, { signal });
                self.outcomes.push(outcome);
                return outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
              },
              elicit: (message, requestedSchema, toolCallId) =>
                client.call(
                  "elicitation/create",
                  {
                    mode: "form",
                    sessionId,
                    message,
                    requestedSchema,
                    ...(toolCallId !== undefined && { toolCallId }),
                  },
                  { signal },
                ),
            };
            try {
              const stopReason = (await script?.(turn)) ?? "end_turn";
              return { stopReason: signal.aborted ? "cancelled" : stopReason };
            } catch (cause) {
              if (signal.aborted) return { stopReason: "cancelled" };
              throw cause;
            }
          },
        }),
      });
      return { stop: async (reason) => void self.stopped.push(reason) };
    },
  };
  return self;
}

function userMessage(content: ContentBlock, messageId: string): SessionUpdate {
  return { sessionUpdate: "user_message_chunk", content, messageId };
}

/** Answers `_session/rewind` as Bowline's agent does, from what was said in the session. */
function rewound(self: ScriptedAgent, params: unknown): unknown {
  const given = isRecord(params) ? params : {};
  const ids = self.past.flatMap((one) =>
    one.sessionUpdate === "user_message_chunk" && one.messageId != null ? [one.messageId] : [],
  );
  const promptIds = [...new Set(ids)];
  const promptOf = (id: unknown): readonly ContentBlock[] =>
    self.past.flatMap((one) =>
      one.sessionUpdate === "user_message_chunk" && one.messageId === id ? [one.content] : [],
    );
  if (given["list"] === true)
    return { prompts: promptIds.map((messageId) => ({ messageId, prompt: promptOf(messageId) })), restoresFiles: true };
  const { messageId } = given;
  const prompt = promptOf(messageId);
  const later = promptIds.slice(promptIds.findIndex((id) => id === messageId) + 1);
  if (given["dryRun"] !== true) {
    self.rewinds.push(given);
    const end = self.past.findIndex((one) => one.sessionUpdate === "user_message_chunk" && one.messageId === messageId);
    self.past = self.past.slice(0, end);
  }
  const files = { paths: ["/a.txt", "/b.txt"], insertions: 3, deletions: 1 };
  return { messageId, prompt, later, ...(given["files"] === true && { files }) };
}

/** The conversation that `session/list` returns. */
export const savedId = "11111111-2222-4333-8444-555555555555";

/** Resolves when the turn is cancelled. */
export function cancelled({ signal }: ScriptedTurn): Promise<void> {
  return new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));
}
