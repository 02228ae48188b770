/**
 * An agent that does what the first word of a prompt says.
 */
import {
  agent,
  type AgentConnection,
  configOption,
  permissionOption,
  planEntry,
  PromptRequest,
  RpcError,
  stdioLink,
  type StopReason,
  toolContent,
  update,
} from "../../../../../lib/index.ts";
import { hostileTexts } from "../hostile-texts.ts";

type Turn = (turn: {
  readonly client: AgentConnection;
  readonly sessionId: string;
  readonly rest: string;
  readonly signal: AbortSignal;
}) => Promise<StopReason | void>;

const options = [
  permissionOption("allow_once", "yes", "Allow"),
  permissionOption("allow_always", "always", "Always allow this"),
  permissionOption("reject_once", "no", "Reject"),
];

/** Ids of tool calls are unique in a program, as those of real agents are. */
let turnCount = 0;

const aborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener("abort", () => resolve(), { once: true }));

/** Requests permission for a command, and sends the answer as text. */
function command(title: string, text: string): Turn {
  return async ({ client, sessionId, signal }) => {
    const content = [toolContent.block(`\`\`\`sh\n${text}\n\`\`\``)];
    const toolCall = { toolCallId: `command-${turnCount}`, title, kind: "execute", content } as const;
    const { outcome } = await client.call("session/request_permission", { sessionId, toolCall, options }, { signal });
    const answer = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
    await client.update(
      sessionId,
      update.toolCallUpdate({ toolCallId: `command-${turnCount}`, status: "failed", content: [] }),
    );
    await client.update(sessionId, update.agentMessage(`You answered ${answer}.\n`));
  };
}

/** Long enough to begin the next message before the question comes. */
const laterMs = 1500;

const turns: Readonly<Record<string, Turn>> = {
  say: ({ client, sessionId, rest }) => client.update(sessionId, update.agentMessage(rest)),
  ask: async ({ client, sessionId, rest, signal }) => {
    const content = [toolContent.diff("/project/knot.txt", "one\nold\nthree\n", "one\nnew\nthree\n")];
    const toolCall = { toolCallId: `call-${turnCount}-${rest}`, title: `Edit ${rest}`, kind: "edit", content } as const;
    await client.update(sessionId, update.toolCall({ ...toolCall, status: "pending" }));
    const { outcome } = await client.call("session/request_permission", { sessionId, toolCall, options }, { signal });
    const answer = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
    const status = answer === "yes" || answer === "always" ? "completed" : "failed";
    await client.update(sessionId, update.toolCallUpdate({ toolCallId: toolCall.toolCallId, status }));
    await client.update(sessionId, update.agentMessage(`You answered ${answer}.\n`));
  },
  later: async (turn) => {
    await new Promise((resolve) => setTimeout(resolve, laterMs));
    await turns["ask"]?.(turn);
  },
  long: command(
    "echo 1 echo 2…",
    `${Array.from({ length: 60 }, (_, i) => `echo ${i + 1}`).join("\n")}\nrm -rf ./build`,
  ),
  wide: command("echo", `echo hello${" ".repeat(5000)}; rm -rf ./build`),
  hidden: command(
    "touch a; \u202e# tset",
    "touch a; \u202e# tset \u2066x\u2069 so\u00adft \u200bzero\u00a0wide\u2028next 👩‍👩‍👧",
  ),
  both: async (turn) => {
    await Promise.all(["left", "right"].map((rest) => turns["ask"]?.({ ...turn, rest })));
  },
  wait: async ({ client, sessionId, signal }) => {
    const title = "Wait for the tide";
    await client.update(sessionId, update.toolCall({ toolCallId: `tide-${turnCount}`, title, status: "in_progress" }));
    await aborted(signal);
    await client.update(sessionId, update.toolCallUpdate({ toolCallId: `tide-${turnCount}`, status: "failed" }));
    return "cancelled";
  },
  form: async ({ client, sessionId, signal }) => {
    const choices = ["Red", "Green"].map((title) => ({
      const: title.toLowerCase(),
      title,
      description: `${title} sails`,
    }));
    const requestedSchema = {
      type: "object",
      properties: {
        question_1: { type: "string", title: "Colour", description: "Which colour?", oneOf: choices },
        question_1_other: { type: "string", title: "Colour (in your own words)" },
        question_2: { type: "array", title: "Flags", description: "Which flags?", items: { anyOf: choices } },
      },
    } as const;
    const request = { mode: "form", message: "Some questions", sessionId, requestedSchema } as const;
    const answer = await client.call("elicitation/create", request, { signal });
    await client.update(sessionId, update.agentMessage(`You answered ${JSON.stringify(answer)}.\n`));
  },
  output: async ({ client, sessionId, signal }) => {
    const text = Array.from({ length: 30 }, (_, i) => `line ${i + 1}`).join("\n");
    const call = { toolCallId: `out-${turnCount}`, title: "seq 30", kind: "execute" } as const;
    await client.update(sessionId, update.toolCall({ ...call, status: "in_progress" }));
    await client.update(
      sessionId,
      update.toolCallUpdate({ toolCallId: `out-${turnCount}`, content: [toolContent.block("first\nsecond")] }),
    );
    await Promise.race([aborted(signal), new Promise((resolve) => setTimeout(resolve, laterMs))]);
    const content = [toolContent.block(text)];
    await client.update(
      sessionId,
      update.toolCallUpdate({ toolCallId: `out-${turnCount}`, status: "completed", content }),
    );
  },
  stubborn: () => new Promise(() => {}),
  plan: async ({ client, sessionId, signal }) => {
    await client.update(sessionId, update.agentThought("First one, then two."));
    await client.update(sessionId, update.plan([planEntry("One", "in_progress"), planEntry("Two", "pending")]));
    await aborted(signal);
  },
  hostile: async ({ client, sessionId, signal }) => {
    for (const [i, text] of hostileTexts.entries()) {
      const toolCallId = `call-${turnCount}-${i}`;
      const content = [toolContent.block(text), toolContent.diff(`/project/${text}`, text, `${text}${text}`)];
      await client.update(sessionId, update.agentMessage(`${text}\n`));
      await client.update(sessionId, update.agentThought(text));
      await client.update(sessionId, update.plan([planEntry(text, "pending")]));
      const named = { ...options[0], optionId: "yes", kind: "allow_once", name: text } as const;
      const toolCall = { toolCallId, title: text, kind: "execute", content } as const;
      await client.update(sessionId, update.toolCall({ ...toolCall, status: "in_progress" }));
      if (i === 0) {
        await client.call("session/request_permission", { sessionId, toolCall, options: [named] }, { signal });
      }
      await client.update(sessionId, update.toolCallUpdate({ toolCallId, status: "failed" }));
      await client.update(sessionId, update.availableCommands([{ name: text, description: text }]));
    }
  },
  die: async () => {
    process.stderr.write("the rope broke\n");
    process.exit(3);
  },
  fail: () => Promise.reject(new Error("a bug")),
  gone: () => Promise.reject(new RpcError(-32603, "the Claude CLI was ended by SIGKILL", { errorKind: "cli" })),
  propose: async ({ client, sessionId, signal }) => {
    const plan =
      "# Plan\n\n1. **Add** a test\n2. Run `npm test`\n\n```ts\nconst a = 1;\n```\n\n| a | b |\n|---|---|\n| 1 | 2 |";
    const content = [toolContent.block(plan)];
    const toolCall = {
      toolCallId: `plan-${turnCount}`,
      title: "Go on with this plan?",
      kind: "switch_mode",
      content,
    } as const;
    await client.call("session/request_permission", { sessionId, toolCall, options }, { signal });
  },
};

const modes = ["ask", "sail", "row", "bypassPermissions"].map((id) => ({
  id,
  name: id.toUpperCase(),
  description: `what ${id} does`,
}));
const models = ["oak", "elm"].map((value) => ({ value, name: value.toUpperCase() }));
let model = "oak";
const configOptions = (): readonly ReturnType<typeof configOption.select>[] => [
  configOption.select("model", models, { name: "Model", category: "model", currentValue: model }),
];

let count = 0;
agent(stdioLink(), {
  info: { name: "scripted", title: "Scripted", version: "1.0.0" },
  prompt: { image: true },
  extensions: (client) => ({
    "_session/steer": (params) => {
      const { sessionId, prompt } = PromptRequest.read(params) as PromptRequest;
      const [first] = prompt;
      client.send(sessionId, update.agentMessage(`Steered: ${first?.type === "text" ? first.text : ""}.\n`));
      return {};
    },
  }),
  handlers: (client) => ({
    "session/new": () => {
      const sessionId = `session-${++count}`;
      model = "oak";
      setImmediate(() => {
        const commands = ["haul", "hoist", "help", "rewind"].map((name) => ({ name, description: `${name} it` }));
        client.send(sessionId, update.availableCommands(commands));
      });
      return { sessionId, modes: { currentModeId: "ask", availableModes: modes }, configOptions: configOptions() };
    },
    "session/load": ({ sessionId }) => {
      client.send(sessionId, update.agentMessage(`This is ${sessionId}.\n`));
      return { modes: { currentModeId: "ask", availableModes: modes }, configOptions: configOptions() };
    },
    "session/list": () => ({
      sessions: ["First", "Second"].map((title) => ({ sessionId: title.toLowerCase(), cwd: process.cwd(), title })),
    }),
    "session/set_mode": () => {},
    "session/set_config_option": ({ value }) => {
      model = String(value);
      return { configOptions: configOptions() };
    },
    "session/close": () => {},
    "session/prompt": async ({ sessionId, prompt }: PromptRequest, { signal }) => {
      turnCount++;
      const files = prompt.slice(1).map((part) => (part.type === "image" ? part.mimeType : part.type));
      const text =
        (prompt[0]?.type === "text" ? prompt[0].text : "") + (files.length === 0 ? "" : ` [${files.join(" ")}]`);
      const [, word = "", rest = ""] = /^(\S+)\s*([^]*)$/.exec(text) ?? [];
      const play = turns[word] ?? turns["say"];
      const stopReason = await play?.({ client, sessionId, rest: turns[word] ? rest : `You said ${text}`, signal });
      await client.update(sessionId, update.usage(1234, 200_000, { amount: 0.25, currency: "USD" }));
      // `/rewind words` takes back a prompt of these words; without words one of "say hello".
      if (word !== "/rewind") return { stopReason: stopReason ?? "end_turn" };
      const rewound = { messageId: "1", prompt: [{ type: "text", text: rest || "say hello" }] };
      return { stopReason: "end_turn", _meta: { bowline: { rewound } } };
    },
  }),
});
