/**
 * An agent that misbehaves: `silent` never answers, `dies` exits at once, `noisy` prints text first and then serves as an
 * agent.
 */
import { agent, errorCodes, RpcError, stdioLink, update } from "../../../../../lib/index.ts";

const [how = ""] = process.argv.slice(2);
const greeting = "Welcome to the agent!\n\n% loading 10%\r% loading 100%\n\x1b[32mready\x1b[0m\n";

switch (how) {
  case "silent":
    process.stdin.resume();
    break;
  case "dies":
    process.stderr.write("no licence\x1b]52;c;eA==\x07 found\n");
    process.exitCode = 4;
    break;
  case "noisy":
    process.stdout.write(greeting);
    agent(stdioLink(), {
      info: { name: "noisy", version: "0" },
      handlers: (client) => ({
        "session/new": () => ({ sessionId: "only" }),
        "session/prompt": async ({ sessionId }) => {
          await client.update(sessionId, update.agentMessage("Heard.\n"));
          return { stopReason: "end_turn" };
        },
      }),
    });
    break;
  case "signed-out":
    agent(stdioLink(), {
      info: { name: "signed-out", version: "0" },
      authMethods: () => [{ id: "key", name: "Key", description: "put KEY into the environment" }],
      handlers: () => ({
        authenticate: () => {},
        "session/new": () => {
          throw new RpcError(errorCodes.authRequired, "sign in first");
        },
        "session/prompt": () => ({ stopReason: "end_turn" }),
      }),
    });
    break;
}
