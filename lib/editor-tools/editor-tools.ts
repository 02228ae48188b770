/**
 * Lets a session read, write and run commands through the editor: prepares the launch
 * of a CLI for that, and answers the CLI's hooks and MCP messages.
 *
 * Bash and Read stay the CLI's own tools and the CLI decides on them; only the terminal
 * of a command and the text of a read come from the editor. The CLI's writing tools are
 * replaced by MCP tools of the same names. A CLI keeps the tools it was started with.
 */
import { homedir } from "node:os";
import { resolve } from "node:path";
import {
  type CanUseTool,
  type HookAnswer,
  type HookCallback,
  type HostHandlers,
  type HooksListing,
  ownServer,
  ownToolName,
} from "../claude/index.ts";
import {
  type AskPermission,
  type EditorFeatures,
  editorFeatures,
  type HostTools,
  type HostToolsLaunch,
  type HostToolsOptions,
} from "../claude/engine/index.ts";
import type { ClientView } from "../display/index.ts";
import { isRecord, textOf } from "../schema/index.ts";
import { version } from "../version.ts";
import { editorTerminals } from "./adapters.ts";
import { CommandRelay, type Placement } from "./commands/command-relay.ts";
import { relayDirectory, relayDirectoryObstacle } from "./commands/relay-directory.ts";
import { prefixName } from "./commands/shell-prefix.ts";
import { FileCalls } from "./file-calls.ts";
import { EditorMcpServer } from "./mcp-server.ts";
import { writingToolDefinitions } from "./tool-definitions.ts";
import { hooksObstacle, mayHookTool } from "./user-hooks.ts";
import { writeToolNames } from "./write-tools.ts";

/** The id of the `PreToolUse` hook for writes. */
const writeHookId = "judge-write";
/** The id of the `PostToolUse` hook for reads. */
const readHookId = "show-unsaved-text";
/** How long the editor has to end its terminals before the session ends without it. */
const closeLimitMs = 1000;
/** How long a write may take; an editor may ask its user first. */
const writeLimitMs = 660_000;
/** An earlier part of the conversation may contain the full MCP names of the tools; the CLI maps them to the short ones. */
const toolAliases = Object.fromEntries(writeToolNames.map((name) => [ownToolName(name), name]));

export class EditorTools implements HostTools {
  /** The client view of the session: file texts as the model knows them, and no terminal output when the editor shows it itself. */
  readonly view: ClientView;
  readonly #options: HostToolsOptions;
  readonly #files: FileCalls;
  #server: EditorMcpServer | undefined;
  #relay: CommandRelay | undefined;
  /** Why commands cannot run in the editor's terminals. */
  #obstacle: string | undefined;
  /** Why files cannot be written through the editor. */
  #editsObstacle: string | undefined;

  constructor(options: HostToolsOptions) {
    this.#options = options;
    this.#files = new FileCalls(options, () => this.#findEditsObstacle());
    this.#obstacle =
      process.platform === "win32" ? "commands of the CLI are not POSIX shell lines here" : this.#directoryObstacle();
    this.view = this.#viewOf(options.view);
  }

  /** The capabilities of the editor that the agent can use. */
  get features(): EditorFeatures {
    const features = editorFeatures(this.#options.client.clientCapabilities);
    return {
      ...features,
      // The editor's terminal runs lines in cmd.exe, and the CLI writes lines for bash: the option is not offered.
      hasTerminals: features.hasTerminals && process.platform !== "win32",
      ...(this.#editsObstacle !== undefined && { editsObstacle: this.#editsObstacle }),
      ...(this.#obstacle !== undefined && { commandsObstacle: this.#obstacle }),
    };
  }

  /** Which tools the editor serves under the current settings. */
  get kind(): string {
    return kindOf(this.#hasFiles, this.#hasCommands);
  }

  /** Asks the running CLI whether its settings allow the two options. */
  async updateObstacles(): Promise<void> {
    const { hasFiles, hasTerminals } = this.features;
    const [edits, commands] = await Promise.all([
      hasFiles ? this.#findEditsObstacle() : undefined,
      hasTerminals ? this.#findObstacle() : this.#obstacle,
    ]);
    this.#editsObstacle = edits;
    this.#obstacle = commands;
  }

  /** The launch of a CLI under the current settings. */
  prepareLaunch(): HostToolsLaunch {
    const hasFiles = this.#hasFiles;
    const relay = this.#hasCommands ? this.#startRelay() : undefined;
    const kind = kindOf(hasFiles, this.#hasCommands);
    const environment = {
      ...(hasFiles && { plainToolNames: true }),
      ...(relay !== undefined && { extra: relay.environment }),
    };
    if (!hasFiles) {
      const handlers = (ask: AskPermission): HostHandlers => ({
        can_use_tool:
          relay === undefined ? ask : (request, signal) => ask(this.#withoutRelayDirectory(request), signal),
      });
      return { kind, launch: {}, environment, initialize: { toolAliases }, handlers };
    }
    const server = this.#serve();
    const before = { matcher: writeToolNames.join("|"), hookCallbackIds: [writeHookId] };
    const after = { matcher: "Read", hookCallbackIds: [readHookId] };
    return {
      kind,
      launch: { disallowedTools: writeToolNames },
      environment,
      initialize: {
        toolAliases,
        sdkMcpServers: [ownServer],
        sdkMcpServerConfigs: { [ownServer]: { timeout: writeLimitMs } },
        hooks: { PreToolUse: [before], PostToolUse: [after] },
      },
      handlers: (ask) => ({
        mcp_message: async ({ message }, signal) => ({ mcp_response: await server.answer(message, signal) }),
        hook_callback: (request) => this.#hook(request),
        can_use_tool: async (request, signal) => {
          if (this.#isAskedForModeAlone(request)) return { behavior: "allow" };
          const described = this.#described(request);
          const answer = await ask(relay === undefined ? described : this.#withoutRelayDirectory(described), signal);
          if (answer.behavior === "allow") this.#files.approve(request.tool_use_id ?? "");
          return answer;
        },
      }),
    };
  }

  /** Whether the text of a file may be put into a prompt: no rule and no hook could keep the CLI from reading it. */
  async mayInlineFiles(): Promise<boolean> {
    const [listed, hooks] = await Promise.all([this.#files.listRules(), this.#hooks()]);
    if (listed === undefined || listed.rules.restricting !== undefined) return false;
    return !mayHookTool(hooks, "Read", ["PreToolUse", "PostToolUse"]);
  }

  /** Stops running writes and commands. Waits for the editor for at most `closeLimitMs`. */
  async close(): Promise<void> {
    this.#server?.stop();
    const relay = this.#relay;
    if (relay === undefined) return;
    await new Promise<void>((resolve) => {
      const cancel = this.#options.after(closeLimitMs, resolve);
      const done = (): void => {
        cancel();
        resolve();
      };
      relay.close().then(done, done);
    });
  }

  /** Undefined when the relay cannot be created; the reason is kept in `#obstacle`. */
  #startRelay(): CommandRelay | undefined {
    try {
      return (this.#relay ??= new CommandRelay(
        relayDirectory(this.#options.env),
        editorTerminals(this.#options.client, this.#options.sessionId, this.#options.cwd),
        {
          after: this.#options.after,
          place: (line) => this.#place(line),
          onTerminal: (line, terminalId) => {
            const call = this.#options.callOf(line);
            if (call !== undefined) this.#options.onTerminal(call.id, terminalId);
          },
        },
      ));
    } catch (cause) {
      this.#obstacle = cause instanceof Error ? cause.message : "no private directory could be made";
      return undefined;
    }
  }

  /** The CLI has allowed the command; what is decided here is only where it runs. */
  async #place(line: string): Promise<Placement> {
    // A sandbox may have been set since the CLI was started. Its commands stay in it.
    if ((await this.#findObstacle(true)) !== undefined) return { kind: "here" };
    return { kind: "terminal", name: this.#options.callOf(line)?.command ?? "" };
  }

  /** Why commands cannot run in the editor's terminals. `isPrefixOurs`: the agent has set the shell prefix itself. */
  async #findObstacle(isPrefixOurs = false): Promise<string | undefined> {
    const settings = await this.#settings();
    if (settings === undefined) return sandboxUnknown;
    const { env, permissions } = settings;
    if (hasSandbox(settings))
      return "your Claude settings have a sandbox, and the editor's terminals are outside of it";
    const inReach = this.#directoryObstacle(isRecord(permissions) ? permissions["additionalDirectories"] : undefined);
    if (inReach !== undefined) return inReach;
    const isPrefixSet = isRecord(env) && env[prefixName] !== undefined;
    const isPrefixInherited = !isPrefixOurs && this.#options.env[prefixName] !== undefined;
    return isPrefixSet || isPrefixInherited ? `${prefixName} is set already` : undefined;
  }

  /** `added`: the directories that the user's settings add to the session's. */
  #directoryObstacle(added?: unknown): string | undefined {
    const { cwd, additionalDirectories, env } = this.#options;
    const texts = Array.isArray(added) ? added.filter((one): one is string => typeof one === "string") : [];
    const paths = texts.map((path) => resolve(cwd, path.replace(/^~(?=\/|$)/, env["HOME"] ?? homedir())));
    return relayDirectoryObstacle(relayDirectory(env), [cwd, ...additionalDirectories, ...paths]);
  }

  /**
   * The editor opens a file by its path. A command that runs during a write can replace a directory on the path by a
   * link; a command in a sandbox would reach files outside of it that way.
   */
  /** No "always" may let commands write where the running relay has its files. */
  #withoutRelayDirectory(request: CanUseTool): CanUseTool {
    const isInReach = (request.permission_suggestions ?? []).some(
      (change) =>
        change.type === "addDirectories" &&
        relayDirectoryObstacle(relayDirectory(this.#options.env), change.directories) !== undefined,
    );
    return isInReach ? { ...request, permission_suggestions: [] } : request;
  }

  async #findEditsObstacle(): Promise<string | undefined> {
    const [hooks, settings] = await Promise.all([this.#hooks(), this.#settings()]);
    if (settings === undefined) return sandboxUnknown;
    if (hasSandbox(settings)) return "your Claude settings have a sandbox, and the editor writes outside of it";
    return hooksObstacle(hooks);
  }

  /** The settings in effect; undefined when the CLI does not tell them. */
  async #settings(): Promise<Readonly<Record<string, unknown>> | undefined> {
    const answer = await this.#options
      .control()
      ?.request("get_settings", {})
      .catch(() => undefined);
    return answer?.effective;
  }

  /** The user's hooks in effect; undefined when the CLI does not list them. */
  async #hooks(): Promise<HooksListing | undefined> {
    return this.#options
      .control()
      ?.request("get_hooks_listing", {})
      .catch(() => undefined);
  }

  #serve(): EditorMcpServer {
    return (this.#server = new EditorMcpServer({
      name: ownServer,
      version,
      // The CLI's own tools of these names are denied in any case, so a denial by the client has to be kept here.
      tools: () => writingToolDefinitions.filter(({ name }) => this.#options.isToolEnabled(name)),
      call: (request) => this.#files.answer(request),
      onBug: this.#options.onBug,
    }));
  }

  #viewOf(view: ClientView): ClientView {
    const areCommandsInEditor = (): boolean => this.#hasCommands;
    const knownText = (path: string): string | undefined =>
      this.#hasFiles ? this.#files.knownFiles.get(path)?.text : undefined;
    return {
      ...view,
      get showsTerminals() {
        return view.showsTerminals && !areCommandsInEditor();
      },
      textOf: (path) => knownText(path) ?? view.textOf(path),
    };
  }

  get #hasFiles(): boolean {
    return this.#options.settings().edits && this.features.hasFiles && this.#editsObstacle === undefined;
  }

  get #hasCommands(): boolean {
    return this.#options.settings().commands && this.features.hasTerminals && this.#obstacle === undefined;
  }

  /** In plan mode the CLI asks about every MCP tool. `#answerWriteHook` has already taken the mode into account. */
  #isAskedForModeAlone({ tool_name, tool_use_id, decision_reason_type }: CanUseTool): boolean {
    if (decision_reason_type !== "mode" || !isWritingTool(tool_name)) return false;
    return this.#files.findPermit(tool_use_id ?? "")?.kind === "allow";
  }

  /** Adds the reason and the suggestions that `#answerWriteHook` found to a permission request for one of the writing tools. */
  #described(request: CanUseTool): CanUseTool {
    if (!isWritingTool(request.tool_name)) return request;
    const permit = this.#files.findPermit(request.tool_use_id ?? "");
    const asked = permit?.kind === "ask" ? permit : { suggestions: [], why: undefined };
    const { decision_reason, ...rest } = request;
    const why = asked.why ?? (request.decision_reason_type === "hook" ? undefined : decision_reason);
    const reason = why === undefined ? {} : { decision_reason: why };
    return { ...rest, ...reason, permission_suggestions: asked.suggestions };
  }

  async #hook({ callback_id, input }: HookCallback): Promise<HookAnswer> {
    if (!isRecord(input)) return {};
    if (callback_id === readHookId) {
      const mayReplace = !isFromSubagent(input) && !mayHookTool(await this.#hooks(), "Read", ["PostToolUse"]);
      const output = await this.#files
        .unsavedResult(input["tool_input"], input["tool_response"], mayReplace)
        .catch(() => undefined);
      if (output === undefined) return {};
      return { hookSpecificOutput: { hookEventName: "PostToolUse", updatedToolOutput: output } };
    }
    return this.#answerWriteHook(input);
  }

  /** Answers the PreToolUse hook of a write with the decision of `permitWrite`. In the mode `dontAsk`, ask becomes deny. */
  async #answerWriteHook(input: Readonly<Record<string, unknown>>): Promise<HookAnswer> {
    const { tool_input } = input;
    const id = textOf(input["tool_use_id"]);
    const cwd = textOf(input["cwd"]);
    const mode = textOf(input["permission_mode"]);
    if (id === undefined || cwd === undefined || mode === undefined || !isRecord(tool_input)) return decision("ask");
    const tool = textOf(input["tool_name"]) ?? "";
    const call = { id, tool, input: tool_input, mode, cwd, isFromSubagent: isFromSubagent(input) };
    const permit = await this.#files.checkCall(call);
    if (permit.kind === "deny") return decision("deny", permit.why);
    if (permit.kind === "ask" && mode === "dontAsk") return decision("deny", "This file may not be written unasked.");
    return decision(permit.kind);
  }
}

const sandboxUnknown = "the Claude CLI does not say whether a sandbox is set";

function hasSandbox({ sandbox }: Readonly<Record<string, unknown>>): boolean {
  return isRecord(sandbox) && sandbox["enabled"] !== false && sandbox["enabled"] !== undefined;
}

function decision(permissionDecision: "allow" | "ask" | "deny", permissionDecisionReason?: string): HookAnswer {
  const reason = permissionDecisionReason === undefined ? {} : { permissionDecisionReason };
  return { hookSpecificOutput: { hookEventName: "PreToolUse", permissionDecision, ...reason } };
}

function isWritingTool(name: string): boolean {
  return writeToolNames.some((one) => one === name);
}

/** The CLI names the subagent in the input of a hook. */
function isFromSubagent(input: Readonly<Record<string, unknown>>): boolean {
  return input["agent_id"] !== undefined || input["agent_type"] !== undefined;
}

function kindOf(hasFiles: boolean, hasCommands: boolean): string {
  return [hasFiles ? "files" : "", hasCommands ? "commands" : ""].join(" ");
}
