/**
 * The file of `bowline play`: what a scripted agent does in each turn.
 *
 * A step is an object with one key, which names what the agent does. The step `ask` has further
 * steps for each answer, so the schema of a step contains itself; where it does, the JSON
 * schema has a reference.
 */
import {
  PermissionOptionKind,
  PlanEntryPriority,
  PlanEntryStatus,
  StopReason,
  ToolCallStatus,
  ToolKind,
} from "../../acp/index.ts";
import {
  array,
  boolean,
  byKey,
  integer,
  literal,
  type Node,
  number,
  object,
  optional,
  record,
  refine,
  type Schema,
  schema,
  type Static,
  string,
  unknown,
} from "../../schema/index.ts";
import { type References } from "../json-file/json-schema.ts";
import type { FileProblem, JsonFileKind } from "../json-file/read-json-file.ts";

/** A day: longer waits in a test are typing errors. */
const maxSeconds = 86_400;
const maxFloodUpdates = 10_000_000;
const maxFloodChars = 16 * 1024 * 1024;

const Seconds = refine(number, `seconds from 0 to ${maxSeconds}`, (value) => value >= 0 && value <= maxSeconds);

/** A plain value as the short form of an object. */
function shortOr<S, T>(short: Schema<S>, long: Schema<T>): Schema<S | T> {
  return schema<S | T>(
    (value) => (typeof value === "object" && value !== null ? long.read(value) : short.read(value)),
    () => ({ kind: "either", options: [short.node, long.node] }),
  );
}

const text = object({
  text: string,
  /** Split into this many updates. */
  chunks: optional(integer(1, 100_000)),
  /** Seconds between two updates. */
  every: optional(Seconds),
});

const diff = object({ path: string, old: optional(string), new: string });

const toolFields = {
  id: optional(string),
  title: string,
  kind: optional(ToolKind),
  name: optional(string),
  input: optional(unknown),
  path: optional(string),
  line: optional(integer(1)),
  diff: optional(diff),
};

const tool = object({
  ...toolFields,
  output: optional(string),
  /** Seconds until the call has ended. */
  takes: optional(Seconds),
  /** How the call ends; `in_progress` never ends it. */
  status: optional(ToolCallStatus),
});
export interface ToolStep extends Static<typeof tool> {}

const askOption = object({ id: string, name: string, kind: PermissionOptionKind });

/** A placeholder for the schema of a step inside the schema of a step. */
const stepPlaceholder: Node = { kind: "unknown" };
const innerStep: Schema<ScriptStep> = { node: stepPlaceholder, read: (value) => ScriptStep.read(value) };

const askFields = { ...toolFields, options: optional(array(askOption)) };
const question = object(askFields);
/** Written out where it holds steps, because a type cannot be inferred from itself. */
export interface AskStep extends Static<typeof question> {
  /** By the id or the kind of the chosen option, or `cancelled`: what the agent does next. */
  readonly on?: Readonly<Record<string, readonly ScriptStep[]>> | undefined;
  /** What the agent does when `on` has no entry for the answer. */
  readonly otherwise?: readonly ScriptStep[] | undefined;
}
const ask: Schema<AskStep> = object({
  ...askFields,
  on: optional(record(array(innerStep))),
  otherwise: optional(array(innerStep)),
});

const planEntry = object({ content: string, status: optional(PlanEntryStatus), priority: optional(PlanEntryPriority) });

const steps = {
  say: object({ say: shortOr(string, text) }),
  think: object({ think: shortOr(string, text) }),
  plan: object({ plan: array(planEntry) }),
  tool: object({ tool: shortOr(string, tool) }),
  read: object({
    read: shortOr(
      string,
      object({ path: string, line: optional(integer(1)), limit: optional(integer(1)), as: optional(string) }),
    ),
  }),
  write: object({ write: object({ path: string, text: string }) }),
  usage: object({
    usage: object({ used: integer(0), size: integer(0), cost: optional(number), currency: optional(string) }),
  }),
  title: object({ title: string }),
  wait: object({ wait: Seconds }),
  hang: object({ hang: shortOrForever() }),
  fail: object({ fail: shortOr(string, object({ code: integer(), message: string, data: optional(unknown) })) }),
  stop: object({ stop: StopReason }),
  crash: object({ crash: crashSchema() }),
  drop: object({ drop: boolean }),
  send: object({ send: unknown }),
  flood: object({
    flood: object({ updates: integer(1, maxFloodUpdates), chars: optional(integer(1, maxFloodChars)) }),
  }),
};

interface AskingStep {
  readonly ask: string | AskStep;
}

export type ScriptStep =
  | { readonly [K in keyof typeof steps]: Static<(typeof steps)[K]> }[keyof typeof steps]
  | AskingStep;
export const ScriptStep: Schema<ScriptStep> = byKey({ ...steps, ask: object({ ask: shortOr(string, ask) }) });

const turn = object({
  /** The turn answers only a prompt that contains this text. */
  when: optional(string),
  do: array(ScriptStep),
  /** Whether the turn can answer more than one prompt. */
  repeat: optional(boolean),
});
export interface ScriptTurn extends Static<typeof turn> {}

const script = object({
  $schema: optional(string),
  /** The agent's name in the response to `initialize`. */
  name: optional(string),
  version: optional(string),
  /** Steps before `session/new` is answered. */
  open: optional(array(ScriptStep)),
  turns: array(turn),
});
export interface Script extends Static<typeof script> {}
export const Script: Schema<Script> = script;

export const scriptReferences: References = new Map([[stepPlaceholder, { name: "step", node: ScriptStep.node }]]);

export const scriptFile: JsonFileKind<Script> = {
  what: "script",
  schema: Script,
  references: scriptReferences,
  check: checkScript,
};

function shortOrForever(): Schema<number | "forever"> {
  return schema<number | "forever">(
    (value) => (value === "forever" ? value : Seconds.read(value)),
    () => ({ kind: "either", options: [Seconds.node, literal("forever").node] }),
  );
}

/** An exit code, or the name of a signal. */
function crashSchema(): Schema<number | string> {
  const code = integer(0, 255);
  const signal = refine(string, "an exit code or a signal such as SIGKILL", (value) =>
    /^SIG[A-Z0-9]{2,8}$/.test(value),
  );
  return schema<number | string>(
    (value) => (typeof value === "number" ? code.read(value) : signal.read(value)),
    () => ({ kind: "either", options: [code.node, signal.node] }),
  );
}

/** Finds branches that no answer leads to, and steps that nothing reaches. */
function checkScript({ open = [], turns }: Script): readonly FileProblem[] {
  return [
    ...checkSteps(open, ["open"]),
    ...turns.flatMap((one, i) => checkSteps(one.do, ["turns", i, "do"])),
    ...turns.flatMap((one, i): readonly FileProblem[] =>
      one.repeat === true && one.when === undefined && i < turns.length - 1
        ? [{ path: ["turns", i, "repeat"], says: "makes the turns after it unreachable; give this turn a when" }]
        : [],
    ),
  ];
}

function checkSteps(given: readonly ScriptStep[], path: readonly (string | number)[]): readonly FileProblem[] {
  return given.flatMap((step, i): readonly FileProblem[] => {
    const at = [...path, i];
    const isLast = "stop" in step || "fail" in step || "crash" in step || "drop" in step;
    const problems: FileProblem[] = [];
    if (isLast && i < given.length - 1) problems.push({ path: [...path, i + 1], says: "is never reached" });
    if (!("ask" in step) || typeof step.ask === "string") return problems;
    const { on: branches = {}, otherwise = [], options = defaultOptions } = step.ask;
    const answers = new Set<string>(["cancelled", ...options.flatMap(({ id, kind }) => [id, kind])]);
    for (const [answer, branch] of Object.entries(branches)) {
      const there = [...at, "ask", "on", answer];
      if (!answers.has(answer)) problems.push({ path: there, says: `must be one of ${[...answers].join(", ")}` });
      problems.push(...checkSteps(branch, there));
    }
    return [...problems, ...checkSteps(otherwise, [...at, "ask", "otherwise"])];
  });
}

/** The options of a question that names none. */
export const defaultOptions: NonNullable<AskStep["options"]> = [
  { id: "allow", name: "Allow", kind: "allow_once" },
  { id: "reject", name: "Reject", kind: "reject_once" },
];
