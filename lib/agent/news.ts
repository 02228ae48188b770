/**
 * News: something for the model that no person sent; the CLI tells it so.
 */
import type { PromptFrame } from "../claude/index.ts";

export function newsFrame(content: string): PromptFrame {
  const message = { role: "user", content } as const;
  return {
    type: "user",
    message,
    parent_tool_use_id: null,
    session_id: "",
    uuid: crypto.randomUUID(),
    isSynthetic: true,
  };
}
