/**
 * Echo with this library over a WebSocket: prints its port, and serves every connection.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { agent, webSocketServerLink } from "../../../../lib/index.ts";

const server = createServer();
server.on("upgrade", (request, socket, head) => {
  const link = webSocketServerLink({ request, socket, head });
  if (link === undefined) return;
  agent(link, {
    info: { name: "echo", version: "0" },
    handlers: () => ({
      "session/new": () => ({ sessionId: "" }),
      "session/prompt": () => ({ stopReason: "end_turn" }),
    }),
    extensions: () => ({ _echo: (params) => params }),
  });
});
server.listen(0, "127.0.0.1", () => process.stdout.write(`${(server.address() as AddressInfo).port}\n`));
