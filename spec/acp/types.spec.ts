/**
 * Specs of types: what does not compile, so that it cannot be sent.
 *
 * Each wrong line is under `@ts-expect-error`, so `tsc --noEmit` fails when one of them
 * begins to compile. The functions here are never called.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  type AgentConnection,
  type AgentDefinition,
  type AgentHandlers,
  block,
  type ClientConnection,
  type ClientDefinition,
  type ClientHandlers,
  configOption,
  type ContentBlock,
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  isElicitationAccepted,
  isFormElicitation,
  isUrlElicitation,
  type McpServer,
  permissionOption,
  planEntry,
  type RequestPermissionResponse,
  type SessionConfigOption,
  type SessionUpdate,
  type StopReason,
  type ToolCallContent,
  toolContent,
  update,
} from "../../lib/acp/index.ts";

const agentHandlers: AgentHandlers = {
  "session/new": () => ({ sessionId: "a" }),
  "session/prompt": async (_, { signal }) => ({ stopReason: signal.aborted ? "cancelled" : "end_turn" }),
};
const clientHandlers: ClientHandlers = {
  "session/update": () => {},
  "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
};
const terminals = {
  "terminal/create": () => ({ terminalId: "1" }),
  "terminal/output": () => ({ output: "", truncated: false }),
  "terminal/wait_for_exit": () => ({}),
  "terminal/kill": () => {},
  "terminal/release": () => {},
};

describe("the types of an agent's handlers", () => {
  it("the types of an agent's handlers require two handlers, and allow each of the others", () => {
    const more: AgentHandlers = { ...agentHandlers, "session/close": () => {}, "session/load": async () => {} };
    const definition: AgentDefinition = { info: { name: "a", version: "1" }, handlers: () => more };
    assert.ok(definition.handlers);
    const { "session/prompt": prompt, "session/new": open } = agentHandlers;
    // @ts-expect-error `session/new` is missing
    const withoutNew: AgentHandlers = { "session/prompt": prompt };
    // @ts-expect-error `session/prompt` is missing
    const withoutPrompt: AgentHandlers = { "session/new": open };
    assert.ok(withoutNew && withoutPrompt);
  });

  it("the types of an agent's handlers refuse a result of the wrong shape", () => {
    const reason = () => ({ stopReason: "auth_required" });
    // @ts-expect-error no such stop reason
    const unknownReason: AgentHandlers = { ...agentHandlers, "session/prompt": reason };
    const empty = async () => {};
    // @ts-expect-error a prompt has a result
    const noAnswer: AgentHandlers = { ...agentHandlers, "session/prompt": empty };
    const list = () => ({ sessions: [{ sessionId: "a" }] });
    // @ts-expect-error a session has a cwd
    const noCwd: AgentHandlers = { ...agentHandlers, "session/list": list };
    assert.ok(unknownReason && noAnswer && noCwd);
  });

  it("the types of an agent's handlers refuse a method that is not the agent's, initialize among them", () => {
    const nothing = () => {};
    // @ts-expect-error a client's method
    const clients: AgentHandlers = { ...agentHandlers, "fs/write_text_file": nothing };
    // @ts-expect-error an unknown method
    const unknown: AgentHandlers = { ...agentHandlers, "session/stop": nothing };
    // @ts-expect-error the library answers initialize itself
    const first: AgentHandlers = { ...agentHandlers, initialize: nothing };
    assert.ok(clients && unknown && first);
  });

  it("the types of an agent's handlers give the params of each method", () => {
    const handlers: AgentHandlers = {
      ...agentHandlers,
      // @ts-expect-error set_mode has no `mode` any more
      "session/set_mode": ({ mode }) => void mode,
      "session/set_config_option": (request) => {
        // Narrowed by its type: the value of a boolean option is a boolean.
        const text: string = request.type === "boolean" ? String(request.value) : request.value;
        return { configOptions: text === "" ? [] : [] };
      },
    };
    assert.ok(handlers);
  });
});

describe("the types of a client's handlers", () => {
  it("the types of a client's handlers require two handlers", () => {
    const { "session/update": onUpdate, "session/request_permission": ask } = clientHandlers;
    // @ts-expect-error `session/request_permission` is missing
    const withoutPermission: ClientHandlers = { "session/update": onUpdate };
    // @ts-expect-error `session/update` is missing
    const withoutUpdate: ClientHandlers = { "session/request_permission": ask };
    assert.ok(withoutPermission && withoutUpdate);
  });

  it("the types of a client's handlers accept all terminal methods or none", () => {
    const whole: ClientHandlers = { ...clientHandlers, ...terminals };
    const { "terminal/kill": _, ...some } = terminals;
    // @ts-expect-error `terminal/kill` is missing
    const partly: ClientHandlers = { ...clientHandlers, ...some };
    const create = terminals["terminal/create"];
    // @ts-expect-error four are missing
    const one: ClientHandlers = { ...clientHandlers, "terminal/create": create };
    assert.ok(whole && partly && one);
  });

  it("the types of a client's handlers refuse a wrong outcome", () => {
    const yes = { outcome: { outcome: "selected" } } as const;
    // @ts-expect-error the optionId is missing
    const selected: RequestPermissionResponse = yes;
    const allowed = { outcome: { outcome: "allowed" } } as const;
    // @ts-expect-error no such outcome
    const made: RequestPermissionResponse = allowed;
    const definition: Partial<ClientDefinition> = { handlers: () => clientHandlers };
    assert.ok(selected && made && definition);
  });
});

/** Never called: only the compiler reads it. */
export function calls(toClient: AgentConnection, toAgent: ClientConnection): void {
  // @ts-expect-error no such method
  void toAgent.call("session/stop", { sessionId: "a" });
  // @ts-expect-error a method of the other side
  void toAgent.call("fs/read_text_file", { sessionId: "a", path: "/a" });
  // @ts-expect-error cancel is a notification, not a request
  void toAgent.call("session/cancel", { sessionId: "a" });
  // @ts-expect-error a prompt is a request, not a notification
  void toAgent.notify("session/prompt", { sessionId: "a", prompt: [] });
  // @ts-expect-error mcpServers is missing
  void toAgent.call("session/new", { cwd: "/a" });
  // @ts-expect-error a prompt is made of blocks
  void toAgent.call("session/prompt", { sessionId: "a", prompt: ["hello"] });
  // @ts-expect-error a boolean value needs its type
  void toAgent.call("session/set_config_option", { sessionId: "a", configId: "b", value: true });
  // @ts-expect-error an extension's name begins with an underscore
  void toAgent.callExtension("custom", {});
  // @ts-expect-error no such update
  void toClient.update("a", { sessionUpdate: "current_model_update" });
  // @ts-expect-error a state is not set from outside
  toAgent.isOpen = false;
}

describe("the types of results", () => {
  it("the types of results are those of the called method", () => {
    const ask = async (toAgent: ClientConnection): Promise<StopReason> => {
      const { sessionId } = await toAgent.call("session/new", { cwd: "/a", mcpServers: [] });
      const { stopReason } = await toAgent.call("session/prompt", { sessionId, prompt: [] });
      // @ts-expect-error the result of a prompt has no session
      void (await toAgent.call("session/prompt", { sessionId, prompt: [] })).sessionId;
      return stopReason;
    };
    assert.ok(ask);
  });
});

describe("the types of builders", () => {
  it("the types of builders refuse combinations the protocol does not have", () => {
    // @ts-expect-error no such kind
    assert.ok(update.toolCall({ toolCallId: "1", title: "a", kind: "command" }));
    // @ts-expect-error a tool call has a title
    assert.ok(update.toolCall({ toolCallId: "1" }));
    // @ts-expect-error no such status in version 1
    assert.ok(update.toolCallUpdate({ toolCallId: "1", status: "cancelled" }));
    // @ts-expect-error a block is wrapped in content
    assert.ok(update.toolCallUpdate({ toolCallId: "1", content: [block.text("a")] }));
    // @ts-expect-error a plan is made of entries
    assert.ok(update.plan([{ id: "1", content: "a", status: "pending" }]));
    // @ts-expect-error no such status
    assert.ok(planEntry("a", "cancelled"));
    // @ts-expect-error no such kind
    assert.ok(permissionOption("allow_forever", "a", "A"));
    // @ts-expect-error a resource is text or a blob
    assert.ok(block.resource({ uri: "file:///a" }));
    // @ts-expect-error null is a new file, undefined is a mistake
    assert.ok(toolContent.diff("/a", undefined, "b"));
    // @ts-expect-error the value of a boolean option is not a string
    assert.ok(configOption.boolean("a", { name: "A", currentValue: "true" }));
    // @ts-expect-error the value of a select is not a boolean
    assert.ok(configOption.select("a", [], { name: "A", currentValue: true }));
    // @ts-expect-error groups have a builder of their own
    assert.ok(configOption.select("a", [{ group: "g", name: "G", options: [] }], { name: "A", currentValue: "b" }));
  });

  it("the types of builders refuse fields that would overwrite what the builder writes", () => {
    const started = update.toolCall({ toolCallId: "1", title: "a" });
    // @ts-expect-error its tag would make it a second tool_call
    assert.ok(update.toolCallUpdate({ ...started, status: "completed" }));
    const link = block.link("file:///a", "a");
    // @ts-expect-error its uri would win
    assert.ok(block.link("file:///b", "b", link));
    const { sessionUpdate: _, ...fields } = started;
    assert.equal(update.toolCallUpdate({ ...fields, status: "completed" }).sessionUpdate, "tool_call_update");
  });

  it("the types of builders give unions that narrow by one key", () => {
    const tell = (value: SessionUpdate): string => (value.sessionUpdate === "plan" ? `${value.entries.length}` : "");
    const show = (value: ContentBlock): string => (value.type === "text" ? value.text : value.type);
    const draw = (value: ToolCallContent): string => (value.type === "diff" ? value.newText : value.type);
    const set = (value: SessionConfigOption): boolean => (value.type === "boolean" ? value.currentValue : false);
    const run = (value: McpServer): string => (value.type === undefined ? value.command : value.url);
    const fill = (value: CreateElicitationRequest): string =>
      isFormElicitation(value) ? String(value.requestedSchema.title) : isUrlElicitation(value) ? value.url : value.mode;
    const read = (value: CreateElicitationResponse) => (isElicitationAccepted(value) ? value.content : undefined);
    assert.ok([tell, show, draw, set, run, fill, read]);
    // @ts-expect-error a plan has no content
    const wrong = (value: SessionUpdate) => (value.sessionUpdate === "plan" ? value.content : undefined);
    assert.ok(wrong);
  });
});
