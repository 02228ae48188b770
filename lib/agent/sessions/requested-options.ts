/**
 * Reads the session options that a client requests beyond the protocol: fields of `_meta`, and the
 * unstable `systemPrompt`.
 *
 * An allow-list: what is not named here is ignored. No option gives the model more rights than
 * the user's settings do: `allowedTools` leaves the named tools and permits none of them,
 * and `env`, `settings`, `settingSources`, hooks, flags and permission modes are not read.
 * A list of tools that cannot be applied as it is refuses the session: a restriction is never
 * dropped in silence.
 */
import { ContentBlock, isAbsolutePath } from "../../acp/index.ts";
import type { RequestedOptions } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { Fault, isRecord, textOf } from "../../schema/index.ts";

export interface RequestedSession {
  /** For the engine; empty when the client requests nothing. */
  readonly requestedOptions: RequestedOptions;
  /** Directories in addition to those of `additionalDirectories`. */
  readonly directories: readonly string[];
  /** `session/new` continues this conversation. */
  readonly resume: string | undefined;
}

/** The longest system prompt of a client, in characters. */
export const maxSystemPromptChars = 200_000;
/** The most entries of a list. */
const maxEntries = 500;
/** Rules may have a pattern with a path or a command line. */
const maxEntryChars = 4096;

/** Throws an `RpcError` for a `systemPrompt`, a list of tools or a path that cannot be applied. */
export function readRequestedOptions(params: Readonly<Record<string, unknown>>): RequestedSession {
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  const { claudeCode } = meta;
  const options = isRecord(claudeCode) && isRecord(claudeCode["options"]) ? claudeCode["options"] : {};
  const { maxTurns } = options;
  const named = namedTools(options);
  const requestedOptions = {
    systemPrompt:
      protocolPrompt(params["systemPrompt"]) ?? metaPrompt(meta["systemPrompt"]) ?? metaPrompt(options["systemPrompt"]),
    model: nonEmpty(options["model"]),
    effort: nonEmpty(options["effort"]),
    maxTurns: typeof maxTurns === "number" && Number.isSafeInteger(maxTurns) && maxTurns > 0 ? maxTurns : undefined,
    tools: meta["disableBuiltInTools"] === true ? [] : named?.filter((name) => !name.startsWith("mcp__")),
    disallowedTools: deniedTools(options["disallowedTools"]),
    traceContext: traceContext(meta),
  } satisfies RequestedOptions;
  return {
    requestedOptions: Object.fromEntries(Object.entries(requestedOptions).filter(([, value]) => value !== undefined)),
    directories: [
      ...pathsIn("_meta.additionalRoots", meta["additionalRoots"]),
      ...pathsIn("_meta.claudeCode.options.additionalDirectories", options["additionalDirectories"]),
    ],
    resume: nonEmpty(options["resume"]),
  };
}

/** Undefined unless `traceparent` has the form of the W3C Trace Context: it becomes an environment variable. */
function traceContext({
  traceparent,
  tracestate,
}: Readonly<Record<string, unknown>>): RequestedOptions["traceContext"] {
  const parent = textOf(traceparent);
  if (parent === undefined || !/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(parent)) return undefined;
  const state = textOf(tracestate);
  return {
    traceparent: parent,
    ...(state !== undefined && /^[\x20-\x7e]{1,512}$/.test(state) && { tracestate: state }),
  };
}

const optionsName = "_meta.claudeCode.options";

/** The tools that are left; undefined for all. Tools of MCP servers come with their servers and are left in any case. */
function namedTools({ tools, allowedTools }: Readonly<Record<string, unknown>>): readonly string[] | undefined {
  // `{"type": "preset", ...}` means all tools of the CLI.
  const isPreset = isRecord(tools) && tools["type"] === "preset";
  const name = tools == null || isPreset ? "allowedTools" : "tools";
  const given = listIn(`${optionsName}.${name}`, name === "tools" ? tools : allowedTools);
  // `Bash(git:*)` names the tool Bash.
  const names = given?.map((rule) => rule.replace(/\(.*$/s, "").trim());
  if (names?.every((one) => /^(?:\w+|mcp__[\w.:/ -]+)$/.test(one)) === false) {
    throw invalid(`${optionsName}.${name} must be names of tools`);
  }
  return names;
}

/**
 * Rules such as `Bash` and `Bash(git:*)`. The CLI gets them as one text, where an open bracket would swallow the next
 * rule. It reads an entry such as `Bash,Write` or `Bash(a) Write` as two rules: it ends one at a comma or a blank
 * behind the first closing bracket.
 */
function deniedTools(given: unknown): readonly string[] | undefined {
  const name = `${optionsName}.disallowedTools`;
  const rules = listIn(name, given);
  const isClosed = (rule: string): boolean => !rule.includes("(") || /(?<!\\)\)\s*$/.test(rule);
  if (rules?.every(isClosed) === false) throw invalid(`${name} must be rules whose brackets are closed`);
  const isSingle = (rule: string): boolean => /^\s*[^\s,()]*(?:\([^)]*\))?\s*$/.test(rule);
  if (rules?.every(isSingle) === false) throw invalid(`${name} must be a list with one rule in each entry`);
  return rules;
}

function protocolPrompt(given: unknown): RequestedOptions["systemPrompt"] {
  if (given == null) return undefined;
  const { mode, content } = isRecord(given) ? given : {};
  if (mode !== "append" && mode !== "override") throw invalid("systemPrompt.mode must be append or override");
  if (!Array.isArray(content) || content.length === 0) throw invalid("systemPrompt.content must be a list of text");
  const texts = content.map((one) => {
    const block = ContentBlock.read(one);
    if (block instanceof Fault || block.type !== "text") throw invalid("systemPrompt.content must be text");
    return block.text;
  });
  return { isAppended: mode === "append", text: limited(texts.join("\n\n")) };
}

function metaPrompt(given: unknown): RequestedOptions["systemPrompt"] {
  const whole = nonEmpty(given);
  if (whole !== undefined) return { isAppended: false, text: limited(whole) };
  const appended = isRecord(given) ? nonEmpty(given["append"]) : undefined;
  return appended === undefined ? undefined : { isAppended: true, text: limited(appended) };
}

function limited(text: string): string {
  if (text.length > maxSystemPromptChars) {
    throw invalid(`the system prompt must have at most ${maxSystemPromptChars} characters`);
  }
  return text;
}

function nonEmpty(value: unknown): string | undefined {
  const text = textOf(value);
  return text === undefined || text.trim() === "" || text.includes("\0") ? undefined : text;
}

/** Undefined without a value. An entry that is left out would widen or narrow what the client has asked for. */
function listIn(name: string, value: unknown): readonly string[] | undefined {
  if (value == null) return undefined;
  if (!Array.isArray(value)) throw invalid(`${name} must be a list of strings`);
  if (value.length > maxEntries) throw invalid(`${name} must have at most ${maxEntries} entries`);
  return value.map((one: unknown) => {
    const text = nonEmpty(one);
    if (text === undefined || text.length > maxEntryChars) {
      throw invalid(`${name} must be a list of strings of at most ${maxEntryChars} characters, none of them empty`);
    }
    return text;
  });
}

/** A relative path would depend on where Bowline runs. */
function pathsIn(name: string, value: unknown): readonly string[] {
  const paths = listIn(name, value) ?? [];
  if (!paths.every(isAbsolutePath)) throw invalid(`${name} must be absolute paths`);
  return paths;
}

function invalid(why: string): RpcError {
  return new RpcError(errorCodes.invalidParams, why);
}
