/**
 * One conversation in which every message and every error code of the protocol
 * occurs. docs/bridge.md shows its lines.
 */
import assert from "node:assert/strict";
import type { Frame } from "../claude/fake-cli.ts";
import { settle } from "../wire/link-log.ts";
import { cwd, bridgeHarness } from "./bridge-harness.ts";

export type Traffic = readonly { readonly dir: "in" | "out"; readonly msg: Frame }[];

/** `in`: sent by the client; `out`: sent by the bridge. */
export async function example(): Promise<Traffic> {
  await using one = bridgeHarness();
  one.answer = {
    models: [{ value: "default", displayName: "Default (recommended)", description: "Use the default model" }],
    commands: [{ name: "compact", description: "Free up context", argumentHint: "" }],
    account: { apiKeySource: "ANTHROPIC_API_KEY" },
  };
  const options = { model: "sonnet", permission_mode: "default", hooks: { PreToolUse: [{ matcher: "Bash" }] } };
  const prompt = "What is in /tmp?";
  one.send({
    type: "session.create",
    id: "0f8fad5b-d9cb-469f-a165-70867728950e",
    payload: { prompt, cwd, options },
  });
  const { session_id, payload } = await one.next();
  const cli = one.fakeClis[0] ?? assert.fail("no CLI");
  const tool_input = { command: "ls /tmp", description: "List /tmp" };
  const question = { subtype: "can_use_tool", tool_name: "Bash", input: tool_input, tool_use_id: "toolu_01" };
  const rule = { type: "addRules", rules: [{ toolName: "Bash", ruleContent: "ls:*" }], behavior: "allow" };
  const ask = async (request_id: string, request: Frame): Promise<string> => {
    cli.say({ type: "control_request", request_id, request });
    return (await one.next())["id"];
  };
  const reply = (id: string, answer: Frame): void =>
    one.send({ type: "callback.response", id, session_id, payload: answer });

  cli.say({ type: "system", subtype: "init", session_id: payload.sdk_session_id, cwd, model: "claude-sonnet-5-5" });
  await one.next();
  const input = { hook_event_name: "PreToolUse", session_id: payload.sdk_session_id, tool_name: "Bash", tool_input };
  const hook = { subtype: "hook_callback", callback_id: "hook_0", input, tool_use_id: "toolu_01" };
  reply(await ask("h1", hook), { continue: true });
  const suggestions = { permission_suggestions: [{ ...rule, destination: "session" }], blocked_path: "/tmp" };
  const allowed = { behavior: "allow", updated_input: tool_input, updated_permissions: [] };
  reply(await ask("t1", { ...question, ...suggestions }), allowed);
  reply(await ask("t2", question), { behavior: "deny", message: "Not in /tmp, please." });
  await settle();
  cli.say({ type: "result", subtype: "success", is_error: false, result: "Three files." });
  await one.next();

  one.send({
    type: "session.send",
    id: "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    session_id,
    payload: { message: "And in /var?" },
  });
  const image = { type: "image", source: { type: "base64", media_type: "image/png", data: "iVBORw0KGgo=" } };
  one.send({
    type: "session.send",
    id: "16fd2706-8baf-433b-82eb-8c7fada847da",
    session_id,
    payload: { content: [{ type: "text", text: "What is this?" }, image] },
  });
  const withdrawn = await ask("t3", question);
  one.send({ type: "session.interrupt", id: "interrupt-1", session_id, payload: {} });
  const interrupt = await cli.hear("interrupt");
  cli.say({ type: "control_cancel_request", request_id: "t3" });
  cli.answer(interrupt, { still_queued: [] });
  await one.next();
  await one.next();
  reply(withdrawn, { behavior: "allow" });
  await one.next();

  await ask("t4", question);
  one.clock.advance(300_000);
  await one.next();

  const query = async (id: string, method: string, args: readonly unknown[]): Promise<void> => {
    one.send({ type: "query.call", id, session_id, payload: { method, args } });
    await one.next();
  };
  await query("query-1", "supportedModels", []);
  await query("query-2", "setPermissionMode", []);

  one.send({ type: "session.dance", id: "wrong-1", session_id, payload: {} });
  one.send({ type: "session.kill", id: "kill-0", session_id: "no-such-session", payload: {} });
  one.answer = undefined;
  one.send({
    type: "session.create",
    id: "create-2",
    payload: { prompt: "", cwd, options: { permission_mode: "nonsense" } },
  });
  await settle();
  const words = "error: option '--permission-mode <mode>' argument 'nonsense' is invalid.";
  one.fakeClis[1]?.die("the Claude CLI exited with code 1", 1, [words]);
  await one.rest();
  cli.die("the Claude CLI was ended by SIGKILL");
  await one.rest();
  one.send({ type: "session.kill", id: "kill-1", session_id, payload: {} });
  await one.rest();

  one.answer = {};
  const created = { prompt: "", cwd, options: { elicitation_callbacks: true } };
  one.send({ type: "session.create", id: "create-3", payload: created });
  const { session_id: other } = await one.next();
  const requested_schema = { type: "object", properties: { name: { type: "string" } }, required: ["name"] };
  const elicitation = { mcp_server_name: "tickets", message: "Your name?", mode: "form", requested_schema };
  one.fakeClis[2]?.say({
    type: "control_request",
    request_id: "e1",
    request: { subtype: "elicitation", ...elicitation },
  });
  const { id: asked } = await one.next();
  const payloadOfAnswer = { action: "accept", content: { name: "Ada" } };
  one.send({ type: "callback.response", id: asked, session_id: other, payload: payloadOfAnswer });
  await one.rest();
  return one.traffic;
}
