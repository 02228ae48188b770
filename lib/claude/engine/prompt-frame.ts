/**
 * The frame that gives a prompt to the CLI.
 */
import type { Prompt } from "../../engine/index.ts";
import type { PromptFrame } from "../index.ts";
import { readPrompt } from "../translate/index.ts";

/** The agent has checked with `refusalOf` that the engine can take the content. */
export function promptFrame({ id, content }: Prompt): PromptFrame {
  const read = readPrompt(content);
  const parts = read.kind === "refused" ? [] : read.parts;
  const [only, ...more] = parts;
  return {
    type: "user",
    // A prompt of one text block is sent as a string: the CLI runs slash commands only from a string.
    message: { role: "user", content: only?.type === "text" && more.length === 0 ? only.text : parts },
    parent_tool_use_id: null,
    session_id: "",
    uuid: id,
    origin: { kind: "human" },
  };
}
