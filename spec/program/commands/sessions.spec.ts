/**
 * `bowline sessions`: lists, searches, exports and prunes the saved sessions of an agent.
 */
import assert from "node:assert/strict";
import { copyFileSync, mkdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, extname, join } from "node:path";
import { describe, it } from "node:test";
import { conversationEntries } from "../../../lib/program/sessions/conversation-entries.ts";
import { exportConversation } from "../../../lib/program/sessions/export-conversation.ts";
import { agent as acpAgent, update } from "../../../lib/acp/index.ts";
import { connectedSessions, maxSessions } from "../../../lib/program/sessions/saved-sessions.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { textSearch } from "../../../lib/program/sessions/search-texts.ts";
import { bundledProgram } from "../../support/bundled-program.ts";
import { bowline } from "../../support/program/fake-terminal.ts";
import { scratch } from "../../support/program/run-program.ts";

const place = scratch();
const hostile = "</p><script>alert(1)</script> ```` \u001b[2J \u202e";

const updates = [
  update.userMessage("Fix "),
  update.userMessage("it"),
  update.agentThought("hm"),
  update.toolCall({
    toolCallId: "a",
    title: "Edit a.ts",
    kind: "edit",
    status: "in_progress",
    content: [{ type: "diff", path: "/p/a.ts", oldText: "1\n", newText: "2\n" }],
  }),
  update.agentMessage(hostile),
  update.toolCallUpdate({ toolCallId: "a", status: "completed" }),
];

describe("conversationEntries", () => {
  it("conversationEntries joins chunks and lays updates over their tool call", () => {
    const entries = conversationEntries(updates);
    assert.deepEqual(
      entries.map(({ kind }) => kind),
      ["user", "thought", "tool", "agent"],
    );
    assert.equal(entries[0]?.kind === "user" && entries[0].text, "Fix it");
    assert.equal(entries[2]?.kind === "tool" && entries[2].status, "completed");
  });
});

describe("exportConversation", () => {
  const session = { sessionId: "s1", cwd: "/p", title: hostile, updatedAt: "2026-01-01T00:00:00Z" };
  const entries = conversationEntries(updates);

  it("no text of the conversation becomes markup of the page or a control character", () => {
    const page = exportConversation("html", session, entries);
    assert.doesNotMatch(page, /<script/);
    assert.match(page, /Content-Security-Policy/);
    for (const format of ["html", "md"] as const)
      // oxlint-disable-next-line no-control-regex
      assert.doesNotMatch(exportConversation(format, session, entries), /[\u001b\u202e]/, format);
  });

  it("an output with any number of backquotes is exported", () => {
    const text = "` ".repeat(400_000);
    const call = update.toolCall({
      toolCallId: "b",
      title: "b",
      content: [{ type: "content", content: { type: "text", text } }],
    });
    assert.ok(exportConversation("md", session, conversationEntries([call])).includes(text));
  });

  it("Markdown has the messages and the diff, and a fence that its text cannot close", () => {
    const text = exportConversation(
      "md",
      session,
      conversationEntries([
        ...updates,
        update.toolCall({
          toolCallId: "b",
          title: "b",
          content: [{ type: "content", content: { type: "text", text: "````\nx" } }],
        }),
      ]),
    );
    assert.match(text, /## User\n\nFix it\n/);
    assert.match(text, /```diff\n-1\n\+2\n```/);
    assert.match(text, /`{5}\n````\nx\n`{5}/);
  });

  it("JSON has the session and its entries", () => {
    assert.deepEqual(JSON.parse(exportConversation("json", session, entries)).session, session);
  });
});

/** An agent with three sessions on two pages, which remembers what is deleted. */
async function fakeAgent(): Promise<readonly string[]> {
  const lib = join(import.meta.dirname, `../../../lib/index${extname(import.meta.filename)}`);
  const deleted = join(place, "deleted.txt");
  writeFileSync(deleted, "");
  const code = `import { appendFileSync } from "node:fs";
import { agent, stdioLink, update } from ${JSON.stringify(lib)};
const one = (sessionId: string, title: string, updatedAt: string) => ({ sessionId, cwd: "/p", title, updatedAt });
const all = [one("aa1", "Parser \\u001b[2J", new Date().toISOString()), one("aa2", "Docs", "2020-01-01T00:00:00Z"), one("b3", "Old parser", "2019-01-01T00:00:00Z")];
agent(stdioLink(), { info: { name: "fake", version: "1" }, handlers: (client) => ({
  "session/new": () => ({ sessionId: "x" }),
  "session/prompt": async () => ({ stopReason: "end_turn" as const }),
  "session/list": ({ cursor }) => cursor ? { sessions: all.slice(2) } : { sessions: all.slice(0, 2), nextCursor: "2" },
  "session/load": async ({ sessionId }) => { await client.update(sessionId, update.userMessage("hello " + sessionId)); return {}; },
  "session/delete": ({ sessionId }) => appendFileSync(${JSON.stringify(deleted)}, sessionId + "\\n"),
}) });
`;
  return [process.execPath, await bundledProgram({ code })];
}

describe("connectedSessions", () => {
  const listing = async (page: (cursor: string | null | undefined) => number): Promise<number> => {
    const [agentEnd, link] = memoryPair();
    acpAgent(agentEnd, {
      info: { name: "a", version: "1" },
      handlers: () => ({
        "session/new": () => ({ sessionId: "x" }),
        "session/prompt": () => Promise.resolve({ stopReason: "end_turn" } as const),
        "session/list": ({ cursor }) => ({
          sessions: Array.from({ length: page(cursor) }, (_, i) => ({ sessionId: `s${i}`, cwd: "/p" })),
          nextCursor: "more",
        }),
      }),
    });
    const saved = await connectedSessions(link, () => Promise.resolve());
    const { length } = await saved.list(undefined);
    await saved.close();
    return length;
  };

  it("a list that never ends, or has a page of any length, is read up to its limit", async () => {
    assert.equal(await listing(() => 0), 0);
    assert.equal(await listing((cursor) => (cursor == null ? 150_000 : 1)), maxSessions);
  });
});

const id = (n: number): string => `00000000-0000-4000-8000-${String(n).padStart(12, "0")}`;
const env = { HOME: place, CLAUDE_CONFIG_DIR: join(place, "claude"), CODEX_HOME: join(place, "codex") };

/** A saved conversation of Claude: a recording, or these lines. */
function claudeFile(path: string, from: string | readonly object[]): void {
  const file = join(env.CLAUDE_CONFIG_DIR, "projects", "-home-dev-project", path);
  mkdirSync(dirname(file), { recursive: true });
  if (typeof from === "string") copyFileSync(from, file);
  else writeFileSync(file, from.map((line) => JSON.stringify(line)).join("\n"));
}

function codexFile(of: string, items: readonly object[]): void {
  const directory = join(env.CODEX_HOME, "sessions", "2026", "11", "17");
  mkdirSync(directory, { recursive: true });
  const lines = items.map((payload) => JSON.stringify({ type: "response_item", payload }));
  writeFileSync(join(directory, `rollout-2026-11-17T06-32-06-${of}.jsonl`), lines.join("\n"));
}

describe("textSearch", () => {
  it("textSearch finds messages, tool inputs and outputs of both engines in whatever case, and shows the place", () => {
    const said = (content: unknown, more: object = {}): object => ({
      type: "assistant",
      message: { content },
      ...more,
    });
    claudeFile(`${id(1)}.jsonl`, [
      said([{ type: "text", text: `Before. ${"x".repeat(100)}\nThe "Needle" is\nhere. ${"y".repeat(100)}` }]),
    ]);
    claudeFile(`${id(2)}.jsonl`, [said([{ type: "tool_use", name: "Bash", input: { command: "echo needle" } }])]);
    claudeFile(`${id(3)}.jsonl`, [said("nothing")]);
    claudeFile(`${id(3)}/subagents/agent-1.jsonl`, [said([{ type: "tool_result", content: [{ text: "a NEEDLE" }] }])]);
    codexFile(id(4), [{ type: "message", role: "user", content: [{ type: "input_text", text: "needle in Codex" }] }]);
    codexFile(id(5), [{ type: "function_call_output", call_id: "c", output: "needle of a tool" }]);
    const find = textSearch(env, "needle");
    assert.match(find(id(1)) ?? "", /^….*The "Needle" is here\. y+…$/);
    assert.ok((find(id(1)) ?? "").length < 140);
    assert.deepEqual(
      [2, 3, 4, 5].map((n) => find(id(n))),
      ["echo needle", "a NEEDLE", "needle in Codex", "needle of a tool"],
    );
    assert.match(textSearch(env, '"Needle" is')(id(1)) ?? "", /Needle/);
  });

  it("textSearch does not find what nobody said: keys, ids, pictures, and what a CLI adds by itself", () => {
    const block = { type: "needle", id: "needle", source: { data: "needle" }, signature: "needle" };
    claudeFile(`${id(6)}.jsonl`, [
      { type: "assistant", needle: 1, message: { model: "needle", content: [block] } },
      { type: "user", isMeta: true, message: { content: "needle" } },
      { type: "queue-operation", content: "needle" },
    ]);
    const text = (of: string): object => ({ type: "input_text", text: of });
    codexFile(id(7), [
      { type: "message", role: "developer", content: [text("needle")] },
      { type: "message", role: "user", content: [text("<environment_context>needle")] },
    ]);
    const find = textSearch(env, "needle");
    assert.deepEqual([find(id(6)), find(id(7)), find("../secret")], [undefined, undefined, undefined]);
  });

  it("textSearch follows no link, survives damaged lines, and takes the text as it is, not as a pattern", () => {
    const secret = join(place, "secret.jsonl");
    writeFileSync(secret, JSON.stringify({ type: "user", message: { content: "needle" } }));
    claudeFile(`${id(8)}.jsonl`, [{ type: "user", message: { content: "a.c (" } }]);
    symlinkSync(secret, join(env.CLAUDE_CONFIG_DIR, "projects", "-home-dev-project", `${id(9)}.jsonl`));
    const damaged = `{"message":needle\n[1,"needle"]\n{"type":"user","message":{"content":{"a":"the needle"}}}\n{"needle`;
    claudeFile(`${id(10)}.jsonl`, []);
    writeFileSync(join(env.CLAUDE_CONFIG_DIR, "projects", "-home-dev-project", `${id(10)}.jsonl`), damaged);
    assert.deepEqual([textSearch(env, "needle")(id(9)), textSearch(env, "needle")(id(10))], [undefined, "the needle"]);
    assert.deepEqual([textSearch(env, "abc")(id(8)), textSearch(env, "A.C (")(id(8))], [undefined, "a.c ("]);
  });
});

describe("bowline sessions", () => {
  it("bowline sessions search finds a saved conversation of Claude by what was said in it", async () => {
    claudeFile(`${id(21)}.jsonl`, "fixtures/transcripts/edits.jsonl");
    claudeFile(`${id(22)}.jsonl`, "fixtures/transcripts/talk.jsonl");
    const { stdout, stderr } = await bowline(["sessions", "search", "A RED dot", "--route", "claude"], { env });
    assert.equal(stderr, "");
    assert.match(stdout, new RegExp(`^${id(22)} .*\n {4}A red dot\\.\n$`, "i"));
    const json = await bowline(["sessions", "search", "a red dot", "--json", "--route", "claude"], { env });
    assert.match(JSON.parse(json.stdout)[0].excerpt, /^A red dot/);
  });

  it("bowline sessions lists every page, searches and exports by the beginning of an id", async () => {
    const agent = ["--", ...(await fakeAgent())];
    const { stdout } = await bowline(["sessions", ...agent]);
    assert.deepEqual(
      stdout
        .trim()
        .split("\n")
        .map((line) => line.split(" ")[0]),
      ["aa1", "aa2", "b3"],
    );
    assert.ok(!stdout.includes("\u001b"));
    const found = await bowline(["sessions", "search", "PARSER", "--json", ...agent]);
    assert.equal(JSON.parse(found.stdout).length, 2);
    const out = join(place, "talk.md");
    assert.equal((await bowline(["sessions", "export", "b", "-o", out, ...agent])).code, 0);
    assert.match(readFileSync(out, "utf8"), /# Old parser[^]*hello b3/);
    assert.equal(statSync(out).mode & 0o777, 0o600);
    assert.match((await bowline(["sessions", "show", "aa", ...agent])).stderr, /2 sessions begin with this id/);
    assert.match((await bowline(["sessions", "show", "zz", ...agent])).stderr, /there is no such session/);
  });

  it("bowline sessions prune deletes nothing without --yes", async () => {
    const agent = ["--", ...(await fakeAgent())];
    const dry = await bowline(["sessions", "prune", "--older-than", "30", ...agent]);
    assert.match(dry.stdout, /would delete {2}aa2[^]*would delete {2}b3[^]*2 of 3 sessions; --yes deletes them/);
    assert.equal(readFileSync(join(place, "deleted.txt"), "utf8"), "");
    await bowline(["sessions", "prune", "--older-than", "30", "--yes", ...agent]);
    assert.equal(readFileSync(join(place, "deleted.txt"), "utf8"), "aa2\nb3\n");
    assert.equal((await bowline(["sessions", "prune"])).code, 2);
    assert.equal((await bowline(["sessions", "burn"])).code, 2);
  });
});
