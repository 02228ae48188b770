/**
 * An agent without an engine, for specs of transports: it answers a prompt with its text.
 */
import { realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { agent, type Link, update } from "../../../lib/index.ts";

export interface EchoAgent {
  readonly stop: () => Promise<void>;
}

/** `ask` in a prompt requests a permission, and `read <path>` a file of the client. */
export function echoAgent(link: Link): EchoAgent {
  const connection = agent(link, {
    info: { name: "echo", version: "1" },
    handlers: (peer) => ({
      "session/new": () => ({ sessionId: "s1" }),
      "session/load": () => ({}),
      "session/list": () => ({ sessions: [{ sessionId: "s1", cwd: realpathSync(tmpdir()) }] }),
      "session/prompt": async ({ sessionId, prompt }) => {
        const say = (text: string): void =>
          void peer.notify("session/update", { sessionId, update: update.agentMessage(text) });
        for (const block of prompt) {
          if (block.type !== "text") continue;
          if (block.text.startsWith("read ")) {
            const path = block.text.slice("read ".length);
            const read = await peer
              .call("fs/read_text_file", { sessionId, path })
              .catch((cause: unknown) => ({ content: String(cause) }));
            say(read.content);
          } else if (block.text === "ask") {
            const toolCall = { toolCallId: "t1", title: "Ask" };
            const options = [{ optionId: "allow", name: "Allow", kind: "allow_once" as const }];
            const { outcome } = await peer.call("session/request_permission", { sessionId, toolCall, options });
            say(outcome.outcome);
          } else say(block.text);
        }
        return { stopReason: "end_turn" };
      },
      "session/cancel": () => {},
    }),
  });
  return { stop: async () => connection.close("stopped") };
}
