/**
 * A program that serves as agent in the specs of the ACP client.
 *
 * Made with the official SDK, it does one thing for each word of a prompt: ask, read,
 * run, form, wait (until cancelled), bad (an update of no schema). Run as a child
 * process, never imported.
 */
import {
  agent,
  methods,
  ndJsonStream,
  PROTOCOL_VERSION,
  type AgentContext,
  type RequestPermissionRequest,
  type RequestPermissionResponse,
} from "@agentclientprotocol/sdk";
import { Readable, Writable } from "node:stream";

const cancels = new Map<string, () => void>();
const { client: theirs } = methods;

agent({ name: "stand-in" })
  .onRequest(methods.agent.initialize, () => ({ protocolVersion: PROTOCOL_VERSION, agentCapabilities: {} }))
  .onRequest(methods.agent.session.new, () => ({ sessionId: "stand-in-1" }))
  .onRequest(methods.agent.session.prompt, async ({ params, client }) => {
    const text = params.prompt.map((block) => (block.type === "text" ? block.text : "")).join(" ");
    for (const word of text.split(" ")) await act(word, params.sessionId, client);
    return { stopReason: text.includes("wait") ? "cancelled" : "end_turn" };
  })
  .onNotification(methods.agent.session.cancel, ({ params }) => cancels.get(params.sessionId)?.())
  .connect(
    ndJsonStream(
      Writable.toWeb(process.stdout),
      // The SDK and Node have different types for the same web stream.
      Readable.toWeb(process.stdin) as unknown as ReadableStream<Uint8Array>,
    ),
  );

async function act(word: string, sessionId: string, client: AgentContext): Promise<void> {
  switch (word) {
    case "ask": {
      const toolCall = { toolCallId: "call-1", title: "Edit", status: "pending" as const };
      await client.notify(theirs.session.update, { sessionId, update: { sessionUpdate: "tool_call", ...toolCall } });
      const options = [
        { optionId: "yes", name: "Allow", kind: "allow_once" as const },
        { optionId: "no", name: "Reject", kind: "reject_once" as const },
      ];
      const asking: RequestPermissionRequest = { sessionId, toolCall, options };
      const { outcome } = await client.request<RequestPermissionResponse>(theirs.session.requestPermission, asking);
      const answer = outcome.outcome === "selected" ? outcome.optionId : outcome.outcome;
      const status = answer === "yes" ? ("completed" as const) : ("failed" as const);
      const update = { sessionUpdate: "tool_call_update" as const, toolCallId: "call-1", status };
      await client.notify(theirs.session.update, { sessionId, update });
      return tell(client, sessionId, `asked:${answer} `);
    }
    case "read": {
      const { content } = await client.request(theirs.fs.readTextFile, { sessionId, path: "/buffer.txt" });
      return tell(client, sessionId, `read:${content} `);
    }
    case "run": {
      const terminal = await client.createTerminal({ sessionId, command: "echo", args: ["from", "terminal"] });
      await terminal.waitForExit();
      const { output } = await terminal.currentOutput();
      await terminal.release();
      return tell(client, sessionId, `ran:${output.trim()} `);
    }
    case "form": {
      const requestedSchema = { type: "object" as const, properties: { name: { type: "string" as const } } };
      const form = { mode: "form" as const, sessionId, message: "Your name?", requestedSchema };
      return tell(client, sessionId, `form:${JSON.stringify(await client.request(theirs.elicitation.create, form))} `);
    }
    case "wait":
      await tell(client, sessionId, "waiting ");
      return new Promise((resolve) => cancels.set(sessionId, resolve));
    case "bad":
      return client.notify<unknown>("session/update", {
        sessionId,
        update: { sessionUpdate: "plan", entries: "none" },
      });
    default:
      return tell(client, sessionId, `${word} `);
  }
}

function tell(client: AgentContext, sessionId: string, text: string): Promise<void> {
  const content = { type: "text" as const, text };
  return client.notify(theirs.session.update, { sessionId, update: { sessionUpdate: "agent_message_chunk", content } });
}
