/**
 * Drives an installed program: `--version`, the agent, the chat in a pipe, and doctor, with a
 * script in place of the Claude CLI.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { echoClaude } from "../../support/claude/echo-claude.ts";

/** A step takes a few seconds; npx on a busy machine has taken more than a minute. */
const limitMs = 180_000;

/** Writes the script that replaces the Claude CLI. */
export function writeCli(directory: string): string {
  const path = join(directory, "claude.mjs");
  const version = 'if (process.argv.includes("--version")) { console.log("2.1.325 (Claude Code)"); process.exit(0); }';
  writeFileSync(path, `${version}\n${echoClaude}`);
  return path;
}

/** One word for each step: `ok agent`, or `FAIL agent`. */
export async function driveProgram(
  [command, ...args]: readonly [string, ...string[]],
  cli: string,
  home: string,
): Promise<string[]> {
  const env = {
    // The script in place of the CLI needs a Node, also where the program is a single executable.
    PATH: [dirname(command), dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    BOWLINE_CLAUDE: cli,
    BOWLINE_ROUTE: "claude",
    DENO_DIR: join(home, "deno"),
    NO_COLOR: "1",
  };
  const bowline = (words: readonly string[], input = ""): Promise<{ stdout: string; stderr: string }> =>
    run(command, [...args, ...words], env, home, input);
  const steps: [string, boolean][] = [
    ["version", /^\d+\.\d+\.\d+$/.test((await bowline(["--version"])).stdout.trim())],
    ["agent", await drivesAgent(command, args, env, home)],
    ["chat", (await bowline(["chat", "-q"], "hello\n")).stdout.includes("You asked: hello")],
    ["doctor", /"name": ?"initialize",\s*"status": ?"(?:ok|warn)"/.test((await bowline(["doctor", "--json"])).stdout)],
  ];
  return steps.map(([what, isRight]) => `${isRight ? "ok" : "FAIL"} ${what}`);
}

async function drivesAgent(
  runtime: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
): Promise<boolean> {
  const child = spawn(runtime, args, { env, cwd, stdio: ["pipe", "pipe", "ignore"] });
  const timer = setTimeout(() => child.kill("SIGKILL"), limitMs);
  try {
    const answers = linesOf(child);
    const call = async (id: number, method: string, params: object): Promise<any> => {
      child.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", id, method, params })}\n`);
      for await (const message of answers) if (message.id === id && message.method === undefined) return message.result;
      return undefined;
    };
    await call(1, "initialize", { protocolVersion: 1 });
    const session = await call(2, "session/new", { cwd, mcpServers: [] });
    const prompt = [{ type: "text", text: "hello" }];
    const turn = await call(3, "session/prompt", { sessionId: session?.sessionId, prompt });
    const exited = new Promise((resolve) => child.once("exit", resolve));
    child.stdin.end();
    return turn?.stopReason === "end_turn" && (await exited) === 0;
  } finally {
    clearTimeout(timer);
    child.kill("SIGKILL");
  }
}

/** The messages of a child, one at a time; can be iterated several times in a row. */
function linesOf(child: ChildProcess): AsyncIterable<any> {
  const lines: unknown[] = [];
  let wake = (): void => {};
  let isOver = false;
  let rest = "";
  child.stdout?.setEncoding("utf8").on("data", (chunk: string) => {
    const parts = (rest + chunk).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts.map((line) => JSON.parse(line)));
    wake();
  });
  child.once("close", () => {
    isOver = true;
    wake();
  });
  return {
    async *[Symbol.asyncIterator]() {
      for (;;) {
        if (lines.length > 0) yield lines.shift();
        else if (isOver) return;
        else await new Promise<void>((resolve) => (wake = resolve));
      }
    },
  };
}

export function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd: string,
  input = "",
): Promise<{ stdout: string; stderr: string }> {
  return new Promise((resolve) => {
    const options = { env: { ...(Object.keys(env).length === 0 ? process.env : env) }, cwd, timeout: limitMs };
    const child = execFile(command, [...args], options, (_error, stdout, stderr) => resolve({ stdout, stderr }));
    child.stdin?.end(input);
  });
}
