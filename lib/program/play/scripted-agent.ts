/**
 * Serves an ACP agent whose turns come from a script, for `bowline play`.
 *
 * A prompt takes the first turn of the script that no prompt has taken yet (or that has
 * `repeat`), and whose `when`, if it has one, occurs in the prompt. Cancelling ends a turn
 * between two steps and during `wait`, and never during `hang`. The timer, the ids and the
 * function that ends the process are passed in.
 */
import { isAbsolute, resolve } from "node:path";
import {
  agent,
  type AgentConnection,
  location,
  planEntry,
  type PromptResponse,
  toolContent,
  type ToolCallContent,
  update,
} from "../../acp/index.ts";
import { type Call, errorCodes, RpcError } from "../../rpc/index.ts";
import type { Link, Schedule } from "../../wire/index.ts";
import {
  type AskStep,
  defaultOptions,
  type Script,
  type ScriptTurn,
  type ScriptStep,
  type ToolStep,
} from "./script.ts";

export interface ScriptedAgentOptions {
  readonly link: Link;
  readonly script: Script;
  readonly version: string;
  readonly after: Schedule;
  readonly newId: () => string;
  /** Ends the process at once, with an exit code or by a signal. */
  readonly crash: (how: number | string) => void;
  /** Reports a prompt for which the script has no turn. */
  readonly report: (sentence: string) => void;
}

/** What a step may use: the session, its variables and the running prompt. */
interface StepContext {
  readonly sessionId: string;
  readonly cwd: string;
  readonly variables: Map<string, string>;
  readonly call: Call;
}

/** How a list of steps ended: undefined when all steps ran. */
type Ending = PromptResponse["stopReason"] | undefined;

const chunkOf = { say: update.agentMessage, think: update.agentThought } as const;

export function scriptedAgent(options: ScriptedAgentOptions): AgentConnection {
  const { link, script, after, newId, crash, report } = options;
  const cwds = new Map<string, string>();
  const used = new Set<ScriptTurn>();
  let calls = 0;

  const connection = agent(link, {
    info: { name: script.name ?? "bowline play", version: script.version ?? options.version },
    prompt: { image: true, audio: true, embeddedContext: true },
    handlers: () => ({
      "session/new": async ({ cwd }, call) => {
        const sessionId = newId();
        cwds.set(sessionId, cwd);
        await run(script.open ?? [], { sessionId, cwd, variables: new Map(), call });
        return { sessionId };
      },
      "session/prompt": async ({ sessionId, prompt }, call) => {
        const cwd = cwds.get(sessionId);
        if (cwd === undefined) throw new RpcError(errorCodes.resourceNotFound, "there is no such session");
        const text = prompt.map((part) => (part.type === "text" ? part.text : "")).join("\n");
        const turn = script.turns.find(
          (one) => (one.repeat === true || !used.has(one)) && (one.when === undefined || text.includes(one.when)),
        );
        if (turn === undefined) {
          report("the script has no turn left for a prompt");
          throw new RpcError(errorCodes.internalError, "the script has no turn for this prompt");
        }
        used.add(turn);
        const variables = new Map([
          ["prompt", text],
          ["cwd", cwd],
        ]);
        return { stopReason: (await run(turn.do, { sessionId, cwd, variables, call })) ?? "end_turn" };
      },
      "session/cancel": () => {},
    }),
  });
  return connection;

  async function run(steps: readonly ScriptStep[], context: StepContext): Promise<Ending> {
    for (const step of steps) {
      if (context.call.isAborted) return "cancelled";
      const ending = await runStep(step, context);
      if (ending !== undefined) return ending;
    }
    return context.call.isAborted ? "cancelled" : undefined;
  }

  async function runStep(step: ScriptStep, context: StepContext): Promise<Ending> {
    const { sessionId, call } = context;
    if ("say" in step) return stream("say", step.say, context);
    if ("think" in step) return stream("think", step.think, context);
    if ("plan" in step) {
      const entries = step.plan.map(({ content, status, priority }) =>
        planEntry(filled(content, context), status, priority),
      );
      return sent(connection.update(sessionId, update.plan(entries)));
    }
    if ("tool" in step) return runTool(typeof step.tool === "string" ? { title: step.tool } : step.tool, context);
    if ("ask" in step) return runAsk(typeof step.ask === "string" ? { title: step.ask } : step.ask, context);
    if ("read" in step) {
      const { path, as: name, ...range } = typeof step.read === "string" ? { path: step.read } : step.read;
      const params = { sessionId, path: absolute(path, context), ...range };
      const { content } = await connection.call("fs/read_text_file", params, { signal: call.signal });
      context.variables.set(name ?? "text", content);
      return undefined;
    }
    if ("write" in step) {
      const { path, text } = step.write;
      const params = { sessionId, path: absolute(path, context), content: filled(text, context) };
      await connection.call("fs/write_text_file", params, { signal: call.signal });
      return undefined;
    }
    if ("usage" in step) {
      const { used: tokens, size, cost, currency = "USD" } = step.usage;
      const amount = cost === undefined ? undefined : { amount: cost, currency };
      return sent(connection.update(sessionId, update.usage(tokens, size, amount)));
    }
    if ("title" in step) {
      return sent(connection.update(sessionId, update.sessionInfo({ title: filled(step.title, context) })));
    }
    if ("wait" in step) return sent(pause(step.wait, call.signal));
    if ("hang" in step) return sent(step.hang === "forever" ? new Promise(() => {}) : pause(step.hang));
    if ("fail" in step) {
      const { code, message, data } =
        typeof step.fail === "string"
          ? { code: errorCodes.internalError, message: step.fail, data: undefined }
          : step.fail;
      throw new RpcError(code, filled(message, context), data);
    }
    if ("stop" in step) return step.stop;
    if ("crash" in step) {
      crash(step.crash);
      return sent(new Promise(() => {}));
    }
    if ("drop" in step) {
      if (step.drop) link.close("the script drops the connection");
      return undefined;
    }
    if ("send" in step) {
      link.send(typeof step.send === "string" ? step.send : JSON.stringify(step.send));
      return undefined;
    }
    const { updates, chars = 80 } = step.flood;
    const message = update.agentMessage("x".repeat(chars));
    for (let i = 0; i < updates && !call.isAborted; i++) await connection.update(sessionId, message);
    return undefined;
  }

  async function stream(
    kind: keyof typeof chunkOf,
    given:
      | string
      | { readonly text: string; readonly chunks?: number | undefined; readonly every?: number | undefined },
    context: StepContext,
  ): Promise<undefined> {
    const { text, chunks = 1, every = 0 } = typeof given === "string" ? { text: given } : given;
    const whole = Array.from(filled(text, context));
    const size = Math.max(1, Math.ceil(whole.length / chunks));
    for (let at = 0; at < whole.length && !context.call.isAborted; at += size) {
      if (at > 0 && every > 0) await pause(every, context.call.signal);
      await connection.update(context.sessionId, chunkOf[kind](whole.slice(at, at + size).join("")));
    }
  }

  async function runTool(step: ToolStep, context: StepContext): Promise<undefined> {
    const { sessionId, call } = context;
    const fields = toolFields(step, context);
    const { toolCallId } = fields;
    await connection.update(sessionId, update.toolCall({ ...fields, status: "in_progress" }));
    await pause(step.takes ?? 0, call.signal);
    const status = call.isAborted ? "failed" : (step.status ?? "completed");
    const output = step.output === undefined ? [] : [toolContent.block(filled(step.output, context))];
    const content = [...(fields.content ?? []), ...output];
    await connection.update(
      sessionId,
      update.toolCallUpdate({
        toolCallId,
        status,
        ...(output.length > 0 && { content, rawOutput: { output: filled(step.output ?? "", context) } }),
      }),
    );
  }

  async function runAsk(step: AskStep, context: StepContext): Promise<Ending> {
    const { sessionId, call } = context;
    const fields = toolFields(step, context);
    await connection.update(sessionId, update.toolCall({ ...fields, status: "pending" }));
    const options = step.options ?? defaultOptions;
    const shown = options.map(({ id, name, kind }) => ({ optionId: id, name, kind }));
    const params = { sessionId, toolCall: { ...fields, status: "pending" as const }, options: shown };
    const { outcome } = await connection.call("session/request_permission", params, { signal: call.signal });
    const chosen = outcome.outcome === "selected" ? options.find(({ id }) => id === outcome.optionId) : undefined;
    const isAllowed = chosen?.kind.startsWith("allow") === true;
    await connection.update(
      sessionId,
      update.toolCallUpdate({ toolCallId: fields.toolCallId, status: isAllowed ? "completed" : "failed" }),
    );
    const { on: branches = {}, otherwise = [] } = step;
    const names = chosen === undefined ? ["cancelled"] : [chosen.id, chosen.kind];
    const name = names.find((one) => Object.hasOwn(branches, one));
    const ending = await run(name === undefined ? otherwise : (branches[name] ?? []), context);
    return ending ?? (outcome.outcome === "cancelled" ? "cancelled" : undefined);
  }

  function toolFields(step: Omit<ToolStep, "output" | "takes" | "status">, context: StepContext) {
    const { id, title, kind, name, input, path, line, diff } = step;
    const content: readonly ToolCallContent[] | undefined = diff && [
      toolContent.diff(absolute(diff.path, context), diff.old ?? null, filled(diff.new, context)),
    ];
    const place = path ?? diff?.path;
    return {
      toolCallId: id ?? `call_${++calls}`,
      title: filled(title, context),
      kind: kind ?? (diff === undefined ? ("other" as const) : ("edit" as const)),
      ...(name !== undefined && { name }),
      ...(content !== undefined && { content }),
      ...(place !== undefined && { locations: [location(absolute(place, context), line)] }),
      ...(input !== undefined && { rawInput: input }),
    };
  }

  function pause(seconds: number, signal?: AbortSignal): Promise<void> {
    if (seconds === 0 || signal?.aborted === true) return Promise.resolve();
    return new Promise((resolvePause) => {
      const finish = (): void => {
        cancel();
        signal?.removeEventListener("abort", finish);
        resolvePause();
      };
      const cancel = after(seconds * 1000, finish);
      signal?.addEventListener("abort", finish);
    });
  }
}

async function sent(done: Promise<unknown>): Promise<undefined> {
  await done;
}

function absolute(path: string, context: StepContext): string {
  const given = filled(path, context);
  return isAbsolute(given) ? given : resolve(context.cwd, given);
}

/** Replaces `${name}` by a variable: `prompt`, `cwd`, and what `read` has stored. */
function filled(text: string, { variables }: StepContext): string {
  return text.replaceAll(/\$\{(\w+)\}/g, (whole, name: string) => variables.get(name) ?? whole);
}
