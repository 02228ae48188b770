/**
 * Bench floor of prompts: answers every prompt at once, and does nothing else.
 */
let tail = "";
process.stdin.setEncoding("utf8").on("data", (text: string) => {
  const lines = (tail + text).split("\n");
  tail = lines.pop() ?? "";
  for (const line of lines) {
    const { id } = JSON.parse(line) as { readonly id: number };
    process.stdout.write(`${JSON.stringify({ jsonrpc: "2.0", id, result: { stopReason: "end_turn" } })}\n`);
  }
});
