/**
 * A program in place of the Claude CLI that repeats each prompt.
 *
 * Answers every control request with an empty success. `echoClaude` is its source, for
 * specs that start programs with `BOWLINE_CLAUDE`.
 */
export const echoClaude = `
import { createInterface } from "node:readline";

const say = (message) => process.stdout.write(JSON.stringify(message) + "\\n");
const session_id = "00000000-0000-4000-8000-000000000001";

for await (const line of createInterface({ input: process.stdin })) {
  const { type, request_id, message, uuid } = JSON.parse(line);
  if (type === "control_request") {
    const response = { commands: [], models: [{ value: "default", displayName: "Default" }], effective: {} };
    say({ type: "control_response", response: { subtype: "success", request_id, response } });
  }
  if (type !== "user") continue;
  const prompt = typeof message.content === "string" ? message.content : message.content.map(({ text }) => text).join("");
  const content = [{ type: "text", text: "You asked: " + prompt }];
  say({ type: "system", subtype: "init", session_id, cwd: process.cwd(), tools: [], model: "fake", permissionMode: "default" });
  say({ type: "assistant", session_id, parent_tool_use_id: null, message: { id: "m" + uuid, role: "assistant", content } });
  const result = { subtype: "success", is_error: false, stop_reason: "end_turn", terminal_reason: "completed" };
  say({ type: "result", session_id, ...result, result: content[0].text, user_message_uuids: [uuid] });
}
`;
