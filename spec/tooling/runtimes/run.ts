/**
 * `npm run test:runtimes`: installs the packed tarball in a scratch directory, as a user
 * does, and runs it with several versions of Node, with Bun and with Deno.
 *
 * For each runtime: `--version`, the agent (initialize, session/new and a prompt with a
 * script in place of the Claude CLI), the chat in a pipe, and doctor. The runtimes come
 * from npm, outside of the project's dependencies. A runtime that cannot be installed is
 * skipped, with the reason. Prints a table; fails when a step fails that is expected to work.
 */
import { type ChildProcess, execFile, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { echoClaude } from "../../support/echo-claude.ts";
import { installed } from "../../support/live/real-cli.ts";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const limitMs = 60_000;

interface Runtime {
  readonly name: string;
  /** The command line before the script. */
  readonly command: () => readonly [string, ...string[]];
}

const nodes = ["20.20.2", "22.23.3", "24.21.0", "26.10.0"];
const platform = `${process.platform}-${process.arch}`;
const runtimes: readonly Runtime[] = [
  ...nodes.map((version): Runtime => {
    const name = `node-${platform}`;
    return { name: `Node ${version}`, command: () => [join(installed(name, version), name, "bin", "node")] };
  }),
  {
    name: "Bun 1.4.4",
    command: () => [join(installed(`@oven/bun-${platform}`, "1.4.4"), "@oven", `bun-${platform}`, "bin", "bun")],
  },
  {
    name: "Deno 2.9.6",
    command: () => {
      const name = `@deno/${platform}${process.platform === "linux" ? "-glibc" : ""}`;
      return [join(installed(name, "2.9.6"), name, "deno"), "run", "--allow-all"];
    },
  },
];

const scratch = mkdtempSync(join(tmpdir(), "bowline-runtimes-"));
try {
  const program = install();
  const cli = join(scratch, "claude.mjs");
  const version = 'if (process.argv.includes("--version")) { console.log("2.1.325 (Claude Code)"); process.exit(0); }';
  writeFileSync(cli, `${version}\n${echoClaude}`);
  const rows: string[][] = [["npx bowline", process.version, await viaNpx()]];
  for (const runtime of runtimes) rows.push(await tryRuntime(runtime, program, cli));
  for (const row of rows) process.stdout.write(`${row.map((cell) => cell.padEnd(14)).join(" ")}\n`);
  if (rows.some((row) => row.some((cell) => cell.startsWith("FAIL")))) process.exitCode = 1;
} finally {
  rmSync(scratch, { recursive: true, force: true });
}

/** Packs the project, installs the tarball globally below the scratch directory, and returns the program. */
function install(): string {
  const npm = (...args: string[]): string =>
    execFileSync("npm", [...args, "--loglevel=error"], {
      cwd: root,
      encoding: "utf8",
      stdio: ["ignore", "pipe", "ignore"],
    });
  if (!existsSync(join(root, "dist", "lib", "index.js"))) execFileSync(process.execPath, ["build.mjs"], { cwd: root });
  const [packed] = JSON.parse(npm("pack", "--json", "--ignore-scripts", `--pack-destination=${scratch}`));
  const tarball = join(scratch, packed.filename);
  npm("install", "-g", "--prefix", join(scratch, "global"), "--no-audit", "--no-fund", "--offline", tarball);
  writeFileSync(join(scratch, "tarball"), tarball);
  return join(scratch, "global", "lib", "node_modules", "bowline", "dist", "bowline.mjs");
}

/** `npx` with the tarball in an empty project. */
async function viaNpx(): Promise<string> {
  const project = join(scratch, "project");
  mkdirSync(project);
  const tarball = execFileSync("cat", [join(scratch, "tarball")], { encoding: "utf8" });
  const { stdout } = await run(
    "npx",
    ["--yes", "--offline", "--package", tarball, "bowline", "--version"],
    {},
    project,
  );
  return /^\d+\.\d+\.\d+$/.test(stdout.trim()) ? "ok" : "FAIL";
}

async function tryRuntime({ name, command }: Runtime, program: string, cli: string): Promise<string[]> {
  let line: readonly [string, ...string[]];
  try {
    line = command();
  } catch {
    return [name, "skipped: npm could not install it"];
  }
  const [runtime, ...flags] = line;
  const home = mkdtempSync(join(scratch, "home-"));
  const env = {
    PATH: [dirname(runtime), "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    BOWLINE_CLAUDE: cli,
    BOWLINE_ROUTE: "claude",
    DENO_DIR: join(scratch, "deno"),
    NO_COLOR: "1",
  };
  const bowline = (words: readonly string[], input = ""): Promise<{ stdout: string; stderr: string }> =>
    run(runtime, [...flags, program, ...words], env, home, input);
  const cells: [string, boolean][] = [
    ["version", /^\d+\.\d+\.\d+$/.test((await bowline(["--version"])).stdout.trim())],
    ["agent", await drivesAgent(runtime, [...flags, program], env, home)],
    ["chat", (await bowline(["chat", "-q"], "hello\n")).stdout.includes("You asked: hello")],
    ["doctor", /"name": ?"initialize",\s*"status": ?"ok"/.test((await bowline(["doctor", "--json"])).stdout)],
  ];
  return [name, ...cells.map(([what, isRight]) => `${isRight ? "ok" : "FAIL"} ${what}`)];
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

function run(
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
