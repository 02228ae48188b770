/**
 * Reads and writes files through the editor, for one session.
 *
 * Reads are calls to the CLI's own Read, whose result is replaced if the editor has
 * unsaved text. Writes are calls to the agent's MCP tools: each is checked once,
 * before it runs (`checkCall`), and written at most once. A call that was not checked is
 * refused, and so is a call whose path leads to another file by the time it is written.
 */
import { realpathSync } from "node:fs";
import { homedir } from "node:os";
import { resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import type { OutgoingControlRequests } from "../claude/index.ts";
import type { HostToolsOptions } from "../claude/engine/index.ts";
import { disk, editorFiles } from "./adapters.ts";
import { CurrentTexts } from "./current-text.ts";
import { type FileRules, readFileRules } from "./file-rules.ts";
import { KnownFiles } from "./known-files.ts";
import type { ToolCallRequest } from "./mcp-server.ts";
import { isBelow } from "./protected-paths.ts";
import { repositoryOnWay } from "./nested-repository.ts";
import { inputProblem } from "./tool-definitions.ts";
import { failed, type ToolResult } from "./tool-result.ts";
import { unsavedResult } from "./unsaved-text.ts";
import { permitWrite, type Root, type WritePermit, type WriteRequest } from "./write-permit.ts";
import { WriteTools, writeToolNames } from "./write-tools.ts";

/** A call to one of the writing tools, as the PreToolUse hook announces it. */
export interface AnnouncedCall {
  readonly id: string;
  readonly tool: string;
  readonly input: ToolCallRequest["input"];
  readonly mode: string;
  /** The CLI's current directory; relative paths start there. */
  readonly cwd: string;
  readonly isFromSubagent: boolean;
}

interface CheckedCall {
  /** The input as it was checked, and the same with an absolute path. */
  readonly given: ToolCallRequest["input"];
  readonly input: ToolCallRequest["input"];
  readonly place: FilePlace;
  /** The path is the plan file of this session. */
  readonly isPlan: boolean;
  readonly permit: WritePermit;
  /** Whether the user has allowed a call that had to be asked about. */
  readonly isApproved: boolean;
}

/** Where a path leads, and what is there. A write is made only if both are as they were when the call was checked. */
interface FilePlace {
  readonly realPath: string;
  readonly target: WriteRequest["target"];
  readonly isLink: boolean;
  readonly repository: string | undefined;
}

export interface ListedRules {
  readonly rules: FileRules;
  /** The directory that the CLI takes for its project; undefined when it does not say. */
  readonly projectCwd: string | undefined;
}

/** Checked calls that are remembered. A call past that number is refused, never run. */
const maxCheckedCalls = 256;
/** Answers that are kept in case the CLI asks for one again. */
const maxAnswers = 64;

export class FileCalls {
  readonly knownFiles = new KnownFiles();
  readonly #control: () => OutgoingControlRequests | undefined;
  /** Why the tools may not write at all. */
  readonly #findObstacle: () => Promise<string | undefined>;
  readonly #roots: readonly Root[];
  readonly #texts: CurrentTexts;
  readonly #writing: WriteTools;
  readonly #checked = new Map<string, CheckedCall>();
  readonly #answers = new Map<string, Promise<ToolResult>>();
  #cwd: string;

  constructor(options: HostToolsOptions, findObstacle: () => Promise<string | undefined>) {
    const { sessionId, client, after, cwd, additionalDirectories, control } = options;
    this.#control = control;
    this.#findObstacle = findObstacle;
    this.#cwd = cwd;
    this.#roots = rootsOf([cwd, ...additionalDirectories]);
    const { knownFiles } = this;
    const editor = editorFiles(client, sessionId, after);
    const wait = (ms: number): Promise<void> => new Promise((go) => void after(ms, go));
    this.#texts = new CurrentTexts({ editor, disk, knownFiles, wait });
    const isInside = (path: string): boolean => this.#roots.some((root) => isBelow(path, root.path));
    this.#writing = new WriteTools({ cwd: () => this.#cwd, texts: this.#texts, editor, disk, knownFiles, isInside });
  }

  /** The result that replaces the result of a Read; undefined leaves it as it is. */
  unsavedResult(input: unknown, response: unknown, mayReplace: boolean): Promise<object | undefined> {
    return unsavedResult(input, response, { texts: this.#texts, knownFiles: this.knownFiles, mayReplace });
  }

  /** The user's rules for files, as the CLI lists them now; undefined when it does not. */
  async listRules(): Promise<ListedRules | undefined> {
    const listed = await this.#control()
      ?.request("list_permission_rules", {})
      .catch(() => undefined);
    if (listed === undefined) return undefined;
    const { rules, originalCwd } = listed.state;
    return { rules: readFileRules(rules, writeToolNames), projectCwd: originalCwd };
  }

  /** Decides whether a call may run. A call that would fail is denied with the reason. */
  async checkCall(call: AnnouncedCall): Promise<WritePermit> {
    this.#cwd = call.cwd;
    const { tool } = call;
    const problem = inputProblem(tool, call.input) ?? (await this.#findObstacle());
    if (problem !== undefined) return { kind: "deny", why: problem };
    const key = tool === "NotebookEdit" ? "notebook_path" : "file_path";
    const given = call.input[key];
    if (typeof given !== "string" || given === "") return { kind: "deny", why: `${key} must be a path.` };
    const path = absolutePath(given, call.cwd);
    // The CLI gives the user's hooks the one spelling of a path that its own tools use. It does not
    // do so for tools of MCP servers, so a hook that compares paths would miss another spelling.
    if (path !== given) return { kind: "deny", why: `Use the absolute path ${path} as ${key}.` };
    const input = { ...call.input, [key]: path };
    const place = await this.#placeOf(path).catch(() => undefined);
    if (place === undefined) return { kind: "deny", why: `It cannot be found out where ${path} leads.` };
    const planPath = await this.#planPath(call.mode);
    const permit = await this.#permit(call, path, place, planPath);
    const writes = writeToolNames.find((one) => one === tool);
    const prepared =
      permit.kind === "deny" || writes === undefined ? undefined : await this.#writing.prepare(writes, input);
    const checked = prepared?.kind === "refused" ? ({ kind: "deny", why: prepared.why } as const) : permit;
    this.#remember(call.id, {
      given: call.input,
      input,
      place,
      isPlan: path === planPath,
      permit: checked,
      isApproved: false,
    });
    return checked;
  }

  /** The user has allowed a call. */
  approve(id: string): void {
    const checked = this.#checked.get(id);
    if (checked !== undefined) this.#checked.set(id, { ...checked, isApproved: true });
  }

  /** The decision on a call; undefined when the call was not checked or has run. */
  findPermit(id: string): WritePermit | undefined {
    return this.#checked.get(id)?.permit;
  }

  /** Runs a call. A repeated request gets the answer of the first. */
  answer(request: ToolCallRequest): Promise<ToolResult> {
    const { toolCallId: id } = request;
    if (id === undefined) return Promise.resolve(failed(notChecked));
    const answer = this.#answers.get(id) ?? this.#call(id, request);
    this.#answers.set(id, answer);
    const [oldest] = this.#answers.keys();
    if (this.#answers.size > maxAnswers && oldest !== undefined) this.#answers.delete(oldest);
    return answer;
  }

  async #planPath(mode: string): Promise<string | undefined> {
    if (mode !== "plan") return undefined;
    const plan = await this.#control()
      ?.request("get_plan", {})
      .catch(() => undefined);
    return plan?.path;
  }

  async #permit(
    call: AnnouncedCall,
    path: string,
    place: FilePlace,
    planPath: string | undefined,
  ): Promise<WritePermit> {
    const listed = await this.listRules();
    return permitWrite({
      ...place,
      tool: call.tool,
      mode: call.mode,
      path,
      rules: listed?.rules,
      roots: this.#roots,
      currentCwd: call.cwd,
      projectCwd: listed?.projectCwd,
      isFromSubagent: call.isFromSubagent,
      planPath,
    });
  }

  async #call(id: string, { name, input: sent, signal }: ToolCallRequest): Promise<ToolResult> {
    const checked = this.#checked.get(id);
    this.#checked.delete(id);
    const tool = writeToolNames.find((one) => one === name);
    if (checked === undefined || tool === undefined) return failed(notChecked);
    const { given, input, place, isPlan, permit, isApproved } = checked;
    if (permit.kind === "deny") return failed(permit.why);
    // The CLI may have let the call through without the user: by a hook, or by a setting that is not known here.
    if (permit.kind === "ask" && !isApproved) return failed(notApproved);
    if (!isDeepStrictEqual(withoutDefaults(sent), withoutDefaults(given))) return failed(changedSince);
    const path = String(input["file_path"] ?? input["notebook_path"]);
    const refusal = async (): Promise<string | undefined> => {
      const now = await this.#placeOf(path).catch(() => undefined);
      return isDeepStrictEqual(now, place) ? undefined : `${path} leads to another file now; nothing was written.`;
    };
    const { realPath } = place;
    return this.#writing.run({ tool, input, signal, realPath, isForCli: isPlan, refusal });
  }

  async #placeOf(path: string): Promise<FilePlace> {
    const realPath = await disk.real(path);
    const [facts, isLink] = await Promise.all([disk.facts(realPath), disk.isLink(path)]);
    // A file with several names may be one of the protected files under another name.
    const target = facts === undefined ? "nothing" : facts.isFile && facts.linkCount === 1 ? "file" : "other";
    const roots = this.#roots.filter((one) => isBelow(realPath, one.realPath)).map((one) => one.realPath);
    // The innermost one: a submodule may itself be a directory of the session.
    const [root] = roots.toSorted((left, right) => right.length - left.length);
    const repository = root === undefined ? undefined : await repositoryOnWay(realPath, root, disk);
    return { realPath, target, isLink, repository };
  }

  #remember(id: string, call: CheckedCall): void {
    this.#checked.set(id, call);
    const [oldest] = this.#checked.keys();
    if (this.#checked.size > maxCheckedCalls && oldest !== undefined) this.#checked.delete(oldest);
  }
}

/**
 * The directories with their links resolved, as the CLI takes them: a path through a link to a
 * directory is not one of the directory. A directory that does not exist is left out.
 */
function rootsOf(paths: readonly string[]): readonly Root[] {
  return paths.flatMap((path): readonly Root[] => {
    try {
      const realPath = realpathSync(path);
      return [{ path: realPath, realPath }];
    } catch {
      return [];
    }
  });
}

/**
 * As the CLI reads a path: without blanks around it, in Unicode's form C; `~` is the home
 * directory, other relative paths begin at `cwd`.
 */
function absolutePath(given: string, cwd: string): string {
  const text = given.trim().normalize("NFC");
  return /^~(?:\/|$)/.test(text) ? resolve(homedir(), text.slice(2)) : resolve(cwd, text);
}

/** An input without the parameters that have their default value; the CLI may add or leave out those. */
function withoutDefaults(input: ToolCallRequest["input"]): object {
  return Object.fromEntries(Object.entries(input).filter(([, value]) => value !== undefined && value !== false));
}

const changedSince = "A hook has changed this call after it was judged; nothing was written.";
const notApproved = "The user has not allowed this call; nothing was written.";
const notChecked = "The call was not judged before it ran; nothing was written.";
