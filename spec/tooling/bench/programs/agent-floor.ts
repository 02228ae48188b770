/**
 * Bench floor: answers `initialize` and nothing else, by hand.
 */
interface Request {
  readonly id: number;
  readonly method: string;
}

const result = { protocolVersion: 1, agentCapabilities: {}, authMethods: [] };
let tail = "";

process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  const lines = (tail + text).split("\n");
  tail = lines.pop() ?? "";
  for (const line of lines) {
    const { id, method } = JSON.parse(line) as Request;
    if (method === "initialize") process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result })}\n`);
  }
});
