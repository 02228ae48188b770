/**
 * An ACP client made with the official SDK that drives an agent program.
 *
 * Updates are kept in the order of the wire, read from the line before the SDK gets it,
 * so that a response never overtakes them. Updates that the SDK refuses are counted. For
 * lines that no correct client would send, use `program`.
 */
import {
  client,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentRequestMethod,
  type AgentRequestParamsByMethod,
  type AgentRequestResponsesByMethod,
  type ClientCapabilities,
  type ClientConnection,
  type ContentBlock,
  type InitializeRequest,
  type InitializeResponse,
  type NewSessionRequest,
  type NewSessionResponse,
  type PromptResponse,
  type SessionNotification,
  type SessionUpdate,
  type ToolCallUpdate,
} from "@agentclientprotocol/sdk";
import { AgentProgram, type ProgramExit, type ProgramOptions } from "../agent-program.ts";
import { Editor } from "./scripted-editor.ts";
import { Log, type WaitOptions } from "./event-log.ts";
import { wireFaults, type CheckOptions, type WireFault } from "../../acp/wire-check.ts";

export interface AcpClientOptions extends ProgramOptions {
  /** Everything by default. */
  readonly capabilities?: ClientCapabilities;
}

/** A client that can do all an editor can do. */
export const fullCapabilities: ClientCapabilities = {
  fs: { readTextFile: true, writeTextFile: true },
  terminal: true,
  elicitation: { form: {}, url: {} },
  auth: { terminal: true },
};

/** A client that can only show text and answer permissions. */
export const bareCapabilities: ClientCapabilities = {
  fs: { readTextFile: false, writeTextFile: false },
  terminal: false,
};

export class AcpClient implements AsyncDisposable {
  readonly program: AgentProgram;
  readonly editor = new Editor();
  readonly updates = new Log<SessionNotification>("updates", ({ update }) => JSON.stringify(update));
  readonly #connection: ClientConnection;
  readonly #capabilities: ClientCapabilities;
  #handled = 0;

  constructor({ capabilities = fullCapabilities, ...program }: AcpClientOptions) {
    this.#capabilities = capabilities;
    this.program = new AgentProgram(program);
    this.program.wire.follow(({ from, message }) => {
      if (from !== "agent" || message?.["method"] !== methods.client.session.update) return;
      this.updates.push(message["params"] as SessionNotification); // wire-check holds it against the schema
    });
    void this.program.exited.then(() => this.updates.close("the agent is gone"));
    const { input, output } = this.program.streams();
    this.#connection = this.#app(program.env).connect(ndJsonStream(input, output));
    // The SDK reports the end of the stream here; `program.exited` has more detail.
    this.#connection.closed.catch(() => {});
  }

  initialize(more: Partial<InitializeRequest> = {}): Promise<InitializeResponse> {
    const clientInfo = { name: "live-test", version: "1.0.0" };
    const clientCapabilities = this.#capabilities;
    return this.request("initialize", { protocolVersion: PROTOCOL_VERSION, clientCapabilities, clientInfo, ...more });
  }

  newSession(cwd: string, more: Partial<NewSessionRequest> = {}): Promise<NewSessionResponse> {
    return this.request("session/new", { cwd, mcpServers: [], ...more });
  }

  /** initialize and session/new in one: the id of a session ready for prompts. */
  async open(cwd: string, more: Partial<NewSessionRequest> = {}): Promise<string> {
    await this.initialize();
    return (await this.newSession(cwd, more)).sessionId;
  }

  /** The stop reason of a turn. `promptWhole` also returns what the turn cost. */
  async prompt(
    sessionId: string,
    content: string | readonly ContentBlock[],
  ): Promise<Pick<PromptResponse, "stopReason">> {
    const { stopReason } = await this.promptWhole(sessionId, content);
    return { stopReason };
  }

  promptWhole(sessionId: string, content: string | readonly ContentBlock[]): Promise<PromptResponse> {
    const prompt: ContentBlock[] = typeof content === "string" ? [{ type: "text", text: content }] : [...content];
    return this.request("session/prompt", { sessionId, prompt });
  }

  /** session/cancel, and `cancelled` for the permissions that wait, as the protocol asks of a client. */
  async cancel(sessionId: string): Promise<void> {
    await this.#connection.agent.notify(methods.agent.session.cancel, { sessionId });
    this.editor.cancelled(sessionId);
  }

  /** Any method of the protocol by its name, typed; a rejected promise is a RequestError with its code. */
  request<Method extends AgentRequestMethod>(
    method: Method,
    params: AgentRequestParamsByMethod[Method],
  ): Promise<AgentRequestResponsesByMethod[Method]> {
    return this.#connection.agent.request(method, params);
  }

  /** A method the stable SDK does not know: session/fork, extensions. */
  extension<Response = unknown>(method: string, params: unknown): Promise<Response> {
    return this.#connection.agent.request<Response>(method, params);
  }

  notify(method: string, params: unknown): Promise<void> {
    return this.#connection.agent.notify(method, params);
  }

  waitFor(
    is: (update: SessionUpdate, sessionId: string) => boolean,
    options?: WaitOptions,
  ): Promise<SessionNotification> {
    return this.updates.waitFor(({ update, sessionId }) => is(update, sessionId), options);
  }

  /** All updates of one session, or of all. */
  updatesOf(sessionId?: string): readonly SessionUpdate[] {
    const wanted = this.updates.items.filter((item) => sessionId === undefined || item.sessionId === sessionId);
    return wanted.map(({ update }) => update);
  }

  /** What the user would have read. */
  text(sessionId?: string, kind: TextUpdate = "agent_message_chunk"): string {
    let text = "";
    for (const update of this.updatesOf(sessionId)) {
      if (update.sessionUpdate === kind && update.content.type === "text") text += update.content.text;
    }
    return text;
  }

  /** Each tool call after all its updates, in the order of appearance. */
  toolCalls(sessionId?: string): readonly ToolCallUpdate[] {
    const calls = new Map<string, ToolCallUpdate>();
    for (const update of this.updatesOf(sessionId)) {
      if (update.sessionUpdate !== "tool_call" && update.sessionUpdate !== "tool_call_update") continue;
      const { sessionUpdate: _, ...said } = update;
      calls.set(update.toolCallId, { ...calls.get(update.toolCallId), ...said });
    }
    return [...calls.values()];
  }

  /** What the official schema, JSON-RPC or the SDK finds wrong with the traffic; empty when all is right. */
  faults(options: CheckOptions = {}): readonly (WireFault | string)[] {
    const refused = this.updates.length - this.#handled;
    const faults = wireFaults(this.program.wire.items, options);
    return refused === 0 ? faults : [...faults, `${refused} updates were refused by the SDK`];
  }

  /** Closes the agent's stdin and waits for its end. */
  async hangUp(): Promise<ProgramExit> {
    const exit = await this.program.hangUp();
    this.editor.terminals.close();
    return exit;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.program[Symbol.asyncDispose]();
    this.editor.terminals.close();
  }

  #app(environment: Readonly<Record<string, string>>): ReturnType<typeof client> {
    const { editor } = this;
    const { session, fs, terminal, elicitation } = methods.client;
    return client({ name: "live-test" })
      .onNotification(session.update, () => void this.#handled++)
      .onNotification(elicitation.complete, () => {})
      .onRequest(session.requestPermission, async ({ params, signal }) => ({
        outcome: await editor.permission(params, signal),
      }))
      .onRequest(elicitation.create, ({ params }) => editor.elicit(params))
      .onRequest(fs.readTextFile, ({ params }) => editor.read(params))
      .onRequest(fs.writeTextFile, ({ params }) => editor.write(params))
      .onRequest(terminal.create, ({ params }) => ({ terminalId: editor.terminals.create(params, environment) }))
      .onRequest(terminal.output, ({ params }) => editor.terminals.output(params.terminalId))
      .onRequest(terminal.waitForExit, ({ params }) => editor.terminals.waitForExit(params.terminalId))
      .onRequest(terminal.kill, ({ params }) => editor.terminals.kill(params.terminalId))
      .onRequest(terminal.release, ({ params }) => editor.terminals.release(params.terminalId));
  }
}

type TextUpdate = "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk";
