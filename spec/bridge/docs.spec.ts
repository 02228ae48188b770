/**
 * docs/bridge.md: its examples are lines the bridge sent, its table names existing
 * tests, and it covers the whole protocol.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  BridgeMessage,
  CallbackQuestion,
  ClientMessage,
  ErrorCode,
  queryMethods,
  SessionOptions,
} from "../../lib/bridge/index.ts";
import { Fault, type Schema } from "../../lib/schema/index.ts";
import { readText } from "../support/files.ts";
import { example } from "../support/bridge/example-conversation.ts";

const page = readText("docs/bridge.md");
const shown = [...page.matchAll(/^```json\n([\s\S]*?)^```$/gm)].flatMap(([, lines = ""]) => lines.trim().split("\n"));

function typesOf(schema: Schema<unknown>): readonly string[] {
  return schema.node.kind === "tagged" ? Object.keys(schema.node.variants) : assert.fail("no union");
}

/** Whether the source has a test of this name, after `it(` or in a table of tests. */
function isTest(source: string, name: string): boolean {
  const quoted = [`it("${name}`, `it(\`${name}`, `"${name}",\n`, `["${name}"`];
  return quoted.some((one) => source.replaceAll(/\s+(?=")/g, (space) => space.slice(-1)).includes(one));
}

describe("docs/bridge.md", () => {
  it("every example line in docs/bridge.md was really sent", async () => {
    const sent = new Set((await example()).map(({ msg }) => JSON.stringify(msg)));
    assert.ok(shown.length > 20);
    for (const line of shown) assert.ok(sent.has(line), line);
  });

  it("docs/bridge.md has a section and an example for every message and error code", () => {
    const examples = shown.map((line): Record<string, any> => JSON.parse(line));
    for (const type of [...typesOf(ClientMessage), ...typesOf(BridgeMessage)]) {
      assert.match(page, new RegExp(`^### ${type.replace(".", "\\.")}$`, "m"), type);
      assert.ok(
        examples.some((message) => message["type"] === type),
        type,
      );
    }
    const codes = ErrorCode.node.kind === "enum" ? ErrorCode.node.values : [];
    assert.equal(codes.length, 7);
    for (const code of codes) {
      assert.ok(
        examples.some(({ payload }) => payload.code === code),
        code,
      );
      assert.ok(page.includes(`| error ${code} |`), code);
    }
  });

  it("docs/bridge.md lists every option and query method", () => {
    const options = SessionOptions.node.kind === "object" ? Object.keys(SessionOptions.node.fields) : [];
    assert.ok(options.length > 20);
    for (const name of [...options, ...queryMethods]) assert.ok(page.includes(`\`${name}\``), name);
  });

  it("docs/bridge.md names an existing test for each message and error code", () => {
    const rows = [...page.matchAll(/^\| (.+?) \| `(spec\/.+?)`: (.+) \|$/gm)];
    for (const [, , file = "", name = ""] of rows) assert.ok(isTest(readText(file), name), `${file}: ${name}`);
    const covered = new Set(rows.map(([, what = ""]) => what.split(",")[0]));
    const codes = ErrorCode.node.kind === "enum" ? ErrorCode.node.values : [];
    const types = [...typesOf(ClientMessage), ...typesOf(BridgeMessage).filter((type) => type !== "error")];
    for (const what of [...types, ...codes.map((code) => `error ${code}`)]) assert.ok(covered.has(what), what);
    for (const kind of typesOf(CallbackQuestion)) assert.ok(page.includes(`| callback.request, ${kind} |`), kind);
  });

  it("the examples of docs/bridge.md match the protocol's schemas", async () => {
    for (const { dir, msg } of await example()) {
      const schema: Schema<unknown> = dir === "in" ? ClientMessage : BridgeMessage;
      if (msg["type"] !== "session.dance") assert.ok(!(schema.read(msg) instanceof Fault), JSON.stringify(msg));
    }
  });
});
