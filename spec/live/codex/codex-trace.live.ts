/**
 * A live spec of the editor's trace in the real Codex: its spans belong to the trace.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { describe, it } from "node:test";
import { say } from "../../support/live/api/fake-responses-api.ts";
import { inCodexSession } from "../../support/live/codex/codex-agent.ts";

const traceId = "0af7651916cd43dd8448eb211c80319c";

describe("the editor's trace in Codex", () => {
  it("the spans of a turn of Codex have the trace id that the client gave to the session", async () => {
    let spans = "";
    let onSpans = (): void => {};
    const arrived = new Promise<void>((resolve) => (onSpans = resolve));
    const collector = createServer((request, response) => {
      void text(request).then((body) => {
        spans += body;
        response.end("{}");
        if (spans.includes(traceId)) onSpans();
      });
    });
    collector.listen(0, "127.0.0.1");
    await once(collector, "listening");
    const { port } = collector.address() as AddressInfo;
    const exporter = `{ otlp-http = { endpoint = "http://127.0.0.1:${port}/v1/traces", protocol = "json" } }`;
    try {
      await inCodexSession(
        { talk: [say("Good day.")] },
        async ({ tell, client }) => {
          await tell("[[talk]] greet");
          await client.hangUp();
          await Promise.race([arrived, new Promise((resolve) => setTimeout(resolve, 20_000).unref())]);
        },
        {
          home: { tables: `[otel]\ntrace_exporter = ${exporter}\n` },
          session: { _meta: { traceparent: `00-${traceId}-b7ad6b7169203331-01` } },
        },
      );
    } finally {
      collector.closeAllConnections();
      collector.close();
    }
    assert.ok(new RegExp(`"traceId":\\s*"${traceId}"`).test(spans), "no span belongs to the trace");
  });
});
