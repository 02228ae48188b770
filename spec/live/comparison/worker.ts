/**
 * A worker: one agent with the real CLI behind it, an ACP client and directories of its own.
 *
 * Runs calls one after the other, each in directories that are as the template has them and in a session
 * whose shell has not moved: a new CLI and a new conversation, or the session of the call before, when
 * `leavesSessionFresh` says that call cannot matter (a start costs about 1 s of CPU time, a prompt 0.1 s).
 * The client says no to everything it is asked about the call. Workers share nothing.
 */
import { mkdirSync, readdirSync, rmSync } from "node:fs";
import { basename, dirname, isAbsolute, join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { AcpClient } from "../../support/live/client/acp-client.ts";
import { sentBlocks, toolResultTexts, type ApiRequest } from "../../support/live/api/api-request.ts";
import type { Editor } from "../../support/live/client/scripted-editor.ts";
import { MessagesApi } from "../../support/live/api/fake-messages-api.ts";
import { killLeftovers } from "../../support/processes.ts";
import { claudeExecutable, cleanEnvironment } from "../../support/live/real-cli.ts";
import { answer, call as toolCall, say } from "../../support/live/api/model-script.ts";
import { inputAt, type ComparedCall, type Mode, type Places, type Shell } from "./call.ts";
import { secret, verdictOf, type Outcome, type ToolResult, type Verdict } from "./outcome.ts";
import { buildTemplate, changes, resetPlaces, snapshot, undo, writeSettings, type Snapshot } from "./project.ts";

interface OpenSession {
  readonly sessionId: string;
  readonly settings: string;
  /** What the directories looked like after the last call. */
  files: Snapshot;
  calls: number;
  isFresh: boolean;
  /** Some file was read in it. */
  hasRead: boolean;
}

export interface WorkerOptions {
  /** An empty directory that belongs to this worker. */
  readonly directory: string;
  /** The options `edits` and `commands`; both off is the CLI alone. */
  readonly edits: boolean;
  readonly commands: boolean;
  readonly mode: Mode;
  readonly shell: Shell;
  /** Every call has a session of its own, whatever the call before did. */
  readonly isAlwaysFresh?: boolean;
  /** Prints the results that the model got, to find out what the CLI answers. */
  readonly onResult?: ((call: ComparedCall, outcome: Outcome, result: ToolResult | undefined) => void) | undefined;
}

/** A call that takes longer hangs; the agent is started again for the next one. */
const callLimitMs = 60_000;
/** A conversation is sent whole with every request, so a session ends after this many calls. */
const maxCallsPerSession = 40;
/** A turn may end before a background command has written its last file. */
const settleMs = 30;

const agentProgram = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
const shellPaths: Readonly<Record<Shell, string>> = { bash: "/bin/bash", dash: "/bin/dash", zsh: "/bin/zsh" };

export class Worker implements AsyncDisposable {
  readonly #options: WorkerOptions;
  readonly #places: Places;
  readonly #template: string;
  readonly #api: MessagesApi;
  #client: AcpClient | undefined;
  #session: OpenSession | undefined;
  /** False when the directories are not as in the template. */
  #isClean = false;
  #count = 0;

  private constructor(options: WorkerOptions, api: MessagesApi) {
    this.#options = options;
    this.#api = api;
    this.#places = { root: join(options.directory, "root"), tag: `${process.pid}${basename(options.directory)}` };
    this.#template = join(options.directory, "template");
    mkdirSync(this.#places.root, { recursive: true });
    buildTemplate(this.#template, this.#places);
  }

  static async start(options: WorkerOptions): Promise<Worker> {
    return new Worker(options, await MessagesApi.start());
  }

  async run(call: ComparedCall): Promise<Outcome> {
    let timer: NodeJS.Timeout | undefined;
    const limit = new Promise<"late">((resolve) => {
      timer = setTimeout(() => resolve("late"), callLimitMs);
    });
    try {
      const outcome = await Promise.race([this.#run(call), limit]);
      if (outcome !== "late") return outcome;
      throw new Error(`${call.id}: not over after ${callLimitMs / 1000} s`);
    } catch (cause) {
      await this.#stopAgent();
      throw cause;
    } finally {
      clearTimeout(timer);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#stopAgent();
    await this.#api.close();
    rmSync(this.#options.directory, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }

  async #run(call: ComparedCall): Promise<Outcome> {
    const client = await this.#agent();
    const session = await this.#sessionFor(call, client);
    const { sessionId } = session;
    const before = session.files;
    const script = `c${++this.#count}`;
    let isPreparing = true;
    let isAsked = false;
    let result: ToolResult | undefined;
    client.editor.usual = () => {
      if (isPreparing) return "allow";
      isAsked = true;
      return "reject";
    };
    const caller = call.isFromSubagent === true ? `${script}s` : script;
    const isOver = new Promise<void>((resolve) => {
      this.#api.script(
        caller,
        ...call.before.map((one) => answer(toolCall(one.tool, inputAt(one, this.#places)))),
        () => {
          isPreparing = false;
          return answer(toolCall(call.tool, inputAt(call, this.#places)));
        },
        (request) => {
          result = lastResult(request);
          resolve();
          return answer(say("Done."));
        },
      );
    });
    if (caller !== script) {
      const agent = { description: "a task", prompt: `[[${caller}]] go`, subagent_type: "general-purpose" };
      this.#api.script(script, answer(toolCall("Agent", agent)), answer(say("Done.")), answer(say("Done.")));
    }
    await client.prompt(sessionId, `[[${script}]] go`);
    // The turn may be over before its subagent.
    if (caller !== script) await isOver;
    await pause(settleMs);
    session.files = snapshot(this.#places);
    session.calls++;
    const changed = [...changes(before, session.files), ...strayDevices(this.#places)];
    // After a Read that was allowed the model knows the text already.
    const isTold = call.before.length === 0 && result !== undefined && result.text.includes(secret);
    const outcome: Outcome = {
      verdict: verdictOf(call.tool, isAsked, result),
      effects: isTold ? [...changed, "told a secret"] : changed,
    };
    const isWritten = changed.length > 0 && (call.tool === "Write" || call.tool === "Edit");
    const isUndone = isWritten && undo(changed, this.#template, this.#places);
    if (isUndone) session.files = snapshot(this.#places);
    const isChanged = changed.length > 0 && !isUndone;
    this.#isClean &&= !isChanged;
    session.isFresh =
      this.#options.isAlwaysFresh !== true && leavesSessionFresh(call, outcome.verdict, isChanged) && caller === script;
    session.hasRead ||= call.before.length > 0 || (call.tool === "Read" && outcome.verdict === "ran");
    this.#options.onResult?.(call, outcome, result);
    this.#forget(client);
    return outcome;
  }

  /** The open session when the call can have it, or a new one in directories that are as in the template. */
  async #sessionFor(call: ComparedCall, client: AcpClient): Promise<OpenSession> {
    const open = this.#session;
    const settings = JSON.stringify(call.settings);
    const isFit = open?.isFresh === true && open.settings === settings && open.calls < maxCallsPerSession;
    // The CLI may answer a second Read of a file with a word that nothing changed.
    if (isFit && !(call.tool === "Read" && open.hasRead)) return open;
    this.#session = undefined;
    if (open !== undefined) await client.request("session/close", { sessionId: open.sessionId });
    if (!this.#isClean) resetPlaces(this.#template, this.#places);
    this.#isClean = call.settings.length === 0;
    writeSettings(call.settings, this.#places);
    const files = snapshot(this.#places);
    const { sessionId } = await client.newSession(join(this.#places.root, "project"));
    const { mode } = this.#options;
    if (mode !== "default") await client.request("session/set_mode", { sessionId, modeId: mode });
    return (this.#session = { sessionId, settings, files, calls: 0, isFresh: true, hasRead: false });
  }

  async #agent(): Promise<AcpClient> {
    if (this.#client !== undefined) return this.#client;
    const { edits, commands, shell } = this.#options;
    const env = cleanEnvironment(this.#api.port, join(this.#places.root, "home"), {
      BOWLINE_CLAUDE: claudeExecutable(),
      BOWLINE_PREWARM: "0",
      BOWLINE_EDITS: edits ? "1" : "0",
      BOWLINE_COMMANDS: commands ? "1" : "0",
      // The CLI runs its own commands with bash or zsh only.
      SHELL: shell === "zsh" ? shellPaths.zsh : shellPaths.bash,
      // As root the CLI refuses bypassPermissions otherwise.
      IS_SANDBOX: "1",
    });
    const client = new AcpClient({
      command: process.execPath,
      args: [agentProgram],
      env,
      cwd: this.#options.directory,
    });
    client.editor.terminals.shell = shellPaths[shell];
    makeDirectoriesOnWrite(client.editor);
    this.#client = client;
    await client.initialize();
    return client;
  }

  async #stopAgent(): Promise<void> {
    const client = this.#client;
    this.#client = undefined;
    this.#session = undefined;
    this.#isClean = false;
    await client?.[Symbol.asyncDispose]();
    killLeftovers(this.#places.root);
  }

  /** A thousand sessions would otherwise keep every request with all its tool descriptions. */
  #forget({ program, updates, editor }: AcpClient): void {
    program.wire.items.length = 0;
    updates.items.length = 0;
    editor.asked.items.length = 0;
    this.#api.requests.items.length = 0;
  }
}

/**
 * A session in which a call did not run is as it was: no shell started, no directory moved. After a command
 * that ran it is only as it was when no file changed and the command is too plain to move a shell: nothing
 * but words, with none among them that changes directory or runs other words.
 */
function leavesSessionFresh({ tool, input }: ComparedCall, verdict: Verdict, isChanged: boolean): boolean {
  if (isChanged) return false;
  if (verdict !== "ran" || tool !== "Bash") return true;
  const command = input["command"] ?? "";
  return (
    /^[\w ./,:@%+='"|-]+$/.test(command) &&
    !/\b(cd|pushd|popd|eval|source|exec|builtin|command|env|trap|set|export|alias|hash|enable|shopt|unset)\b|(^|\|) *\./.test(
      command.replaceAll(/['"]/g, ""),
    )
  );
}

/** An editor that creates the directories of a new file hides no write that the agent should not have asked for. */
function makeDirectoriesOnWrite(editor: Editor): void {
  const write = editor.write.bind(editor);
  editor.write = async (request) => {
    if (isAbsolute(request.path)) mkdirSync(dirname(request.path), { recursive: true });
    await write(request);
  };
}

function lastResult(request: ApiRequest): ToolResult | undefined {
  const text = toolResultTexts(request).at(-1);
  const isError = sentBlocks(request, "tool_result").at(-1)?.["is_error"] === true;
  return text === undefined ? undefined : { text, isError };
}

/** Files next to /dev/null that a misread redirection of this worker left; each is removed. */
function strayDevices({ tag }: Places): readonly string[] {
  const found = readdirSync("/dev").filter((name) => name.includes(tag));
  for (const name of found) rmSync(`/dev/${name}`, { force: true });
  return found.map((name) => `created /dev/${name.replace(tag, "{tag}")}`);
}
