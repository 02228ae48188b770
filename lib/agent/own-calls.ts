/**
 * Own calls: calls to the tools we serve ourselves, from the question whether
 * they may run to their one answer.
 *
 * A call is written or run once, however often it is asked for, and not before it
 * was allowed. What was read, where commands begin and what runs in the background
 * outlive a run of the CLI.
 */
import { dirname, isAbsolute, resolve, sep } from "node:path";
import type { Control } from "../claude/index.ts";
import {
  Commands,
  type DocumentPart,
  EditorTexts,
  failed,
  type FullAnswer,
  Memory,
  Reading,
  readRules,
  type ToolAnswer,
  type ToolCallRequest,
  Writing,
  writingTools,
} from "../tools/index.ts";
import { disk, editorFiles, editorTerminals, note } from "./editor-ports.ts";
import { type Judged, judge } from "./judge.ts";
import type { SessionEnds, SessionSetup } from "./session-setup.ts";

export interface OwnCallsEnds {
  /** The running CLI. */
  readonly control: () => Control | undefined;
  /** A tool call shows this terminal from now on. */
  readonly onTerminal: (toolCallId: string, terminalId: string) => void;
  /** Something the model should know of, though nobody asked. */
  readonly onNews: (text: string) => void;
  /** In the environment of every command. */
  readonly mark: string;
}

/** What the CLI says of a call before it runs. */
export interface Announced {
  readonly id: string | undefined;
  readonly transcriptPath: string | undefined;
  /** Where the CLI's own commands begin. */
  readonly cwd: string | undefined;
  readonly agentId: string | undefined;
}

/** Calls that are remembered after their answer, in case the CLI asks for it again. */
const maxKept = 64;

export class OwnCalls {
  readonly memory = new Memory();
  readonly commands: Commands;
  readonly #ends: OwnCallsEnds;
  readonly #setup: SessionSetup;
  readonly #reading: Reading;
  readonly #writing: Writing;
  /** Calls that will not run, and what they answer instead. */
  readonly #refusals = new Map<string, string>();
  readonly #answers = new Map<string, Promise<FullAnswer>>();
  /** Calls of subagents. */
  readonly #delegated = new Map<string, string>();
  /** Where the CLI keeps its own files; it says so with the first call. */
  #configDirectory: string | undefined;
  /** Where the CLI is, while its own commands run. */
  #cliCwd: string | undefined;

  constructor(sessionId: string, { client, after }: SessionEnds, setup: SessionSetup, ends: OwnCallsEnds) {
    this.#ends = ends;
    this.#setup = setup;
    const { memory } = this;
    const editor = editorFiles(client, sessionId);
    const isPrivate = (path: string): boolean => this.#isPrivate(path);
    const wait = (ms: number): Promise<void> => new Promise((go) => void after(ms, go));
    const texts = new EditorTexts({ editor, disk, memory, isPrivate, wait });
    const cwd = (): string => this.cwd;
    const files = { cwd, absolute: (path: string) => this.#absolute(path), texts, editor, disk, memory };
    this.#reading = new Reading(files);
    this.#writing = new Writing({ ...files, isPrivate, isInside: (path) => this.#isInside(path, []) });
    this.commands = new Commands({
      terminals: editorTerminals(client, sessionId, ends.mark),
      onTerminal: ends.onTerminal,
      onNews: ends.onNews,
      after,
      directory: { home: setup.cwd, note, isInside: (path) => this.#isReallyInside(path) },
      platform: process.platform,
    });
  }

  /** Where a relative path begins. */
  get cwd(): string {
    return this.#cliCwd ?? this.commands.cwd;
  }

  /** `areCommandsOurs`: where the CLI itself is says nothing. */
  hear({ id, transcriptPath, cwd, agentId }: Announced, areCommandsOurs: boolean): void {
    if (transcriptPath !== undefined) this.#configDirectory = dirname(dirname(dirname(transcriptPath)));
    this.#cliCwd = areCommandsOurs ? undefined : cwd;
    if (id !== undefined && agentId !== undefined) keep(this.#delegated, id, agentId);
  }

  /** Whether a call runs without a question, and what is asked where not. */
  async judge(tool: string, input: ToolCallRequest["input"], mode: string, id: string | undefined): Promise<Judged> {
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
        keep(this.#refusals, id, why);
        return true;
      },
    });
  }

  /** The same call twice is one call. */
  async answer(request: ToolCallRequest): Promise<ToolAnswer> {
    const { toolCallId: id } = request;
    const answer = (id === undefined ? undefined : this.#answers.get(id)) ?? this.#call(request);
    if (id !== undefined) keep(this.#answers, id, answer);
    const { document: _, ...told } = await answer;
    return told;
  }

  /** The blocks that take the place of an answer MCP had no words for. */
  async blocksOf(id: string): Promise<readonly (ToolAnswer["content"][number] | DocumentPart)[] | undefined> {
    const answer = await this.#answers.get(id);
    return answer?.document && [...answer.content, answer.document];
  }

  async #call({ name, input, toolCallId, signal }: ToolCallRequest): Promise<FullAnswer> {
    const refusal = this.#refusals.get(toolCallId ?? "");
    this.#refusals.delete(toolCallId ?? "");
    if (refusal !== undefined) return failed(refusal);
    const writes = writingTools.find((one) => one === name);
    if (writes !== undefined) return this.#writing.run(writes, input, signal);
    switch (name) {
      case "Read":
        return this.#reading.run(input);
      case "Bash":
        return this.commands.run(input, { toolCallId, isSubagent: this.#delegated.has(toolCallId ?? "") }, signal);
      case "BashOutput":
        return this.commands.shells.output(input);
      default:
        return this.commands.shells.kill(input);
    }
  }

  #absolute(path: string): string {
    return isAbsolute(path) ? resolve(path) : resolve(this.cwd, path);
  }

  #isInside(path: string, added: readonly string[]): boolean {
    return [...this.#roots, ...added].some((root) => isBelow(this.#absolute(path), root));
  }

  async #isReallyInside(path: string): Promise<boolean> {
    const real = await disk.real(path);
    const roots = await Promise.all(this.#roots.map((root) => disk.real(root)));
    return roots.some((root) => isBelow(real, root));
  }

  get #roots(): readonly string[] {
    return [this.#setup.cwd, ...this.#setup.additionalDirectories];
  }

  #isPrivate(path: string): boolean {
    const config = this.#configDirectory;
    return (
      config !== undefined && [`${config}${sep}plans`, `${config}${sep}projects`].some((one) => isBelow(path, one))
    );
  }
}

/** Remembers, and forgets the oldest. */
function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > maxKept && oldest !== undefined) map.delete(oldest);
}

function isBelow(path: string, root: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}
