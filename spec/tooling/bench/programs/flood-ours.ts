/**
 * Flood with this library: an agent whose turn consists of awaited, numbered updates.
 */
import { agent, stdioLink, update } from "../../../../lib/index.ts";

agent(stdioLink(), {
  info: { name: "flood", version: "0" },
  handlers: (client) => ({
    "session/new": () => ({ sessionId: "flood" }),
    "session/prompt": async ({ sessionId, prompt: [block] }) => {
      const count = Number(block?.type === "text" && block.text);
      for (let i = 0; i < count; i++) await client.update(sessionId, update.agentMessage(String(i)));
      return { stopReason: "end_turn" };
    },
  }),
});
