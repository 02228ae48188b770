/**
 * MCP: the tools as a server the CLI talks to over its control channel.
 *
 * Every request is answered exactly once, whatever it says; a call that the CLI
 * cancels is told to stop. Knows no tool.
 */
import { Fault, isRecord, lenient, object, record, string, unknown } from "../schema/index.ts";
import { failed, type ToolResult } from "./tool-result.ts";

/** A tool as the model is told of it. */
export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: Readonly<Record<string, unknown>>;
  readonly annotations?: Readonly<Record<string, boolean>>;
  readonly _meta?: Readonly<Record<string, unknown>>;
}

/** What a tool is called with. */
export type ToolInput = Readonly<Record<string, unknown>>;

export interface ToolCallRequest {
  readonly name: string;
  readonly input: ToolInput;
  /** The tool call it is, as the editor knows it. */
  readonly toolCallId: string | undefined;
  /** Aborts when the call is cancelled. */
  readonly signal: AbortSignal;
}

export interface EditorMcpServerOptions {
  readonly name: string;
  readonly version: string;
  readonly tools: () => readonly ToolDefinition[];
  readonly call: (request: ToolCallRequest) => Promise<ToolResult>;
  /** A tool threw: a bug of ours. The model learns that it failed and nothing more. */
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

  /** Answers one message. `signal`: nobody waits for the answer any more. */
  async take(message: unknown, signal: AbortSignal): Promise<unknown> {
    if (!isRecord(message) || typeof message["method"] !== "string") {
      return failure(isRecord(message) ? message["id"] : null, errors.invalidRequest, "not a JSON-RPC request");
    }
    const { id, method, params } = message;
    if (id === undefined) {
      this.#onNotification(method, params);
      // The channel wants an answer even for what needs none.
      return success(0, {});
    }
    switch (method) {
      case "initialize":
        return success(id, this.#initialized(params));
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

  /** Tells every call that runs to stop. */
  stop(): void {
    for (const controller of this.#running.values()) controller.abort();
  }

  #onNotification(method: string, params: unknown): void {
    if (method !== "notifications/cancelled" || !isRecord(params)) return;
    this.#running.get(params["requestId"])?.abort();
  }

  #initialized(params: unknown): object {
    const asked = isRecord(params) ? params["protocolVersion"] : undefined;
    const { name, version } = this.#options;
    return {
      protocolVersion: typeof asked === "string" ? asked : latestProtocol,
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
    const named = _meta?.["claudecode/toolUseId"];
    const controller = new AbortController();
    this.#running.set(id, controller);
    const stop = (): void => controller.abort();
    signal.addEventListener("abort", stop, { once: true });
    if (signal.aborted) stop();
    try {
      const toolCallId = typeof named === "string" ? named : undefined;
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
