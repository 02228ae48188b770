/**
 * Secrets and permissions, with the whole program and a CLI that reports what it gets.
 *
 * Every secret contains the word canary, so that specs can search for it where it must
 * not be: command lines, stderr, responses, files.
 */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { at, listAt, textAt } from "../support/json.ts";
import { programArgs } from "../support/built-program.ts";

const root = mkdtempSync(join(tmpdir(), "bowline-secrets-"));
after(() => rmSync(root, { recursive: true, force: true }));

/** A CLI that writes down how it was started, answers initialize, and crashes at the first prompt. */
const cli = join(root, "claude.mjs");
writeFileSync(
  cli,
  `import { appendFileSync, readFileSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { createInterface } from "node:readline";
const argv = process.argv.slice(2);
const config = argv.find((one) => one.startsWith("--mcp-config="))?.slice("--mcp-config=".length);
const mode = (path) => (statSync(path).mode & 0o777).toString(8);
const mcp = config && { file: mode(config), directory: mode(dirname(config)), text: readFileSync(config, "utf8") };
appendFileSync(process.env.SEEN, JSON.stringify({ argv, env: process.env, mcp }) + "\\n");
createInterface({ input: process.stdin }).on("line", (line) => {
  const { type, request_id, request } = JSON.parse(line);
  if (type === "user") {
    process.stdout.write("not json\\n");
    process.stderr.write("something broke\\n");
    process.exit(3);
  }
  const response = request?.subtype === "initialize" ? { claude_code_version: "2.1.325", commands: [], models: [] } : {};
  console.log(JSON.stringify({ type: "control_response", response: { subtype: "success", request_id, response } }));
});
`,
);

interface Seen {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly mcp?: { readonly file: string; readonly directory: string; readonly text: string };
}

interface Told {
  readonly answers: readonly unknown[];
  readonly stderr: string;
  readonly seen: readonly Seen[];
  /** The files left in the temporary directory and in that of private files. */
  readonly left: readonly string[];
}

let runs = 0;

/** Sends the lines one by one, each after the response to the one before; `SESSION` is replaced by the session id. */
async function converse(env: Readonly<Record<string, string>>, requests: readonly object[]): Promise<Told> {
  const home = join(root, `run-${++runs}`);
  const temporary = join(home, "tmp");
  mkdirSync(temporary, { recursive: true });
  const seen = join(home, "seen");
  writeFileSync(seen, "");
  const child = spawn(process.execPath, programArgs, {
    env: {
      PATH: process.env["PATH"],
      HOME: home,
      TMPDIR: temporary,
      SEEN: seen,
      BOWLINE_CLAUDE: cli,
      BOWLINE_PREWARM: "0",
      ...env,
    },
    timeout: 90_000,
    killSignal: "SIGKILL",
  });
  let stdout = "";
  let stderr = "";
  let wake = (): void => {};
  child.stdout.setEncoding("utf8").on("data", (text: string) => {
    stdout += text;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const closed = new Promise((resolve) => child.on("close", resolve));
  const answers: unknown[] = [];
  const answerTo = (id: number): unknown =>
    stdout
      .split("\n")
      .slice(0, -1)
      .map((line): unknown => JSON.parse(line))
      .find((message) => at(message, "id") === id && at(message, "method") === undefined);
  for (const [i, request] of requests.entries()) {
    const sessionId = answers.map((one) => textAt(one, "result.sessionId")).find((one) => one !== "") ?? "";
    const line = JSON.stringify({ jsonrpc: "2.0", id: i, ...request }).replaceAll("SESSION", sessionId);
    child.stdin.write(`${line}\n`);
    while (answerTo(i) === undefined) await new Promise<void>((resolve) => (wake = resolve));
    answers.push(answerTo(i));
  }
  child.stdin.end();
  await closed;
  const started = readFileSync(seen, "utf8").trim().split("\n");
  return {
    answers,
    stderr,
    seen: started.filter((line) => line !== "").map((line): Seen => JSON.parse(line)),
    // tsx, which runs these sources, has a cache there too.
    left: [temporary, join(home, ".local", "state", "bowline", "run")]
      .flatMap((directory) => (existsSync(directory) ? readdirSync(directory) : []))
      .filter((name) => name.startsWith("bowline")),
  };
}

const initialize = { method: "initialize", params: { protocolVersion: 1 } };
const servers = [
  { name: "one", command: "server", args: [], env: [{ name: "KEY", value: "canary-mcp-env" }] },
  { type: "http", name: "two", url: "http://127.0.0.1:9/", headers: [{ name: "X-Key", value: "canary-header" }] },
];
const open = { method: "session/new", params: { cwd: root, mcpServers: [] } };
const openWithServers = { method: "session/new", params: { cwd: root, mcpServers: servers } };
const prompt = {
  method: "session/prompt",
  params: { sessionId: "SESSION", prompt: [{ type: "text", text: "canary-prompt" }] },
};

describe("the program", { timeout: 120_000 }, () => {
  it("the program puts secrets on no command line, no stderr and in no response, and leaves none in files", async () => {
    const told = await converse({ MY_KEY: "canary-env" }, [initialize, openWithServers, prompt]);
    const [first] = told.seen;
    assert.ok(first !== undefined, "the CLI was started");
    assert.doesNotMatch(first.argv.join(" "), /canary/);
    assert.doesNotMatch(told.stderr, /canary/);
    assert.doesNotMatch(JSON.stringify(told.answers), /canary/);
    assert.match(JSON.stringify(told.answers.at(-1)), /exited with code 3: something broke/);
    assert.deepEqual([first.mcp?.file, first.mcp?.directory], ["600", "700"]);
    assert.match(first.mcp?.text ?? "", /canary-mcp-env.*canary-header/);
    assert.deepEqual(told.left, [], "the file with the keys is gone");
  });

  it("the CLI gets the user's environment without the variables of Bowline and Node", async () => {
    const given = {
      MY_KEY: "canary-env",
      BOWLINE_TOKEN: "canary-ours",
      NODE_OPTIONS: "--no-deprecation",
      npm_config_token: "canary-npm",
    };
    const { seen } = await converse(given, [initialize, open]);
    const env = seen[0]?.env ?? {};
    assert.equal(env["MY_KEY"], "canary-env");
    const names = Object.keys(env).filter((name) =>
      /^(?:BOWLINE_(?!RUN)|npm_|NODE_OPTIONS|NODE_CHANNEL|IS_SANDBOX)/.test(name),
    );
    assert.deepEqual(names, []);
  });

  it("the mode that bypasses permissions is offered only where the CLI accepts it: not to root outside a sandbox", async () => {
    const isRoot = process.getuid?.() === 0;
    const setMode = { method: "session/set_mode", params: { sessionId: "SESSION", modeId: "bypassPermissions" } };
    const modes = (told: Told): readonly unknown[] =>
      listAt(told.answers[1], "result.modes.availableModes").map((mode) => at(mode, "id"));
    const plain = await converse({}, [initialize, open, setMode]);
    assert.equal(modes(plain).includes("bypassPermissions"), !isRoot);
    if (isRoot) assert.equal(at(plain.answers[2], "error.code"), -32602);
    assert.equal(plain.seen[0]?.argv.includes("--allow-dangerously-skip-permissions"), !isRoot);
    const sandboxed = await converse({ IS_SANDBOX: "1" }, [initialize, open]);
    assert.ok(modes(sandboxed).includes("bypassPermissions"));
  });
});
