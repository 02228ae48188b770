/**
 * Stuck consumer with this library: a client whose update handler never returns.
 */
import { client, stdioLink } from "../../../../lib/index.ts";

await client(stdioLink(), {
  info: { name: "stuck", version: "0" },
  handlers: () => ({
    "session/update": () => new Promise<void>(() => {}),
    "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
  }),
});
// A process whose input is paused and that waits for nothing else would end.
setInterval(() => {}, 1000);
