/**
 * Scrubbing: no secret is left, whatever is around it and wherever a stream splits it.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { scrubber } from "../../../lib/tape/index.ts";
import { ScrubbedRows } from "../../../lib/tape/scrub/scrubbed-rows.ts";
import { deepestNesting, hostileValues } from "../../support/hostile-values.ts";
import { processorMs } from "../../support/growth.ts";

type RowFields = Readonly<Record<string, unknown>>;

const env = { GITHUB_TOKEN: "our-own-value-of-it", DEPLOY_KEY: "other value with spaces", PATH: "/usr/bin:/bin" };
const scrub = scrubber({ env, home: "/srv/people/alice" });

/** Text as it may occur in a message, and the secret in it. */
const pool: readonly (readonly [text: string, secret: string])[] = [
  ["sk-ant-api03-AbCdEfGhIjKlMnOpQrStUv_Wx-Yz", "AbCdEfGh"],
  ["sk-proj-abcdefghijklmnop", "abcdefgh"],
  ["ghp_0123456789abcdefghijABCDEFGHIJ012345", "0123456789abcdef"],
  ["github_pat_11ABCDEFG0123456789_abcdefghij", "11ABCDEFG"],
  ["xoxb-123456789012-abcdefghijkl", "123456789012"],
  ["AKIAIOSFODNN7EXAMPLE", "IOSFODNN7"],
  ["eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N", "eyJzdWIi"],
  ["Authorization: Bearer abcdefgh", "abcdefgh"],
  ["authorization: Basic dXNlcjpwYXNz", "dXNlcjpwYXNz"],
  ["Bearer abcdefghijklmnopqrstuvwxyz", "abcdefghijkl"],
  ["bearer 0a1b2c3d4e", "0a1b2c3d"],
  ["cookie: session=deadbeef; other=cafebabe", "cafebabe"],
  ["X-Api-Key: 0123456789ab", "0123456789"],
  ["export NPM_TOKEN=abcdwxyz", "abcdwxyz"],
  ["AWS_SECRET_ACCESS_KEY=wJalrXUtnFEMIK7MDENG", "wJalrXUtn"],
  ['"password": "correct horse battery staple"', "horse battery"],
  ["'apiKey' : 'four words of it'", "words of"],
  ['{\\"client_secret\\":\\"nobody-knows-it\\"}', "nobody-knows"],
  ["run --api-key abcd-efgh --verbose", "abcd-efgh"],
  ["run --auth-token=abcd-efgh", "abcd-efgh"],
  ["https://u:hunter2@example.com/x", "hunter2"],
  ["https://example.com/x?a=1&key=abcdefgh1234", "abcdefgh"],
  ["-----BEGIN RSA PRIVATE KEY-----\nMIIEowIBAAKCAQEA\n0123456789\n-----END RSA PRIVATE KEY-----", "MIIEow"],
  ["-----BEGIN PGP PRIVATE KEY BLOCK-----\n\nlQdGBGabcdef\n-----END PGP PRIVATE KEY BLOCK-----", "lQdGBG"],
  ["rk_" + "live_abcdefghijklmnop", "abcdefgh"],
  ["hvs.CAESIJabcdefghijklmnopqrst", "abcdefgh"],
  ["DB_PASS=letters", "letters"],
  ["Password=letters;Encrypt=true", "letters"],
  ["?user=a&password=letters", "letters"],
  ["curl -s -u admin:letters https://x.example", "letters"],
  ["sshpass -p letters ssh", "letters"],
  ["mysql -u root -pletters db", "letters"],
  ["machine x.example login me password letters", "letters"],
  ["run --password letters", "letters"],
  ["localhost:5432:db:me:letters", "letters"],
  ["https://abcdefgh0123456789abcd@host.example/x", "abcdefgh"],
  ["password: letters\n", "letters"],
  ['{"auth": "dXNlcjpsZXR0ZXJz"}', "dXNlcjps"],
  ["setenv DB_PASSWORD letters", "letters"],
  ["set -x API_TOKEN letters", "letters"],
  ["<password>three letters here</password>", "letters here"],
  ['<add key="ApiKey" value="three letters" />', "letters"],
  ["secret_key_base: abcd1234efgh", "abcd1234"],
  ["password: |\n  letters here\n  and there\nuser: b", "there"],
  ["password: |\n  letters here\n  and there\nuser: b", "letters"],
  ['password := "letters here"', "letters here"],
  ['const apiKey: string = "letters here";', "letters here"],
  ['var dbPassword string = "letters here"', "letters here"],
  [':password => "letters here"', "letters here"],
  ["define('DB_PASSWORD', 'letters');", "letters"],
  ['config.setPassword( "letters")', "letters"],
  ["**Password:** `letters`", "letters"],
  ["**API key**: `abcd1234efgh`", "abcd1234efgh"],
  ["**Password:** letters\n", "letters"],
  ["| password | `abcd1234` |", "abcd1234"],
  ["CREATE USER a IDENTIFIED WITH x BY 'letters here'", "letters here"],
  ["ALTER ROLE a WITH PASSWORD 'letters'", "letters"],
  ["SET PASSWORD FOR 'bob'@'%' = 'letters'", "letters"],
  ['psk="letters"', "letters"],
  ["our-own-value-of-it", "own-value"],
  ["other value with spaces", "value with"],
  ["/home/alice/work/a.ts", "alice"],
  ["/Users/alice/work/a.ts", "alice"],
  ["C:\\Users\\alice\\work", "alice"],
  ["C:\\\\Users\\\\alice\\\\work", "alice"],
  ["/srv/people/alice/.claude/projects/-srv-people-alice-work", "alice"],
  ["/tmp/projects/-home-alice-work/x.jsonl", "alice"],
];
const planted = fc.constantFrom(...pool);
const prose = fc.array(fc.constantFrom("so", "the", "file", "is", "{", "}", "…", "ok.", "a,b"), { maxLength: 6 });
/** The secret between other text. */
const sentence = fc
  .tuple(prose, planted, prose)
  .map(([before, [text, secret], after]) => ({ secret, text: [...before, text, ...after].join(" ") }));

describe("scrubber", () => {
  it("scrubbing leaves no secret in text, and scrubbing again changes nothing", () => {
    for (const [text, secret] of pool) {
      assert.ok(!scrub.text(text).includes(secret), `${text} became ${scrub.text(text)}`);
      assert.equal(scrub.text(scrub.text(text)), scrub.text(text));
    }
  });

  it("scrubbing leaves no secret anywhere in a value, and keeps its shape", () => {
    const leaf = sentence.map(({ text }): unknown => text);
    const tree = fc.letrec((tie) => ({
      node: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.integer(),
        fc.constant(null),
        fc.array(tie("node"), { maxLength: 3 }),
        fc.dictionary(fc.string({ maxLength: 5 }), tie("node"), { maxKeys: 3 }),
      ),
    })).node;
    fc.assert(
      fc.property(tree, (value) => {
        const before: unknown = JSON.parse(JSON.stringify(value));
        const clean = scrub.value(before);
        const text = JSON.stringify(clean);
        for (const [, secret] of pool) assert.ok(!text.includes(secret), text);
        assert.equal(shapeOf(clean), shapeOf(before));
      }),
      { numRuns: 300 },
    );
  });

  it("scrubbing does not change ordinary text and code", () => {
    for (const text of [
      "const token = getToken();",
      "token: string;",
      "a basic understanding of bearer tokens",
      "task-force-of-many-people",
      "max_tokens=4096000000",
      "https://example.com/home/products?a=1",
      "if (apiKey === undefined) throw new Error(apiKeyMissing)",
      "/usr/home/x and /tmp/home/x",
      "/Users/Shared/x",
      "the secret of it: patience",
    ]) {
      assert.equal(scrub.text(text), text);
    }
  });

  it("scrubbing hides the environment and headers of MCP servers, and keeps their names", () => {
    const servers = [
      { name: "a", command: "run", args: ["--token", "abc", "-v"], env: [{ name: "PLAIN", value: "even this" }] },
      { type: "http", name: "b", url: "https://x", headers: [{ name: "X-Team", value: "red" }] },
      { name: "c", env: { ONE: "1", EMPTY: "" }, headers: { accept: "x" } },
      { name: "d", env: ["NAME=value", "alone"] },
    ];
    assert.deepEqual(scrub.value({ mcpServers: servers }), {
      mcpServers: [
        { name: "a", command: "run", args: ["--token", "scrubbed", "-v"], env: [{ name: "PLAIN", value: "scrubbed" }] },
        { type: "http", name: "b", url: "https://x", headers: [{ name: "X-Team", value: "scrubbed" }] },
        { name: "c", env: { ONE: "scrubbed", EMPTY: "" }, headers: { accept: "scrubbed" } },
        { name: "d", env: ["NAME=scrubbed", "scrubbed"] },
      ],
    });
  });

  it("scrubbing hides a value by its key", () => {
    const fields = { apiKey: "a", access_token: "b", password: "c", token: 5, apiKeySource: "none", keys: "d" };
    assert.deepEqual(scrub.value(fields), {
      apiKey: "scrubbed",
      access_token: "scrubbed",
      password: "scrubbed",
      token: 5,
      apiKeySource: "none",
      keys: "d",
    });
    assert.deepEqual(scrub.value({ name: "MY_TOKEN", value: "x" }), { name: "MY_TOKEN", value: "scrubbed" });
    assert.deepEqual(scrub.value({ name: "effort", value: "high" }), { name: "effort", value: "high" });
  });

  it("scrubbing survives every hostile value and sets no prototype", () => {
    for (const [name, value] of hostileValues) {
      const clean = scrub.value(value);
      assert.equal(({} as { isAdmin?: unknown }).isAdmin, undefined, name);
      if (typeof clean === "object" && clean !== null) assert.doesNotThrow(() => JSON.stringify(clean), name);
    }
    assert.ok(deepestNesting > 1000);
    const own = scrub.value(JSON.parse('{"__proto__":{"token":"x"}}'));
    assert.equal(JSON.stringify(own), '{"__proto__":{"token":"scrubbed"}}');
  });

  it("scrubbing takes time proportional to the text, however hostile", () => {
    const hostile = ["-", "token=", "eyJ-", "-----BEGIN PRIVATE KEY-----", "http://a:", "/home/", "\\\\", "'token':'"];
    for (const unit of hostile) {
      const text = unit.repeat(Math.ceil(200_000 / unit.length));
      const started = processorMs();
      scrub.text(text);
      scrub.undecidedFrom(text);
      assert.ok(processorMs() - started < 3000, unit);
    }
  });
});

describe("ScrubbedRows", () => {
  const delta = (partial: string, i: number): RowFields => ({
    dir: "out",
    t: i,
    side: "claude",
    msg: {
      type: "stream_event",
      event: { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: partial } },
    },
  });
  const chunk = (text: string, i: number): RowFields => ({
    dir: "out",
    t: i,
    side: "acp",
    msg: {
      jsonrpc: "2.0",
      method: "session/update",
      params: { sessionId: "s", update: { sessionUpdate: "agent_message_chunk", content: { type: "text", text } } },
    },
  });
  const output = (data: string, i: number): RowFields => ({
    dir: "out",
    t: i,
    side: "acp",
    msg: {
      jsonrpc: "2.0",
      method: "session/update",
      params: {
        sessionId: "s",
        update: { sessionUpdate: "tool_call_update", toolCallId: "c", _meta: { terminal_output: { data } } },
      },
    },
  });

  it("a secret is found wherever a stream splits it, and rows, order and times stay", () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 7 }), { minLength: 1, maxLength: 12 });
    for (const wrap of [delta, chunk, output]) {
      fc.assert(
        fc.property(sentence, cuts, ({ text, secret }, sizes) => {
          const pieces = cut(text, sizes);
          const rows: RowFields[] = [];
          const scrubbed = new ScrubbedRows(scrub, (row) => rows.push(row));
          pieces.forEach((piece, i) => scrubbed.push(wrap(piece, i)));
          scrubbed.flush();
          const joined = rows.map(wordsOf).join("");
          assert.ok(!joined.includes(secret), joined);
          assert.equal(joined, scrub.text(text));
          assert.deepEqual(
            rows.map(({ t }) => t),
            pieces.map((_, i) => i),
          );
          assert.equal(shapeOf(rows), shapeOf(pieces.map(wrap)));
        }),
        { numRuns: 400 },
      );
    }
  });

  it("fragments without a secret stay unchanged", () => {
    const rows: RowFields[] = [];
    const scrubbed = new ScrubbedRows(scrub, (row) => rows.push(row));
    const pieces = ["He", "llo, ", "this is ", "plain", " text.\n"];
    pieces.forEach((piece, i) => scrubbed.push(delta(piece, i)));
    scrubbed.flush();
    assert.deepEqual(rows.map(wordsOf), pieces);
  });

  it("a row is held only as long as its text may become a secret", () => {
    const rows: RowFields[] = [];
    const scrubbed = new ScrubbedRows(scrub, (row) => rows.push(row));
    scrubbed.push(delta("done ", 0));
    assert.equal(rows.length, 1);
    scrubbed.push(delta("sk-an", 1));
    scrubbed.push({ dir: "in", t: 2, side: "claude", msg: { type: "keep_alive" } });
    assert.equal(rows.length, 1, "what comes later waits too");
    scrubbed.push(delta("t-api03-abcdefgh and ", 3));
    assert.deepEqual(
      rows.map(({ t }) => t),
      [0, 1, 2, 3],
    );
    assert.equal(
      rows
        .filter((row) => row["t"] !== 2)
        .map(wordsOf)
        .join(""),
      "done scrubbed and ",
    );
  });

  it("held rows are released at the end of a block, and when too many are held", () => {
    const rows: RowFields[] = [];
    const scrubbed = new ScrubbedRows(scrub, (row) => rows.push(row));
    scrubbed.push(delta("word", 0));
    assert.equal(rows.length, 0);
    const stop = { type: "stream_event", event: { type: "content_block_stop", index: 0 } };
    scrubbed.push({ dir: "out", t: 1, side: "claude", msg: stop });
    assert.equal(rows.length, 2);
    scrubbed.push(delta("x".repeat(9000), 2));
    assert.equal(rows.length, 3);
    for (let i = 0; i < 300; i++) scrubbed.push(delta("x", i));
    assert.ok(rows.length >= 3 + 256);
  });

  it("the streams of two sessions are scrubbed separately", () => {
    const rows: RowFields[] = [];
    const scrubbed = new ScrubbedRows(scrub, (row) => rows.push(row));
    scrubbed.push({ ...delta("/home/al", 0), session: "one" });
    scrubbed.push({ ...delta("/home/bo", 1), session: "two" });
    scrubbed.push({ ...delta("ice/x ", 2), session: "one" });
    scrubbed.push({ ...delta("b/y ", 3), session: "two" });
    const words = (session: string): string =>
      rows
        .filter((row) => row["session"] === session)
        .map(wordsOf)
        .join("");
    assert.equal(words("one"), "/home/user/x ");
    assert.equal(words("two"), "/home/user/y ");
  });
});

function cut(text: string, sizes: readonly number[]): readonly string[] {
  const pieces: string[] = [];
  for (let at = 0, i = 0; at < text.length; i++) {
    const size = sizes[i % sizes.length] ?? 1;
    pieces.push(text.slice(at, at + size));
    at += size;
  }
  return pieces;
}

function wordsOf(row: RowFields): string {
  const found: string[] = [];
  JSON.stringify(row, (key, value: unknown) => {
    if ((key === "text" || key === "data") && typeof value === "string") found.push(value);
    return value;
  });
  return found.join("");
}

/** The shape of a value: types, lengths and keys that contain no secret. */
function shapeOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(shapeOf).join()}]`;
  if (typeof value === "object" && value !== null) return `{${Object.values(value).map(shapeOf).join()}}`;
  return value === null ? "null" : typeof value;
}
