/**
 * Editor tools: in a session that works through the editor, what the CLI is
 * started with and who answers it.
 *
 * The CLI's own tools are taken away and ours are there under the same names.
 * What a CLI was started with holds for it, whatever is chosen later; the next one
 * is started with that.
 */
import {
  type CanUseTool,
  type ClaudeLaunch,
  type EnvironmentNeeds,
  endMarked,
  type HookAnswer,
  type HookCallback,
  type HostHandlers,
  type InitializeFields,
  newMark,
  ownServer,
  ownToolName,
  plainToolName,
  type ToolDecision,
} from "../claude/index.ts";
import { isRecord, textOf } from "../schema/index.ts";
import { commandTools, fileTools, maxTimeoutMs, McpServer, type ToolDefinition } from "../tools/index.ts";
import type { View } from "../translate/index.ts";
import { version } from "../version.ts";
import { editorOffers, type EditorOffers } from "./editor-options.ts";
import { OwnCalls, type OwnCallsEnds } from "./own-calls.ts";
import type { SessionEnds, SessionSetup } from "./session-setup.ts";
import type { Settings } from "./settings.ts";

/** What the session itself brings. */
export interface EditorToolsEnds extends Omit<OwnCallsEnds, "mark"> {
  readonly settings: () => Settings;
}

/** One CLI's tools, from its start to its end. */
export interface Outfit {
  /** Which tools are ours; a CLI started for others has to be started again. */
  readonly kind: string;
  readonly launch: ClaudeLaunch;
  readonly environment: EnvironmentNeeds;
  /** See `ProcessLaunch`. */
  readonly alsoEnds: string | undefined;
  readonly initialize: InitializeFields;
  /** Answers the CLI; `ask` puts a question to the person. */
  readonly handlers: (ask: Ask) => HostHandlers;
}

type Ask = (request: CanUseTool, signal: AbortSignal) => Promise<ToolDecision>;

/** The CLI's tools that ours stand in for. */
const replacedFiles = ["Read", "Write", "Edit", "MultiEdit", "NotebookEdit"];
const replacedCommands = ["Bash", "BashOutput", "KillShell"];
const beforeId = "own-tools";
const afterId = "own-results";
/** How long the editor has to end its terminals before we end what runs in them. */
const closeLimitMs = 1000;
/** What the model called by its long name in an earlier part of the conversation is found. */
const toolAliases = Object.fromEntries(
  [...replacedFiles, ...replacedCommands].map((name) => [ownToolName(name), name]),
);

export class EditorTools {
  /** The view of a session: known text counts, and the editor's terminals need none of ours. */
  readonly view: View;
  /** In the environment of what runs in the editor for us. */
  readonly #mark: string = newMark();
  readonly #ends: EditorToolsEnds;
  readonly #session: SessionEnds;
  readonly #calls: OwnCalls;
  #server: McpServer | undefined;

  constructor(sessionId: string, session: SessionEnds, setup: SessionSetup, ends: EditorToolsEnds) {
    this.#ends = ends;
    this.#session = session;
    this.#calls = new OwnCalls(sessionId, session, setup, { ...ends, mark: this.#mark });
    this.view = this.#viewOf(session.view);
  }

  /** What the editor lets us use of its own. */
  get offers(): EditorOffers {
    return editorOffers(this.#session.client.clientCapabilities);
  }

  /** Commands of ours run in the background. */
  get hasShells(): boolean {
    return this.#calls.commands.shells.isBusy;
  }

  /** Which tools are ours now. */
  get kind(): string {
    return kindOf(this.#hasFiles, this.#hasCommands);
  }

  /** What a CLI is started with now. */
  outfit(): Outfit {
    const hasFiles = this.#hasFiles;
    const hasCommands = this.#hasCommands;
    const kind = kindOf(hasFiles, hasCommands);
    const ours = [...(hasFiles ? replacedFiles : []), ...(hasCommands ? replacedCommands : [])];
    const alsoEnds = hasCommands || this.hasShells ? this.#mark : undefined;
    if (ours.length === 0) {
      const handlers = (ask: Ask): HostHandlers => ({ can_use_tool: ask });
      return { kind, launch: {}, environment: {}, alsoEnds, initialize: { toolAliases }, handlers };
    }
    const server = this.#serve([...(hasFiles ? fileTools : []), ...(hasCommands ? commandTools : [])]);
    const before = { matcher: ours.join("|"), hookCallbackIds: [beforeId] };
    const after = { matcher: "Read", hookCallbackIds: [afterId] };
    return {
      kind,
      launch: { disallowedTools: ours },
      environment: { plainToolNames: true },
      alsoEnds,
      initialize: {
        toolAliases,
        sdkMcpServers: [ownServer],
        // A command may take as long as the longest limit, and then has to be stopped.
        sdkMcpServerConfigs: { [ownServer]: { timeout: maxTimeoutMs + 60_000 } },
        hooks: { PreToolUse: [before], ...(hasFiles && { PostToolUse: [after] }) },
      },
      handlers: (ask) => ({
        mcp_message: async ({ message }, signal) => ({ mcp_response: await server.take(message, signal) }),
        hook_callback: (request) => this.#hook(request, ours),
        can_use_tool: (request, signal) => this.#decide(request, signal, ours, ask),
      }),
    };
  }

  /** Ends what runs in the editor for us, with the editor's help or without. */
  async close(): Promise<void> {
    this.#server?.stop();
    await new Promise<void>((resolve) => {
      const callOff = this.#session.after(closeLimitMs, resolve);
      const done = (): void => (callOff(), resolve());
      this.#calls.commands.close().then(done, done);
    });
    if (this.#calls.commands.isUsed) await endMarked(this.#mark);
  }

  #serve(tools: readonly ToolDefinition[]): McpServer {
    return (this.#server = new McpServer({
      name: ownServer,
      version,
      tools: () => tools,
      call: (request) => this.#calls.answer(request),
      onBug: this.#session.onBug,
    }));
  }

  #viewOf(view: View): View {
    const isOurs = (): boolean => this.#hasCommands;
    const known = (path: string): string | undefined =>
      this.#hasFiles ? this.#calls.memory.get(path)?.text : undefined;
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

  async #decide(request: CanUseTool, signal: AbortSignal, ours: readonly string[], ask: Ask): Promise<ToolDecision> {
    const name = plainToolName(request.tool_name);
    if (!ours.includes(name)) return ask(request, signal);
    const judged = await this.#calls.judge(name, request.input, this.#ends.settings().mode, request.tool_use_id);
    if (judged.kind === "allow") return { behavior: "allow" };
    const { decision_reason: _, ...rest } = request;
    const why = judged.why === undefined ? {} : { decision_reason: judged.why };
    return ask({ ...rest, ...why, tool_name: name, permission_suggestions: judged.suggestions }, signal);
  }

  async #hook({ callback_id, input }: HookCallback, ours: readonly string[]): Promise<HookAnswer> {
    if (!isRecord(input)) return {};
    const id = textOf(input["tool_use_id"]);
    if (callback_id === afterId) return this.#enrich(id);
    const { tool_input } = input;
    const name = plainToolName(textOf(input["tool_name"]) ?? "");
    if (callback_id !== beforeId || !ours.includes(name) || !isRecord(tool_input)) return {};
    const announced = {
      id,
      transcriptPath: textOf(input["transcript_path"]),
      cwd: textOf(input["cwd"]),
      agentId: textOf(input["agent_id"]),
    };
    this.#calls.hear(announced, ours.includes("Bash"));
    // Before the CLI decides for itself. A call that need not be asked about is allowed here.
    const mode = textOf(input["permission_mode"]) ?? this.#ends.settings().mode;
    const { kind } = await this.#calls.judge(name, tool_input, mode, id);
    return kind === "allow" ? { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision: kind } } : {};
  }

  async #enrich(id: string | undefined): Promise<HookAnswer> {
    const blocks = id === undefined ? undefined : await this.#calls.blocksOf(id);
    return blocks === undefined
      ? {}
      : { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: blocks } };
  }
}

function kindOf(hasFiles: boolean, hasCommands: boolean): string {
  return [hasFiles ? "files" : "", hasCommands ? "commands" : ""].join(" ");
}
