/**
 * Finds the model of a session and the tokens of a turn in messages of any agent.
 */
import { type Fields, isRecord, recordIn, recordsIn, textOf } from "../../schema/index.ts";

/** The value of the option for the model in a message that has the session's options. */
export function modelIn(fields: Fields): string | undefined {
  const option = recordsIn(fields, "configOptions").find(({ category, id }) => category === "model" || id === "model");
  return textOf(option?.["currentValue"]) ?? textOf(recordIn(fields, "models")["currentModelId"]);
}

/** The `usage` of a prompt's response. Gemini CLI has none, and reports its tokens in `_meta.quota`. */
export function usageIn(result: Fields): Fields {
  if (isRecord(result["usage"])) return result["usage"];
  const told = recordIn(recordIn(recordIn(result, "_meta"), "quota"), "token_count");
  const [input, output] = [told["input_tokens"], told["output_tokens"]];
  if (typeof input !== "number" || typeof output !== "number") return {};
  return { inputTokens: input, outputTokens: output, totalTokens: input + output };
}
