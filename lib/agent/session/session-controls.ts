/**
 * The functions of one session that are no prompts, such as usage, tasks and MCP servers, for
 * the slash commands of the agent and for its extension methods.
 *
 * They start the engine if it does not run. The functions reject with an `RpcError`.
 */
import { type SessionUpdate, update } from "../../acp/index.ts";
import type { Conversation, ConversationControls, TaskControl, UsageReport } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import type { AgentContext } from "../agent-context.ts";
import { rpcErrorOf } from "../errors.ts";
import { choose, type ChoiceQuestion } from "../permissions/choose.ts";
import { forwardElicitation } from "../permissions/forward-elicitation.ts";
import { mcpCommand, type McpCommandOptions } from "../mcp/mcp-command.ts";
import { tasksCommand } from "../tasks/tasks-command.ts";
import { usageCommand } from "../usage/usage-command.ts";
import type { LocalCommand } from "./local-commands.ts";

export interface SessionControlsOptions {
  readonly context: AgentContext;
  readonly sessionId: () => string;
  readonly conversation: () => Conversation;
  readonly isClosed: () => boolean;
  readonly push: (update: SessionUpdate) => void;
  readonly flush: () => void;
}

export class SessionControls {
  readonly commands: readonly LocalCommand[];
  readonly tasks: TaskControl = {
    list: () => this.#with("tasks", (tasks) => tasks.list()),
    stop: (id) => this.#with("tasks", (tasks) => tasks.stop(id)),
  };
  readonly #options: SessionControlsOptions;

  constructor(options: SessionControlsOptions) {
    this.#options = options;
    const { context, sessionId, push, flush } = options;
    const { client, engine, onBug, now } = context;
    const asking = { client, sessionId, engineName: engine.name, onBug };
    const shared = {
      now,
      say: (text: string) => push(update.agentMessage(`${text}\n\n`)),
      choose: <Value>(question: ChoiceQuestion<Value>, signal: AbortSignal) =>
        choose(question, signal, { ...asking, push, flush }),
    };
    const openAddress: McpCommandOptions["openAddress"] = (question, signal) =>
      forwardElicitation(question, signal, asking);
    this.commands = [
      usageCommand({ ...shared, isOffered: () => this.#has("usage"), usage: () => this.usage() }),
      mcpCommand({
        ...shared,
        isOffered: () => this.#has("mcp"),
        withMcp: (use) => this.#with("mcp", use),
        openAddress: client.clientCapabilities.elicitation?.url == null ? undefined : openAddress,
      }),
      tasksCommand({ ...shared, isOffered: () => this.#has("tasks"), tasks: this.tasks }),
    ];
  }

  /** What the account and the session have used. */
  usage(): Promise<UsageReport> {
    return this.#with("usage", (usage) => usage());
  }

  #has(part: keyof ConversationControls): boolean {
    return this.#options.conversation().controls?.[part] !== undefined;
  }

  /** Uses one of the controls of the running engine. */
  async #with<Part extends keyof ConversationControls, Result>(
    part: Part,
    use: (control: NonNullable<ConversationControls[Part]>) => Promise<Result>,
  ): Promise<Result> {
    const { conversation, isClosed } = this.#options;
    try {
      if (!conversation().isRunning) await conversation().ready(() => !isClosed());
      const control = conversation().controls?.[part];
      if (control == null) throw new RpcError(errorCodes.methodNotFound, "the engine of this session cannot do that");
      return await use(control);
    } catch (cause) {
      throw rpcErrorOf(cause);
    }
  }
}
