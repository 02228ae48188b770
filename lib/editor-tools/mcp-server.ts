/**
 * An MCP server that the CLI reaches through its control channel.
 *
 * Answers every request exactly once, also invalid ones. When the CLI cancels a call,
 * the call's signal aborts. Knows no particular tool: definitions and calls come from
 * the options.
 */
import { Fault, isRecord, lenient, object, record, string, unknown } from "../schema/index.ts";
import { failed, type ToolResult } from "./tool-result.ts";

/** A tool as `tools/list` describes it to the model. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, boolean>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

export type McpToolInput = Readonly<Record<string, unknown>>;

export interface ToolCallRequest {
  readonly name: string;
  readonly input: McpToolInput;
  /** The id of the tool call; undefined when the CLI does not name it. */
  readonly toolCallId: string | undefined;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
}

export interface EditorMcpServerOptions {
  readonly name: string;
  readonly version: string;
  readonly tools: () => readonly ToolDefinition[];
  readonly call: (request: ToolCallRequest) => Promise<ToolResult>;
  /** A tool threw, which is a bug. The model gets no detail. */
  readonly onBug: (doing: string, cause: unknown) => void;
}

const callParams = object({
  name: string,
  arguments: lenient(record(unknown)),
  _meta: lenient(record(unknown)),
});

const errors = { invalidRequest: -32600, methodNotFound: -32601, invalidParams: -32602 } as const;
const latestProtocol = "2025-11-25";

export class EditorMcpServer {
  readonly #options: EditorMcpServerOptions;
  readonly #running = new Map<unknown, AbortController>();

  constructor(options: EditorMcpServerOptions) {
    this.#options = options;
  }

  /** Answers one message. `signal` aborts when the CLI no longer waits for the answer. */
  async answer(message: unknown, signal: AbortSignal): Promise<unknown> {
    if (!isRecord(message) || typeof message["method"] !== "string") {
      return failure(isRecord(message) ? message["id"] : null, errors.invalidRequest, "not a JSON-RPC request");
    }
    const { id, method, params } = message;
    if (id === undefined) {
      this.#onNotification(method, params);
      // The control channel requires a response even to a notification.
      return success(0, {});
    }
    switch (method) {
      case "initialize":
        return success(id, this.#initializeResult(params));
      case "ping":
        return success(id, {});
      case "tools/list":
        return success(id, { tools: this.#options.tools() });
      case "tools/call":
        return this.#call(id, params, signal);
      default:
        return failure(id, errors.methodNotFound, `method not found: ${method.slice(0, 80)}`);
    }
  }

  /** Aborts every running call. */
  stop(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  #onNotification(method: string, params: unknown): void {
    if (method !== "notifications/cancelled" || !isRecord(params)) return;
    this.#running.get(params["requestId"])?.abort();
  }

  #initializeResult(params: unknown): object {
    const requested = isRecord(params) ? params["protocolVersion"] : undefined;
    const { name, version } = this.#options;
    return {
      protocolVersion: typeof requested === "string" ? requested : latestProtocol,
      capabilities: { tools: {} },
      serverInfo: { name, version },
    };
  }

  async #call(id: unknown, params: unknown, signal: AbortSignal): Promise<unknown> {
    const read = callParams.read(params);
    if (read instanceof Fault) return failure(id, errors.invalidParams, `tools/call: ${read.describe("params")}`);
    const { name, arguments: input = {}, _meta } = read;
    if (!this.#options.tools().some((tool) => tool.name === name)) {
      return failure(id, errors.invalidParams, `unknown tool: ${name.slice(0, 80)}`);
    }
    const toolUseId = _meta?.["claudecode/toolUseId"];
    const controller = new AbortController();
    this.#running.set(id, controller);
    const stop = (): void => controller.abort();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const toolCallId = typeof toolUseId === "string" ? toolUseId : undefined;
      return success(id, await this.#options.call({ name, input, toolCallId, signal: controller.signal }));
    } catch (cause) {
      if (!controller.signal.aborted) this.#options.onBug(`tools/call ${name}`, cause);
      return success(id, failed(controller.signal.aborted ? "The call was cancelled." : "The tool failed."));
    } finally {
      signal.removeEventListener("abort", stop);
      this.#running.delete(id);
    }
  }
}

function success(id: unknown, result: unknown): object {
  return { jsonrpc: "2.0", id, result };
}

function failure(id: unknown, code: number, message: string): object {
  return { jsonrpc: "2.0", id: id ?? null, error: { code, message } };
}
