/**
 * ACP answers: what of a client's words decides how an agent goes on.
 */
import { methodOf, paramsOf } from "./acp-tape.ts";
import { type Fields, isFields, textOf } from "./tape-rows.ts";

/** The fields of a request that lead elsewhere when they are others. */
const decisive: Readonly<Record<string, readonly string[]>> = {
  authenticate: ["methodId"],
  "session/set_mode": ["modeId"],
  "session/set_model": ["modelId"],
  "session/set_config_option": ["configId", "value"],
};

/**
 * Where a client's call departs from the recorded one: a field's name, "" when it is
 * another method, undefined when it is the same as far as it matters.
 */
export function differs(
  recorded: Fields,
  heard: Fields,
  isStrict: boolean,
  named: (text: string) => string,
): string | undefined {
  const method = methodOf(recorded) ?? "";
  if (method !== methodOf(heard) || "id" in recorded !== "id" in heard) return "";
  const fields = decisive[method] ?? (isStrict && method === "session/prompt" ? ["prompt"] : []);
  const [was, is] = [paramsOf(recorded), paramsOf(heard)];
  return fields.find((field) => (JSON.stringify(was[field]) ?? "") !== named(JSON.stringify(is[field]) ?? ""));
}

export interface Accepted {
  /** What was decided, in a word. */
  readonly decision: string;
  /** What the client calls the thing it made. */
  readonly name: string | undefined;
}

export function acceptedFrom(question: Fields, { result, error }: Fields): Accepted {
  if (error !== undefined || !isFields(result))
    return { decision: error === undefined ? "done" : "an error", name: undefined };
  const { outcome } = result;
  const method = methodOf(question);
  if (method === "session/request_permission" && isFields(outcome)) {
    const chosen = textOf(outcome["optionId"]) ?? textOf(outcome["outcome"]);
    return { decision: chosen ?? "nothing", name: undefined };
  }
  if (method === "elicitation/create") return { decision: textOf(result["action"]) ?? "nothing", name: undefined };
  return { decision: "done", name: method === "terminal/create" ? textOf(result["terminalId"]) : undefined };
}
