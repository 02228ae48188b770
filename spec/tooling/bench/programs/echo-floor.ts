/**
 * Bench floor of the echo: parses a line, stringifies a response and writes it.
 */
interface Request {
  readonly id: number;
  readonly params: unknown;
}

let tail = "";

process.stdin.setEncoding("utf8");
process.stdin.on("data", (text: string) => {
  const lines = (tail + text).split("\n");
  tail = lines.pop() ?? "";
  for (const line of lines) {
    const { id, params } = JSON.parse(line) as Request;
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: params })}\n`);
  }
});
