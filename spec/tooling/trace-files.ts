/**
 * Counts the files of lib that a prompt, a text delta and a permission request pass, by the
 * functions that V8 saw called: `node --import tsx spec/tooling/trace-files.ts [names]`.
 */
import { Session } from "node:inspector/promises";
import { agentHarness, ends, mayI, says, takes } from "../support/agent-harness.ts";

const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: false });

/** The files of lib in which a function was called since the last look. */
async function calledFiles(): Promise<readonly string[]> {
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const called = result.filter(({ functions }) => functions.some(({ ranges }) => (ranges[0]?.count ?? 0) > 0));
  return called.flatMap(({ url }) => /\/(lib\/[^?]+)/.exec(url)?.[1] ?? []).toSorted();
}

const settle = async (): Promise<void> => {
  for (let i = 0; i < 20; i++) await new Promise(setImmediate);
};

const { open, prompt, cli } = await agentHarness({
  permit: () => ({ outcome: { outcome: "selected", optionId: "allow" } }),
});
const { sessionId, fakeCli } = await open();
void cli;
// The first prompt loads and announces; the second one is measured.
const first = prompt(sessionId, "hi");
const heard = await fakeCli.hear("user");
fakeCli.say(...takes(heard), says("Hello."), ...ends(heard));
await first;
await settle();
const isListing = process.argv.includes("names");

async function show(what: string, run: () => Promise<void>): Promise<void> {
  await calledFiles();
  await run();
  await settle();
  // The specs' own client stands in for the editor; its role is not part of the agent.
  const files = (await calledFiles()).filter((path) => !/client(?:-connection)?\.ts$|memory-pair/.test(path));
  process.stdout.write(
    `${what.padEnd(20)} ${files.length} files\n${isListing ? `${files.map((path) => `  ${path}`).join("\n")}\n` : ""}`,
  );
}

let frame: Awaited<ReturnType<typeof fakeCli.hear>> | undefined;
let running: Promise<unknown> | undefined;
await show("a prompt", async () => {
  running = prompt(sessionId, "again");
  frame = await fakeCli.hear("user");
});
if (frame !== undefined)
  fakeCli.say(...takes(frame), {
    type: "stream_event",
    event: { type: "message_start", message: { id: "m", role: "assistant", content: [], model: "opus-5", usage: {} } },
  });
await settle();
await show("a text delta", async () => {
  fakeCli.say({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
  });
});
await show("a permission request", async () => {
  fakeCli.say(mayI("Bash", { command: "ls" }));
});
if (frame !== undefined) fakeCli.say(...ends(frame));
await running;
process.exit(0);
