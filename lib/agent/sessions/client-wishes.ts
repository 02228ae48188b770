/**
 * What a client wishes for a session in fields of its own: `_meta.claudeCode.options`,
 * `_meta.systemPrompt`, `_meta.disableBuiltInTools`, `_meta.traceparent`, and the unstable
 * `systemPrompt`.
 *
 * An allow-list: what is not named here is ignored. No wish gives the model more rights than
 * the user's own settings do: `allowedTools` leaves the named tools and permits none of them,
 * and `env`, `settings`, `settingSources`, hooks, flags and permission modes are not read.
 */
import { ContentBlock, isAbsolutePath } from "../../acp/index.ts";
import type { ClientWishes } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { Fault, isRecord, textOf } from "../../schema/index.ts";

export interface SessionWishes {
  /** For the engine; empty when the client wishes nothing. */
  readonly wishes: ClientWishes;
  /** Directories beside those of `additionalDirectories`. */
  readonly directories: readonly string[];
  /** `session/new` continues this conversation. */
  readonly resume: string | undefined;
}

/** The longest system prompt of a client, in characters. */
export const maxSystemPromptChars = 200_000;
const maxTools = 500;

/** Throws an `RpcError` for a `systemPrompt` that cannot be applied, as the protocol says. */
export function readWishes(params: Readonly<Record<string, unknown>>): SessionWishes {
  const meta = isRecord(params["_meta"]) ? params["_meta"] : {};
  const { claudeCode } = meta;
  const options = isRecord(claudeCode) && isRecord(claudeCode["options"]) ? claudeCode["options"] : {};
  const { maxTurns } = options;
  const named = listOf(options["tools"]) ?? listOf(options["allowedTools"])?.map(toolName);
  const wishes = {
    systemPrompt:
      protocolPrompt(params["systemPrompt"]) ?? metaPrompt(meta["systemPrompt"]) ?? metaPrompt(options["systemPrompt"]),
    model: nonEmpty(options["model"]),
    effort: nonEmpty(options["effort"]),
    maxTurns: typeof maxTurns === "number" && Number.isSafeInteger(maxTurns) && maxTurns > 0 ? maxTurns : undefined,
    tools: meta["disableBuiltInTools"] === true ? [] : builtInTools(named),
    disallowedTools: listOf(options["disallowedTools"]),
    traceContext: traceContext(meta),
  } satisfies ClientWishes;
  return {
    wishes: Object.fromEntries(Object.entries(wishes).filter(([, wish]) => wish !== undefined)),
    directories: [
      ...pathsIn("_meta.additionalRoots", meta["additionalRoots"]),
      ...pathsIn("_meta.claudeCode.options.additionalDirectories", options["additionalDirectories"]),
    ],
    resume: nonEmpty(options["resume"]),
  };
}

/** Undefined unless `traceparent` has the form of the W3C Trace Context: it becomes an environment variable. */
function traceContext({ traceparent, tracestate }: Readonly<Record<string, unknown>>): ClientWishes["traceContext"] {
  const parent = textOf(traceparent);
  if (parent === undefined || !/^00-[0-9a-f]{32}-[0-9a-f]{16}-[0-9a-f]{2}$/.test(parent)) return undefined;
  const state = textOf(tracestate);
  return {
    traceparent: parent,
    ...(state !== undefined && /^[\x20-\x7e]{1,512}$/.test(state) && { tracestate: state }),
  };
}

/** `Bash(git:*)` names the tool Bash. */
function toolName(rule: string): string {
  return rule.replace(/\(.*$/s, "").trim();
}

/** The tools of MCP servers come with their servers; a list that names only those restricts nothing. */
function builtInTools(named: readonly string[] | undefined): readonly string[] | undefined {
  const builtIn = named?.filter((name) => /^\w+$/.test(name) && !name.startsWith("mcp__"));
  return named !== undefined && named.length > 0 && builtIn?.length === 0 ? undefined : builtIn;
}

function protocolPrompt(given: unknown): ClientWishes["systemPrompt"] {
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

function metaPrompt(given: unknown): ClientWishes["systemPrompt"] {
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

function listOf(value: unknown): readonly string[] | undefined {
  if (!Array.isArray(value) || value.length > maxTools) return undefined;
  return value.flatMap((one: unknown) => nonEmpty(one) ?? []);
}

/** A relative path would depend on where Bowline runs. */
function pathsIn(name: string, value: unknown): readonly string[] {
  const paths = listOf(value) ?? [];
  if (!paths.every(isAbsolutePath)) throw invalid(`${name} must be absolute paths`);
  return paths;
}

function invalid(why: string): RpcError {
  return new RpcError(errorCodes.invalidParams, why);
}
