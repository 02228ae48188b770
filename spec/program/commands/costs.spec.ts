/**
 * `bowline costs`: what saved conversations and tapes used and cost.
 */
import assert from "node:assert/strict";
import { mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { before, describe, it } from "node:test";
import { bowline } from "../../support/program/fake-terminal.ts";
import { scratch } from "../../support/program/run-program.ts";

const place = scratch();
const env = {
  HOME: place,
  CLAUDE_CONFIG_DIR: join(place, "claude"),
  CODEX_HOME: join(place, "codex"),
  TZ: "UTC",
};
const first = "11111111-1111-4111-8111-111111111111";
const fork = "22222222-2222-4222-8222-222222222222";
const hostile = "</td><script>alert(1)</script>\u001b[2J\u202e";

interface Sum {
  readonly keys: readonly string[];
  readonly sessions: number;
  readonly input: number;
  readonly output: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly cost?: number;
  readonly isCostPartial: boolean;
}

function lines(path: string, entries: readonly unknown[]): string {
  const whole = join(place, path);
  mkdirSync(dirname(whole), { recursive: true });
  writeFileSync(whole, entries.map((entry) => (typeof entry === "string" ? entry : JSON.stringify(entry))).join("\n"));
  return whole;
}

function answer(id: string, sessionId: string, day: string, more: object = {}): object {
  const usage = {
    input_tokens: 100,
    output_tokens: 20,
    cache_read_input_tokens: 50,
    cache_creation_input_tokens: 30,
  };
  return {
    type: "assistant",
    sessionId,
    cwd: "/work/parser",
    timestamp: `${day}T12:00:00.000Z`,
    message: { id, model: "claude-opus-5-5", usage },
    ...more,
  };
}

function costState(sessionId: string, costUSD: number): object {
  return { type: "cost-state", sessionId, totalCostUSD: costUSD, modelUsage: { "claude-opus-5-5": { costUSD } } };
}

async function sums(...words: readonly string[]): Promise<{ readonly sums: readonly Sum[]; readonly total: Sum }> {
  const { code, stdout, stderr } = await bowline(["costs", "--json", ...words], { env });
  assert.equal(code, 0, stderr);
  return JSON.parse(stdout) as { sums: Sum[]; total: Sum };
}

before(() => {
  lines(`claude/projects/-work-parser/${first}.jsonl`, [
    { type: "user", message: { content: "hi" } },
    'this line is no JSON and mentions "usage"',
    answer("m1", first, "2026-01-01"),
    // The same answer on a second line, as the CLI writes one for each block.
    answer("m1", first, "2026-01-01"),
    costState(first, 0.5),
    answer("m2", first, "2026-01-02"),
    costState(first, 0.75),
    answer("m3", first, "2026-01-02"),
  ]);
  lines(`claude/projects/-work-parser/${first}/subagents/agent-1.jsonl`, [
    answer("m4", first, "2026-01-02", { isSidechain: true }),
  ]);
  lines(`claude/projects/-work-parser/${fork}.jsonl`, [
    // Copied from the first session.
    answer("m1", fork, "2026-01-01"),
    costState(first, 0.5),
    answer("m5", fork, "2026-01-03", { cwd: `/work/${hostile}` }),
    costState(fork, 0.125),
  ]);
  lines("codex/sessions/2026/01/03/rollout-2026-01-03T00-00-00-a.jsonl", [
    { type: "session_meta", timestamp: "2026-01-03T00:00:00Z", payload: { id: "a", cwd: "/work/lexer" } },
    { type: "turn_context", timestamp: "2026-01-03T00:00:00Z", payload: { model: "gpt-5.5" } },
    ...["r1", "r1", "r2"].map((response_id) => ({
      type: "token_usage_record",
      timestamp: "2026-01-03T00:00:01Z",
      payload: {
        thread_id: "a",
        response_id,
        usage: { input_tokens: 1000, cached_input_tokens: 400, output_tokens: 10 },
      },
    })),
    {
      type: "event_msg",
      timestamp: "2026-01-03T00:00:02Z",
      payload: { type: "token_count", info: { total_token_usage: { input_tokens: 2000, output_tokens: 20 } } },
    },
  ]);
  lines("codex/archived_sessions/rollout-2025-12-31T00-00-00-b.jsonl", [
    { type: "session_meta", timestamp: "2025-12-31T00:00:00Z", payload: { id: "b", cwd: "/work/lexer" } },
    ...[100, 100, 300].map((input_tokens) => ({
      type: "event_msg",
      timestamp: "2025-12-31T00:00:02Z",
      payload: { type: "token_count", info: { total_token_usage: { input_tokens, output_tokens: 0 } } },
    })),
  ]);
  symlinkSync(
    join(place, `claude/projects/-work-parser/${first}.jsonl`),
    join(place, "claude/projects/-work-parser/link.jsonl"),
  );
});

describe("bowline costs", () => {
  it("bowline costs counts each answer once, though it stands on two lines and again in a fork", async () => {
    const { sums: rows } = await sums("--by", "engine");
    assert.deepEqual(
      rows.map(({ keys, input, output, cacheRead, cacheWrite, sessions }) => [
        ...keys,
        input,
        output,
        cacheRead,
        cacheWrite,
        sessions,
      ]),
      [
        ["claude", 500, 100, 250, 150, 2],
        ["codex", 1500, 20, 800, 0, 2],
      ],
    );
  });

  it("bowline costs gives the growth of the CLI's own cost to the day of the answers before it", async () => {
    const { sums: rows } = await sums("--by", "day,engine");
    assert.deepEqual(
      rows
        .filter(({ keys }) => keys[1] === "claude")
        .map(({ keys, cost, isCostPartial }) => [keys[0], cost, isCostPartial]),
      [
        ["2026-01-01", 0.5, false],
        // The last answer of that day came after the last cost.
        ["2026-01-02", 0.25, true],
        ["2026-01-03", 0.125, false],
      ],
    );
  });

  it("prices of the user fill in what has no cost, and change nothing else", async () => {
    const prices = lines("prices.json", [
      { gpt: { input: 100, output: 100 }, "gpt-5": { input: 1, output: 10, cacheRead: 0.5 } },
    ]);
    const { sums: rows } = await sums("--by", "engine,model", "--prices", prices);
    assert.deepEqual(
      rows.map(({ keys, cost }) => [...keys, cost]),
      [
        ["claude", "claude-opus-5-5", 0.875],
        ["codex", "gpt-5.5", (1200 * 1 + 20 * 10 + 800 * 0.5) / 1e6],
        ["codex", "unknown", undefined],
      ],
    );
    const wrong = lines("wrong.json", [{ gpt: { input: "1" } }]);
    const { code, stderr } = await bowline(["costs", "--prices", wrong], { env });
    assert.equal(code, 1);
    assert.match(stderr, /wrong\.json:1: gpt\.input must be/);
  });

  it("the table names the groups, sums them up and says which costs are incomplete", async () => {
    const { stdout } = await bowline(["costs", "--by", "project"], { env });
    assert.match(stdout, /^project +sessions +input +output +cache read +cache write +US\$\n/);
    assert.match(stdout, /^\/work\/parser +1 .* 0\.7500\*$/m);
    assert.match(stdout, /^total +4 .* 0\.8750\*$/m);
    assert.match(stdout, /\n\* or -: without the tokens whose cost is not known/);
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(stdout, /[\u001b\u202e]/);
  });

  it("the page is a file of its owner, in which no text of a conversation becomes markup", async () => {
    const page = join(place, "costs.html");
    const { code, stdout } = await bowline(["costs", "--by", "project", "--page", page], { env });
    assert.deepEqual([code, stdout], [0, ""]);
    const text = readFileSync(page, "utf8");
    assert.match(text, /<td>\/work\/parser<\/td>/);
    assert.doesNotMatch(text, /<script/);
    assert.equal(statSync(page).mode & 0o077, 0);
  });

  it("bowline costs leaves out what is older than the days asked for", async () => {
    const { total } = await sums("--days", "1");
    assert.equal(total.sessions, 0);
    const { stdout } = await bowline(["costs", "--days", "1"], { env });
    assert.equal(stdout, "No session used anything.\n");
  });

  it("a machine without any conversation is no failure", async () => {
    const { code, stdout } = await bowline(["costs"], { env: { HOME: join(place, "nobody") } });
    assert.deepEqual([code, stdout], [0, "No session used anything.\n"]);
  });

  it("a tape of the CLI tells tokens and cost by model, and a tape of any agent what ACP tells", async () => {
    const usage = {
      inputTokens: 7,
      outputTokens: 3,
      cacheReadInputTokens: 2,
      cacheCreationInputTokens: 1,
      costUSD: 0.25,
    };
    const claude = lines("claude.ndjson", [
      { dir: "meta", t: 0, tape: 1, start: "2026-02-01T00:00:00.000Z" },
      { dir: "out", t: 1, msg: { type: "system", subtype: "init", session_id: "s", cwd: "/work/a" } },
      { dir: "out", t: 2, msg: { type: "result", session_id: "s", modelUsage: { opus: { ...usage, costUSD: 0.1 } } } },
      { dir: "out", t: 3, msg: { type: "result", session_id: "s", modelUsage: { opus: usage } } },
    ]);
    const acp = (dir: string, msg: object): object => ({ dir, t: 5, side: "acp", msg });
    const cost = (amount: number): object => ({
      method: "session/update",
      params: {
        sessionId: "t",
        update: { sessionUpdate: "usage_update", used: 1, size: 2, cost: { amount, currency: "USD" } },
      },
    });
    const other = lines("other.ndjson", [
      { dir: "meta", t: 0, tape: 1, start: "2026-02-02T00:00:00.000Z" },
      acp("in", { id: 0, method: "initialize", params: {} }),
      acp("out", { id: 0, result: { agentInfo: { name: "gemini" } } }),
      acp("in", { id: 1, method: "session/new", params: { cwd: "/work/b" } }),
      acp("out", { id: 1, result: { sessionId: "t", models: { currentModelId: "pro" } } }),
      acp("in", { id: 2, method: "session/prompt", params: { sessionId: "t" } }),
      acp("out", cost(1)),
      acp("out", {
        id: 2,
        result: { stopReason: "end_turn", usage: { inputTokens: 5, outputTokens: 6, totalTokens: 11 } },
      }),
      acp("in", { id: 3, method: "session/prompt", params: { sessionId: "t" } }),
      acp("out", { id: 3, result: { stopReason: "end_turn" } }),
      acp("out", cost(1.5)),
    ]);
    const { sums: rows } = await sums(claude, other, "--by", "day,project,engine,model");
    assert.deepEqual(
      rows.map(({ keys, input, output, cacheRead, cacheWrite, cost: dollars }) => [
        ...keys,
        input,
        output,
        cacheRead,
        cacheWrite,
        dollars,
      ]),
      [
        ["2026-02-01", "/work/a", "claude", "opus", 7, 3, 2, 1, 0.25],
        ["2026-02-02", "/work/b", "gemini", "pro", 5, 6, 0, 0, 1.5],
      ],
    );
  });

  it("an unknown grouping is a wrong command line", async () => {
    const { code, stderr } = await bowline(["costs", "--by", "colour"], { env });
    assert.equal(code, 2);
    assert.match(stderr, /--by must be one or more of day, project, engine, model, session/);
  });
});
