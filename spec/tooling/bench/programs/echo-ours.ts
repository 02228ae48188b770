/**
 * Echo with this library: an agent with one extension method.
 */
import { agent, stdioLink } from "../../../../lib/index.ts";

agent(stdioLink(), {
  info: { name: "echo", version: "0" },
  handlers: () => ({
    "session/new": () => ({ sessionId: "" }),
    "session/prompt": () => ({ stopReason: "end_turn" }),
  }),
  extensions: () => ({ _echo: (params) => params }),
});
