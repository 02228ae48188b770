/**
 * A conversation over HTTP as text, for docs/serve.md.
 *
 * Each exchange is the request line and body, an empty line, and the response's
 * status, relevant headers and body. Ids, directories and times are replaced by fixed
 * values.
 */
import { rmSync, writeFileSync } from "node:fs";
import { STATUS_CODES } from "node:http";
import { join } from "node:path";
import { configOption, location, planEntry, toolContent, update } from "../../../lib/acp/index.ts";
import { scriptedAgent, savedId, type TurnScript } from "./scripted-agent.ts";
import { type Answer, cwd, type EventStream, served, type RequestParts } from "./test-server.ts";

const project = "/home/dev/project";
const sessionId = "7b3f0c7e-5d1c-4f0e-9a53-0f8a3f1f2c11";

const script: TurnScript = async ({ show, ask }) => {
  const path = `${cwd}/hello.txt`;
  const content = [toolContent.diff(path, "hello world\n", "hello planet\n")];
  const call = { toolCallId: "toolu_01", title: "Edit hello.txt", name: "Edit", kind: "edit", content } as const;
  await show(update.agentMessage("I will change "));
  await show(update.agentMessage("the greeting."));
  await show(update.plan([planEntry("Change the greeting", "in_progress")]));
  await show(update.toolCall({ ...call, status: "pending", locations: [location(path, 1)] }));
  const answer = await ask({ ...call, locations: [location(path, 1)] }, [
    { optionId: "allow", name: "Allow", kind: "allow_once" },
    { optionId: "reject", name: "Reject", kind: "reject_once" },
  ]);
  await show(update.toolCallUpdate({ toolCallId: "toolu_01", status: answer === "allow" ? "completed" : "failed" }));
  await show(update.plan([planEntry("Change the greeting", "completed")]));
};

const secondScript: TurnScript = async ({ show, elicit }) => {
  const path = join(cwd, "bowline-example.md");
  const content = [toolContent.diff(path, null, "# Notes\n")];
  const call = { toolCallId: "toolu_02", title: "Write", name: "Write", kind: "edit", content } as const;
  await show(update.toolCall({ ...call, status: "in_progress" }));
  await show(update.toolCallUpdate({ toolCallId: "toolu_02", status: "completed", content }));
  await elicit("Which colour?", {
    type: "object",
    properties: { colour: { type: "string", title: "Colour", enum: ["red", "blue"] } },
  });
};

/** Every exchange of the conversation. */
export async function exchanges(): Promise<readonly string[]> {
  const player = scriptedAgent(script, secondScript);
  writeFileSync(join(cwd, "bowline-example.md"), "# Notes\n");
  player.past = [update.userMessage("Hello", "m1"), update.agentMessage("Hello yourself.")];
  player.options = [
    configOption.select(
      "mode",
      [
        { value: "default", name: "Ask" },
        { value: "plan", name: "Plan" },
      ],
      { name: "Mode", category: "mode", currentValue: "default" },
    ),
  ];
  const harness = await served({ startAgent: player.start, now: () => Date.UTC(2026, 0, 22, 19, 13, 30) });
  const told: string[] = [];
  const own = (text: string): string => {
    return text
      .replaceAll(cwd, project)
      .replaceAll(player.opened[0]?.sessionId ?? "?", sessionId)
      .replaceAll(/previews\/[\w-]{43}/g, "previews/3q2-7wAAqz0x1kUm5p4dGvJb9sYtLhRfNcEoWiTuPgM")
      .replaceAll(/^(bowline_(?:memory|heap|log)_bytes) \d+$/gm, "$1 10000000");
  };
  const tell = (method: string, path: string, parts: RequestParts, answer: readonly string[]): void => {
    const headers = Object.entries(parts.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
    const body = parts.body === undefined ? [] : [JSON.stringify(parts.body)];
    told.push(own([`${method} ${path}`, ...headers, ...body, "", ...answer].join("\n").trimEnd()));
  };
  const call = async (method: string, path: string, parts: RequestParts = {}): Promise<Answer> => {
    const answer = await harness.call(method, path, parts);
    const { status, headers, text } = answer;
    const place = headers.location === undefined ? [] : [`location: ${headers.location}`];
    const allow = headers.allow === undefined ? [] : [`allow: ${headers.allow}`];
    tell(method, path, parts, [`${status} ${STATUS_CODES[status]}`, ...place, ...allow, text]);
    return answer;
  };
  const tellStream = (method: string, path: string, parts: RequestParts, { text }: EventStream): void =>
    tell(method, path, parts, ["200 OK", "content-type: text/event-stream", "", text]);

  await call("POST", "/sessions", { body: { cwd: "." } });
  const path = `/sessions/${player.opened[0]?.sessionId}`;
  await call("GET", path);
  await call("POST", `${path}/options/mode`, { body: { value: "plan" } });
  const send: RequestParts = { body: { content: "Say planet instead of world" } };
  const turn = await harness.stream("POST", `${path}/send-message`, send);
  await turn.untilPacket("permission_request");
  await call("GET", "/sessions");
  await call("GET", "/questions");
  const { requestId } = turn.packet("permission_request");
  await call("POST", `${path}/permissions/${requestId}`, { body: { optionId: "allow" } });
  await call("POST", `${path}/permissions/${requestId}`, { body: { optionId: "allow" } });
  await turn.over();
  tellStream("POST", `${path}/send-message`, send, turn);
  const { events } = turn;
  const behind = { headers: { "last-event-id": String(events.at(-3)?.id) } };
  const again = await harness.stream("GET", `${path}/events`, behind);
  await again.until((stream) => stream.events.length === 2);
  again.leave();
  tellStream("GET", `${path}/events`, behind, again);
  await call("GET", `${path}/events`, { headers: { "last-event-id": "999" } });
  await call("GET", `${path}/messages`);
  await call("POST", `${path}/send-message`, { headers: { accept: "application/json" }, body: { content: "Thanks" } });
  const form = await harness.stream("GET", `${path}/events`, {
    headers: { "last-event-id": String(events.at(-1)?.id) },
  });
  await form.untilPacket("elicitation_request");
  const { requestId: formId } = form.packet("elicitation_request");
  await call("POST", `${path}/forms/${formId}`, { body: { action: "accept", content: { colour: "blue" } } });
  await form.untilPacket("prompt_response");
  form.leave();
  const { past } = player;
  player.canRewind = true;
  player.past = [update.userMessage("Say planet instead of world", "own-1"), update.userMessage("Thanks", "own-2")];
  const dryRun = { messageId: "message-1", files: true, dryRun: true };
  await call("POST", `${path}/rewind`, { body: dryRun });
  player.tasks = [{ id: "b1", kind: "command", title: "npm run watch", ageMs: 92_000, lastOutput: "compiled" }];
  await call("GET", `${path}/tasks`);
  await call("DELETE", `${path}/tasks/b1`);
  player.canRewind = false;
  player.past = past;
  await call("GET", `${path}/artifacts`);
  await call("POST", `${path}/previews`, { body: { path: join(cwd, "bowline-example.md") } });
  await call("POST", `${path}/title`, { body: { title: "The greeting" } });
  await call("GET", "/about");
  await call("POST", `${path}/interrupt`);
  await call("POST", `${path}/close`);
  await call("GET", "/saved");
  await call("POST", "/sessions", { body: { sessionId: savedId } });
  await call("DELETE", `/sessions/${savedId}`);
  await call("POST", `/saved/${savedId}/title`, { body: { title: "An old talk" } });
  await call("DELETE", `/saved/${savedId}`);
  await call("GET", path);
  await call("POST", "/questions/question-1", { body: { optionId: "allow" } });
  await call("GET", "/agents");
  await call("GET", "/healthz");
  await call("GET", "/metrics");
  await call("PUT", "/sessions");
  rmSync(join(cwd, "bowline-example.md"));
  await harness.close();
  return told;
}
