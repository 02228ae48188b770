/**
 * Editor tools: in a session that works through the editor, who serves the CLI's
 * tools and decides about them.
 *
 * The CLI's own tools are taken away and ours are there under the same names. A
 * call is written or run once, however often it is asked for, and not before it
 * was allowed.
 */
import { dirname, isAbsolute, resolve, sep } from "node:path";
import type { AgentConnection } from "../acp/index.ts";
import {
  type CanUseTool,
  type ClaudeLaunch,
  type Control,
  type HookCallback,
  type HostHandlers,
  type InitializeFields,
  isOwnTool,
  ownServer,
  ownToolName,
  plainToolName,
  type ToolDecision,
} from "../claude/index.ts";
import { isRecord } from "../schema/index.ts";
import {
  Commands,
  commandTools,
  EditorTexts,
  failed,
  fileTools,
  maxTimeoutMs,
  McpServer,
  Memory,
  Reading,
  readRules,
  type ToolAnswer,
  type ToolCallRequest,
  type ToolDefinition,
  Writing,
  writingTools,
} from "../tools/index.ts";
import type { View } from "../translate/index.ts";
import { version } from "../version.ts";
import { editorOffers, type EditorOffers } from "./editor-options.ts";
import { disk, editorFiles, editorTerminals } from "./editor-ports.ts";
import { type Judged, judge } from "./judge.ts";
import type { SessionEnds, SessionSetup } from "./session-setup.ts";
import type { Settings } from "./settings.ts";

/** What the session itself brings. */
export interface EditorToolsEnds {
  readonly settings: () => Settings;
  /** The running CLI. */
  readonly control: () => Control | undefined;
  /** A tool call shows this terminal from now on. */
  readonly onTerminal: (toolCallId: string, terminalId: string) => void;
}

/** The CLI's tools that ours stand in for. */
const replacedFiles = ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit"];
const replacedCommands = ["Bash", "BashOutput", "KillShell"];
const hookId = "own-tools";
/** Calls whose answer is kept, in case the CLI asks for it again. */
const maxAnswers = 64;

export class EditorTools {
  /** The view of a session: known text counts, and the editor's terminals need none of ours. */
  readonly view: View;
  readonly #ends: EditorToolsEnds;
  readonly #client: AgentConnection;
  readonly #setup: SessionSetup;
  readonly #memory = new Memory();
  readonly #reading: Reading;
  readonly #writing: Writing;
  readonly #commands: Commands;
  readonly #server: McpServer;
  /** Calls that will not run, and what they answer instead. */
  readonly #refusals = new Map<string, string>();
  readonly #answers = new Map<string, Promise<ToolAnswer>>();
  /** Where the CLI keeps its own files; it says so with the first call. */
  #configDirectory: string | undefined;

  constructor(
    sessionId: string,
    { client, after, view, onBug }: SessionEnds,
    setup: SessionSetup,
    ends: EditorToolsEnds,
  ) {
    this.#ends = ends;
    this.#client = client;
    this.#setup = setup;
    this.view = this.#viewOf(view);
    const { cwd } = setup;
    const editor = editorFiles(client, sessionId);
    const memory = this.#memory;
    const isPrivate = (path: string): boolean => this.#isPrivate(path);
    const wait = (ms: number): Promise<void> => new Promise((go) => void after(ms, go));
    const texts = new EditorTexts({ editor, disk, memory, isPrivate, wait });
    const files = { cwd, absolute: (path: string) => this.#absolute(path), texts, editor, disk, memory };
    this.#reading = new Reading(files);
    this.#writing = new Writing({ ...files, isPrivate, isInside: (path) => this.#isInside(path, []) });
    const terminals = editorTerminals(client, sessionId, cwd);
    this.#commands = new Commands({ terminals, onTerminal: ends.onTerminal, after });
    this.#server = new McpServer({
      name: ownServer,
      version,
      tools: () => this.#tools,
      call: (request) => this.#callOnce(request),
      onBug,
    });
  }

  /** What the editor lets us use of its own. */
  get offers(): EditorOffers {
    return editorOffers(this.#client.clientCapabilities);
  }

  /** Commands of ours run in the background. */
  get hasShells(): boolean {
    return this.#commands.hasShells;
  }

  /** Which tools are ours now; a CLI started for others has to be started again. */
  get kind(): string {
    return [this.#hasFiles ? "files" : "", this.#hasCommands ? "commands" : ""].join(" ");
  }

  /** What a CLI is started with. */
  get launch(): ClaudeLaunch {
    return this.#replaced.length === 0 ? {} : { disallowedTools: this.#replaced };
  }

  get start(): { readonly tools: string; readonly initialize: InitializeFields } {
    return { tools: this.kind, initialize: this.#initialize };
  }

  get #initialize(): InitializeFields {
    const ours = this.#replaced;
    // What the model calls by the other name, from habit or from an earlier part of the conversation, is found.
    const aliasOf = (name: string): string[] =>
      ours.includes(name) ? [name, ownToolName(name)] : [ownToolName(name), name];
    const toolAliases = Object.fromEntries([...replacedFiles, ...replacedCommands].map(aliasOf));
    if (ours.length === 0) return { toolAliases };
    return {
      toolAliases,
      sdkMcpServers: [ownServer],
      // A command may take as long as the longest limit, and then has to be stopped.
      sdkMcpServerConfigs: { [ownServer]: { timeout: maxTimeoutMs + 60_000 } },
      hooks: { PreToolUse: [{ matcher: `${ownToolName("")}.*`, hookCallbackIds: [hookId] }] },
    };
  }

  /** Answers the CLI; `ask` puts a question to the person. */
  handlers(ask: (request: CanUseTool, signal: AbortSignal) => Promise<ToolDecision>): HostHandlers {
    return {
      mcp_message: async ({ message }, signal) => ({ mcp_response: await this.#server.take(message, signal) }),
      hook_callback: (request) => this.#hook(request),
      can_use_tool: async (request, signal) => {
        if (!isOwnTool(request.tool_name)) return ask(request, signal);
        const name = plainToolName(request.tool_name);
        const judged = await this.#judge(name, request.input, this.#ends.settings().mode, request.tool_use_id);
        if (judged.kind === "allow") return { behavior: "allow" };
        const { decision_reason: _, ...rest } = request;
        const why = judged.why === undefined ? {} : { decision_reason: judged.why };
        return ask({ ...rest, ...why, tool_name: name, permission_suggestions: judged.suggestions }, signal);
      },
    };
  }

  /** Ends what runs in the editor for us. */
  async close(): Promise<void> {
    this.#server.stop();
    await this.#commands.close();
  }

  #viewOf(view: View): View {
    const isOurs = (): boolean => this.#hasCommands;
    const known = (path: string): string | undefined => (this.#hasFiles ? this.#memory.get(path)?.text : undefined);
    return {
      ...view,
      get showsTerminals() {
        return view.showsTerminals && !isOurs();
      },
      textOf: (path) => known(path) ?? view.textOf(path),
    };
  }

  get #hasFiles(): boolean {
    return this.#ends.settings().edits && this.offers.hasFiles;
  }

  get #hasCommands(): boolean {
    return this.#ends.settings().commands && this.offers.hasTerminals;
  }

  get #replaced(): readonly string[] {
    return [...(this.#hasFiles ? replacedFiles : []), ...(this.#hasCommands ? replacedCommands : [])];
  }

  get #tools(): readonly ToolDefinition[] {
    return [...(this.#hasFiles ? fileTools : []), ...(this.#hasCommands ? commandTools : [])];
  }

  /** Before the CLI decides for itself. A call that need not be asked about is allowed here. */
  async #hook({ callback_id, input }: HookCallback): Promise<Readonly<Record<string, unknown>>> {
    if (callback_id !== hookId || !isRecord(input)) return {};
    const { tool_name, tool_input, tool_use_id, permission_mode, transcript_path } = input;
    if (typeof tool_name !== "string" || !isOwnTool(tool_name) || !isRecord(tool_input)) return {};
    if (typeof transcript_path === "string") this.#configDirectory = dirname(dirname(dirname(transcript_path)));
    const mode = typeof permission_mode === "string" ? permission_mode : this.#ends.settings().mode;
    const id = typeof tool_use_id === "string" ? tool_use_id : undefined;
    const { kind } = await this.#judge(plainToolName(tool_name), tool_input, mode, id);
    return kind === "allow" ? { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: kind } } : {};
  }

  async #judge(tool: string, input: ToolCallRequest["input"], mode: string, id: string | undefined): Promise<Judged> {
    const listed = await this.#ends
      .control()
      ?.request("list_permission_rules", {})
      .catch(() => undefined);
    const added = listed?.state.workspaceDirectories?.map(({ path }) => path) ?? [];
    const given = input["file_path"] ?? input["notebook_path"];
    const path = typeof given === "string" && given !== "" ? this.#absolute(given) : undefined;
    return judge({
      tool,
      input,
      mode,
      rules: listed && readRules(listed.state.rules),
      cwd: this.#setup.cwd,
      path,
      realPath: path && (await disk.real(path)),
      isInside: (one) => this.#isInside(one, added),
      isPrivate: (one) => this.#isPrivate(one),
      prepare: (name) => this.#writing.prepare(name, input),
      refuse: (why) => {
        if (id === undefined) return false;
        this.#refusals.set(id, why);
        return true;
      },
    });
  }

  /** The same call twice is one call. */
  #callOnce(request: ToolCallRequest): Promise<ToolAnswer> {
    const { toolCallId: id } = request;
    if (id === undefined) return this.#call(request);
    const answer = this.#answers.get(id) ?? this.#call(request);
    this.#answers.set(id, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  async #call({ name, input, toolCallId, signal }: ToolCallRequest): Promise<ToolAnswer> {
    const refusal = this.#refusals.get(toolCallId ?? "");
    this.#refusals.delete(toolCallId ?? "");
    if (refusal !== undefined) return failed(refusal);
    const writes = writingTools.find((one) => one === name);
    if (writes !== undefined) return this.#writing.run(writes, input, signal);
    switch (name) {
      case "Read":
        return this.#reading.run(input);
      case "Bash":
        return this.#commands.run(input, toolCallId, signal);
      case "BashOutput":
        return this.#commands.output(input);
      default:
        return this.#commands.kill(input);
    }
  }

  #absolute(path: string): string {
    return isAbsolute(path) ? resolve(path) : resolve(this.#setup.cwd, path);
  }

  #isInside(path: string, added: readonly string[]): boolean {
    const roots = [this.#setup.cwd, ...this.#setup.additionalDirectories, ...added];
    return roots.some((root) => isBelow(this.#absolute(path), root));
  }

  #isPrivate(path: string): boolean {
    const config = this.#configDirectory;
    return (
      config !== undefined && [`${config}${sep}plans`, `${config}${sep}projects`].some((one) => isBelow(path, one))
    );
  }
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
