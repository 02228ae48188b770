/**
 * `bowline trace`: spans of a tape and of a live session, in the form of OTLP.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { readFileSync, statSync, writeFileSync } from "node:fs";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { after, describe, it } from "node:test";
import { readHeaders, tracesUrl } from "../../../lib/program/trace/otlp-environment.ts";
import { readTraceParent } from "../../../lib/program/trace/span.ts";
import { SpanExporter } from "../../../lib/program/trace/span-exporter.ts";
import type { Span } from "../../../lib/program/trace/span.ts";
import { bowline } from "../../support/program/fake-terminal.ts";
import { run, scratch } from "../../support/program/run-program.ts";
import { fakeClock } from "../../support/fake-clock.ts";

interface OtlpSpan {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: number;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: Readonly<Record<string, unknown>> }[];
  readonly status?: { readonly code: number; readonly message: string };
}

const place = scratch();
const parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01";
const secret = "the secret plan";

function tapeOf(messages: readonly (readonly [dir: "in" | "out", t: number, msg: object])[]): string {
  const path = join(place, "tape.ndjson");
  const rows = messages.map(([dir, t, msg]) => ({ dir, t, side: "acp", msg }));
  const lines = [{ dir: "meta", t: 0, tape: 1, start: "2026-02-01T00:00:00.000Z" }, ...rows];
  writeFileSync(path, lines.map((line) => JSON.stringify(line)).join("\n"));
  return path;
}

function update(fields: object): object {
  return { method: "session/update", params: { sessionId: "s", update: fields } };
}

function session(promptMeta: object = {}): string {
  return tapeOf([
    ["in", 0, { id: 0, method: "initialize", params: {} }],
    ["out", 1, { id: 0, result: { agentInfo: { name: "gemini" } } }],
    ["in", 2, { id: 1, method: "session/new", params: { cwd: "/work/b" } }],
    ["out", 3, { id: 1, result: { sessionId: "s", models: { currentModelId: "pro" } } }],
    [
      "in",
      10,
      { id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [{ text: secret }], ...promptMeta } },
    ],
    ["out", 20, update({ sessionUpdate: "agent_message_chunk", content: { type: "text", text: secret } })],
    ["out", 30, update({ sessionUpdate: "tool_call", toolCallId: "t", title: secret, kind: "edit", name: "Edit" })],
    ["out", 40, { id: 7, method: "session/request_permission", params: permission }],
    ["in", 90, { id: 7, result: { outcome: { outcome: "selected", optionId: "no" } } }],
    ["out", 95, update({ sessionUpdate: "tool_call_update", toolCallId: "t", status: "failed" })],
    ["out", 99, update({ sessionUpdate: "tool_call", toolCallId: "u", title: "x", kind: "read" })],
    [
      "out",
      100,
      { id: 2, result: { stopReason: "end_turn", usage: { inputTokens: 5, outputTokens: 6, totalTokens: 11 } } },
    ],
  ]);
}

const permission = {
  sessionId: "s",
  toolCall: { toolCallId: "t" },
  options: [{ optionId: "no", kind: "reject_once", name: "No" }],
};

function spansIn(lines: string): readonly OtlpSpan[] {
  return lines
    .trim()
    .split("\n")
    .flatMap((line) => {
      const { resourceSpans } = JSON.parse(line) as {
        resourceSpans: { scopeSpans: { spans: OtlpSpan[] }[] }[];
      };
      return resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans));
    });
}

function attribute(span: OtlpSpan | undefined, key: string): unknown {
  return Object.values(span?.attributes.find((one) => one.key === key)?.value ?? {})[0];
}

async function traced(...words: readonly string[]): Promise<readonly OtlpSpan[]> {
  const { code, stdout, stderr } = await bowline(["trace", ...words], { env: {} });
  assert.equal(code, 0, stderr);
  return spansIn(stdout);
}

describe("bowline trace of a tape", () => {
  it("a prompt, its tool calls and the wait for a permission are spans below each other, with their times", async () => {
    const spans = await traced(session());
    const byName = new Map(spans.map((span) => [span.name, span]));
    const [prompt, call, asked] = ["invoke_agent gemini", "execute_tool Edit", "permission"].map((name) =>
      byName.get(name),
    );
    assert.equal(prompt?.parentSpanId, undefined);
    assert.equal(call?.parentSpanId, prompt?.spanId);
    assert.equal(asked?.parentSpanId, call?.spanId);
    assert.deepEqual(new Set([prompt, call, asked].map((span) => span?.traceId)).size, 1);
    assert.equal(prompt?.startTimeUnixNano, `${BigInt(Date.parse("2026-02-01T00:00:00.010Z")) * 1_000_000n}`);
    assert.equal(prompt?.endTimeUnixNano, `${BigInt(Date.parse("2026-02-01T00:00:00.100Z")) * 1_000_000n}`);
    assert.equal(attribute(asked, "bowline.permission.answer"), "reject_once");
    assert.deepEqual(call?.status, { code: 2, message: "failed" });
  });

  it("a prompt has the attributes of the conventions for generative AI", async () => {
    const prompt = (await traced(session())).find(({ name }) => name.startsWith("invoke_agent"));
    const wanted = {
      "gen_ai.operation.name": "invoke_agent",
      "gen_ai.agent.name": "gemini",
      "gen_ai.conversation.id": "s",
      "gen_ai.request.model": "pro",
      "gen_ai.usage.input_tokens": "5",
      "gen_ai.usage.output_tokens": "6",
    };
    for (const [key, value] of Object.entries(wanted)) assert.equal(attribute(prompt, key), value, key);
    assert.deepEqual(attribute(prompt, "gen_ai.response.finish_reasons"), { values: [{ stringValue: "end_turn" }] });
  });

  it("no text of a message, no title and no path is exported unless an option asks for it", async () => {
    const { stdout } = await bowline(["trace", session()], { env: {} });
    assert.ok(!stdout.includes(secret));
    const call = (await traced(session(), "--content")).find(({ name }) => name === "execute_tool Edit");
    assert.equal(attribute(call, "bowline.tool.title"), secret);
  });

  it("control characters of a tape are JSON escapes in the spans, and times of any size are written", async () => {
    const title = "a\u009b2Jb\u202ec";
    const path = tapeOf([
      ["in", -9, { id: 1, method: "session/new", params: { cwd: "/work/b" } }],
      ["out", -8, { id: 1, result: { sessionId: "s" } }],
      ["in", -5, { id: 2, method: "session/prompt", params: { sessionId: "s", prompt: [] } }],
      ["out", 1e18, update({ sessionUpdate: "tool_call", toolCallId: "t", title, kind: "edit", name: "Edit" })],
      ["out", 1e308, { id: 2, result: { stopReason: "end_turn" } }],
    ]);
    const { code, stdout, stderr } = await bowline(["trace", path, "--content"], { env: {} });
    assert.equal(code, 0, stderr);
    assert.doesNotMatch(stdout, /[\u0080-\u009f\u202e]/);
    const call = spansIn(stdout).find(({ name }) => name === "execute_tool Edit");
    assert.equal(attribute(call, "bowline.tool.title"), title);
    assert.match(call?.startTimeUnixNano ?? "", /^\d+$/);
  });

  it("a traceparent of the prompt is the parent of its span, and an invalid one is ignored", async () => {
    const [traceId, spanId] = parent.split("-").slice(1, 3);
    const prompt = async (traceparent: string): Promise<OtlpSpan | undefined> =>
      (await traced(session({ _meta: { traceparent } }))).find(({ name }) => name.startsWith("invoke_agent"));
    const inside = await prompt(parent);
    assert.deepEqual([inside?.traceId, inside?.parentSpanId], [traceId, spanId]);
    assert.equal((await prompt(`00-${"0".repeat(32)}-${spanId}-01`))?.parentSpanId, undefined);
    assert.equal(readTraceParent("ff-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"), undefined);
    assert.equal(readTraceParent(5), undefined);
  });

  it("a tool call without an end is a span that says so, and the same tape gives the same ids", async () => {
    const spans = await traced(session());
    const open = spans.find(({ name }) => name === "execute_tool read");
    assert.equal(attribute(open, "error.type"), "unfinished");
    assert.deepEqual(await traced(session()), spans);
    assert.equal(new Set(spans.map(({ spanId }) => spanId)).size, spans.length);
  });

  it("-o writes a file that only its owner can read", async () => {
    const file = join(place, "spans.json");
    const { code, stdout } = await bowline(["trace", session(), "-o", file], { env: {} });
    assert.deepEqual([code, stdout], [0, ""]);
    assert.equal(spansIn(readFileSync(file, "utf8")).length, 5);
    assert.equal(statSync(file).mode & 0o077, 0);
  });
});

describe("bowline trace to an endpoint", () => {
  const received: { readonly url: string | undefined; readonly headers: IncomingHttpHeaders; readonly body: string }[] =
    [];
  let status = 200;
  const collector: Server = createServer((request, response) => {
    void text(request).then((body) => {
      received.push({ url: request.url, headers: request.headers, body });
      response.writeHead(status).end("{}");
    });
  });
  after(() => collector.close());

  async function endpoint(): Promise<string> {
    if (!collector.listening) {
      collector.listen(0, "127.0.0.1");
      await once(collector, "listening");
    }
    return `http://127.0.0.1:${(collector.address() as AddressInfo).port}`;
  }

  it("spans of a tape are posted as JSON, with the headers of OpenTelemetry's variable", async () => {
    const env = { OTEL_EXPORTER_OTLP_ENDPOINT: await endpoint(), OTEL_EXPORTER_OTLP_HEADERS: "x-key=a%20b, =c" };
    const { code, stdout } = await bowline(["trace", session()], { env });
    assert.deepEqual([code, stdout], [0, ""]);
    const [{ url, headers, body } = { url: "", headers: {}, body: "" }] = received;
    assert.equal(url, "/v1/traces");
    assert.deepEqual([headers["content-type"], headers["x-key"]], ["application/json", "a b"]);
    assert.equal(spansIn(body).length, 5);
  });

  it("an endpoint that refuses the spans makes the command fail with its status", async () => {
    status = 401;
    const { code, stderr } = await bowline(["trace", session(), "--endpoint", await endpoint()], { env: {} });
    status = 200;
    assert.equal(code, 1);
    assert.match(
      stderr,
      /the trace endpoint does not take spans: it answered 401; the session goes on\n.*5 spans were not sent/s,
    );
  });

  it("a live session passes unchanged, and its spans are sent when it ends", async () => {
    received.length = 0;
    const live = run(["trace", "--endpoint", await endpoint(), "--", process.execPath, "-e", echoAgent]);
    live.child.stdin.write(
      `${JSON.stringify({ jsonrpc: "2.0", id: 1, method: "session/prompt", params: { sessionId: "s" } })}\n`,
    );
    await live.says('"stopReason"');
    live.child.stdin.end();
    const { code, stdout } = await live.ended;
    assert.equal(code, 0);
    assert.equal(stdout.toString(), '{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}\n');
    assert.deepEqual(
      received.flatMap(({ body }) => spansIn(body)).map(({ name }) => name),
      ["invoke_agent agent"],
    );
  });
});

const echoAgent = `process.stdin.once("data", () => console.log('{"jsonrpc":"2.0","id":1,"result":{"stopReason":"end_turn"}}'))`;

describe("the exporter of spans", () => {
  const span: Span = {
    traceId: "1",
    spanId: "2",
    parentSpanId: undefined,
    name: "n",
    kind: "internal",
    startMs: 0,
    endMs: 0,
    attributes: {},
    error: undefined,
  };

  it("the exporter of spans tries again while the endpoint is overloaded, gives up after three tries, and warns once", async () => {
    const clock = fakeClock();
    const warnings: string[] = [];
    let calls = 0;
    const exporter = new SpanExporter({
      send: () => Promise.resolve(++calls < 3 ? 503 : 200),
      after: (_ms, go) => clock.after(0, go),
      warn: (sentence) => warnings.push(sentence),
    });
    exporter.add(span);
    const ended = exporter.end();
    for (let i = 0; i < 20; i++) await Promise.resolve().then(() => clock.advance(1));
    await ended;
    assert.deepEqual([calls, exporter.lost, warnings], [3, 0, []]);
  });

  it("the queue of spans has a limit; spans beyond it are dropped and counted", async () => {
    const warnings: string[] = [];
    const exporter = new SpanExporter({
      send: () => Promise.reject(new Error("refused")),
      after: (_ms, go) => (queueMicrotask(go), () => {}),
      warn: (sentence) => warnings.push(sentence),
    });
    for (let i = 0; i < 12_000; i++) exporter.add(span);
    await exporter.end();
    assert.equal(exporter.lost, 12_000);
    assert.deepEqual(warnings, ["the trace endpoint does not take spans: it cannot be reached; the session goes on"]);
  });
});

describe("OpenTelemetry's variables", () => {
  it("the address for spans is the endpoint with /v1/traces, or the whole address that is given for them", () => {
    assert.equal(tracesUrl("http://a:1", {}), "http://a:1/v1/traces");
    assert.equal(tracesUrl("http://a:1/x/", {}), "http://a:1/x/v1/traces");
    assert.equal(tracesUrl(undefined, { OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "http://a:1/x" }), "http://a:1/x");
    assert.equal(tracesUrl(undefined, {}), undefined);
    assert.throws(() => tracesUrl("ftp://a", {}), /must be an address that begins with http/);
  });

  it("a header that could end the line is left out", () => {
    assert.deepEqual(readHeaders("a=1,b=x%0d%0ay,c d=3,e=%zz"), { a: "1", e: "%zz" });
  });
});
