/**
 * Finds the model of a session in messages of any agent.
 */
import { recordIn, recordsIn, textOf } from "../../schema/index.ts";

/** The value of the option for the model in a message that has the session's options. */
export function modelIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  const option = recordsIn(fields, "configOptions").find(({ category, id }) => category === "model" || id === "model");
  return textOf(option?.["currentValue"]) ?? textOf(recordIn(fields, "models")["currentModelId"]);
}
