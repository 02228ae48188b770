/**
 * Counts the files of lib that a prompt, a text delta and a permission request pass, by the
 * functions that V8 saw called: `node --import tsx spec/tooling/trace-files.ts [names]`.
 *
 * The client sends and reads raw lines, so that only the code of the agent is counted.
 */
import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { memoryPair } from "../../lib/wire/index.ts";
import { emptyStore, ends, mayI, says, takes } from "../support/claude/agent-harness.ts";
import { claudeAgent } from "../support/claude/claude-agent.ts";
import { fakeClis, type Frame } from "../support/claude/fake-cli.ts";
import { fakeClock } from "../support/fake-clock.ts";
import { textAt } from "../support/json.ts";
import { RawClient } from "../support/acp/raw-client.ts";

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

const isListing = process.argv.includes("names");

async function show(what: string, run: () => void | Promise<void>): Promise<void> {
  await calledFiles();
  await run();
  await settle();
  const files = (await calledFiles()).filter((path) => !path.endsWith("memory-pair.ts"));
  process.stdout.write(
    `${what.padEnd(20)} ${files.length} files\n${isListing ? `${files.map((path) => `  ${path}`).join("\n")}\n` : ""}`,
  );
}

const cli = fakeClis();
const [near, far] = memoryPair();
claudeAgent(near, {
  launcher: cli.launcher,
  store: emptyStore,
  after: fakeClock().after,
  env: {},
  program: { command: "bowline", args: [] },
  prewarms: false,
});
const editor = new RawClient(far, ({ answer }) => answer({ outcome: { outcome: "selected", optionId: "allow" } }));
await editor.call("initialize", { protocolVersion: 1, clientCapabilities: {} });
const opened = await editor.call("session/new", { cwd: "/", mcpServers: [] });
const sessionId = textAt(opened, "result.sessionId");
const fakeCli = cli.runs[0] ?? assert.fail("no CLI was started");
const prompt = (text: string): Promise<unknown> =>
  editor.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] });

// The first prompt loads and announces; the second one is measured.
const first = prompt("hi");
const heard = await fakeCli.hear("user");
fakeCli.say(...takes(heard), says("Hello."), ...ends(heard));
await first;
await settle();

let frame: Frame = {};
let running: Promise<unknown> | undefined;
await show("a prompt", async () => {
  running = prompt("again");
  frame = await fakeCli.hear("user");
});
fakeCli.say(...takes(frame), {
  type: "stream_event",
  event: { type: "message_start", message: { id: "m", role: "assistant", content: [], model: "opus-5", usage: {} } },
});
await settle();
await show("a text delta", () => {
  fakeCli.say({
    type: "stream_event",
    event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hi" } },
  });
});
await show("a permission request", () => fakeCli.say(mayI("Bash", { command: "ls" })));
fakeCli.say(...ends(frame));
await running;
process.exit(0);
