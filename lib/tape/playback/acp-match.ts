/**
 * Compares a client's ACP messages with the recorded ones, where the difference
 * would change what the agent does.
 */
import { methodOf, paramsOf } from "../acp-tape.ts";
import { type RowFields, isFields, textOf } from "../tape-rows.ts";

/** The parameters of each method that must equal the recorded ones. */
const decisive: Readonly<Record<string, readonly string[]>> = {
  authenticate: ["methodId"],
  "session/set_mode": ["modeId"],
  "session/set_model": ["modelId"],
  "session/set_config_option": ["configId", "value"],
};

/**
 * The first difference between a client's call and the recorded one: a field's name, ""
 * for another method, undefined when there is none that matters. `toRecordedNames`
 * replaces the client's names in a text by the recorded ones.
 */
export function differs(
  recorded: RowFields,
  received: RowFields,
  isStrict: boolean,
  toRecordedNames: (text: string) => string,
): string | undefined {
  const method = methodOf(recorded) ?? "";
  if (method !== methodOf(received) || "id" in recorded !== "id" in received) return "";
  const fields = decisive[method] ?? (isStrict && method === "session/prompt" ? ["prompt"] : []);
  const [was, is] = [paramsOf(recorded), paramsOf(received)];
  return fields.find(
    (field) => (JSON.stringify(was[field]) ?? "") !== toRecordedNames(JSON.stringify(is[field]) ?? ""),
  );
}

/** What matters of a client's response to a request of the agent. */
export interface Accepted {
  /** The decision, as an option id or a short text. */
  readonly decision: string;
  /** The client's id of the terminal it created. */
  readonly name: string | undefined;
}

export function acceptedFrom(question: RowFields, { result, error }: RowFields): Accepted {
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
