/**
 * docs/serve.md: its exchanges are real responses of the server, and it covers the
 * whole protocol.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { compileFunction } from "node:vm";
import { readText } from "../support/files.ts";
import { update } from "../../lib/acp/index.ts";
import { scriptedAgent } from "../support/serve/scripted-agent.ts";
import { exchanges } from "../support/serve/http-example.ts";
import { proxyTo } from "../support/serve/proxy.ts";
import { served, token } from "../support/serve/test-server.ts";

const page = readText("docs/serve.md");
const shown = [...page.matchAll(/^```http\n([\s\S]*?)\n```$/gm)].map(([, exchange = ""]) => exchange);

describe("docs/serve.md", () => {
  it("every exchange in docs/serve.md equals a real response", async () => {
    const answered = new Set(await exchanges());
    assert.ok(shown.length >= 18);
    for (const exchange of shown) assert.ok(answered.has(exchange), exchange);
  });

  it("docs/serve.md has an example of every route", () => {
    const routes = readText("lib/serve/routes.ts").matchAll(
      /^ {4}"?([a-z/*-]+)"?: \{((?:.|\n {6,})*?)(?:\n {4})?\},$/gm,
    );
    let count = 0;
    for (const [, shape = "", handlers = ""] of routes) {
      // ACP and its tickets: docs/remote.md.
      if (shape === "page/*" || shape === "tickets" || shape === "acp") continue;
      for (const [, method = ""] of handlers.matchAll(/\b(GET|POST|DELETE): /g)) {
        count++;
        const path = shape.replaceAll("*", "[\\w-]+");
        const example = new RegExp(`^${method} /${path}\n`);
        assert.ok(
          shown.some((exchange) => example.test(exchange)),
          `${method} /${shape}`,
        );
        const heading = shape
          .replace("sessions/*", "sessions/{id}")
          .replace("options/*", "options/{configId}")
          .replace("tasks/*", "tasks/{taskId}")
          .replace("saved/*", "saved/{id}")
          .replace("forms/*", "forms/{requestId}")
          .replace("permissions/*", "permissions/{requestId}")
          .replace("questions/*", "questions/{questionId}");
        assert.ok(page.includes(`\n### ${method} /${heading}\n`), `### ${method} /${heading}`);
      }
    }
    assert.equal(count, 27);
  });

  it("docs/serve.md lists every error with its status", () => {
    const table = /const statuses = \{([\s\S]*?)\}/.exec(readText("lib/serve/http-error.ts"))?.[1] ?? "";
    const codes = [...table.matchAll(/(\w+): (\d+)/g)];
    assert.equal(codes.length, 15);
    for (const [, code, status] of codes) assert.ok(page.includes(`\n| ${status} | \`${code}\` |`), code);
  });

  it("the minimal page in docs/serve.md works, also across a broken connection", async () => {
    const script = /^```js\n([\s\S]*?)^```$/m.exec(page)?.[1] ?? assert.fail("no script");
    let goOn = (): void => {};
    const player = scriptedAgent(async ({ show }) => {
      await show(update.agentMessage("before"));
      await new Promise<void>((resolve) => (goOn = resolve));
      await show(update.agentMessage("after"));
    });
    const harness = await served({ startAgent: player.start });
    const proxy = await proxyTo(harness.url);
    const shownTexts: string[] = [];
    let leave = (): void => {};
    const left = new Promise<void>((resolve) => (leave = resolve));
    const ended = new Promise<void>((resolve) => {
      const log = ({
        type,
        content,
      }: {
        readonly type: string;
        readonly content?: { readonly text: string };
      }): void => {
        if (content !== undefined) shownTexts.push(content.text);
        if (content?.text === "before") {
          proxy.cut();
          proxy.restore();
          goOn();
        }
        if (type === "prompt_response") resolve();
      };
      const go = async (path: string, init: RequestInit): Promise<Response> => {
        const response = await fetch(new URL(path, proxy.url), init);
        if (response.status === 404) leave();
        return response;
      };
      const body = `return (async () => {${script}})();`;
      const run = compileFunction(body, ["location", "fetch", "console"]);
      run({ hash: `#token=${token}` }, go, { log });
    });
    await ended;
    assert.deepEqual(shownTexts, ["What is in this directory?", "before", "after"]);
    await harness.call("POST", `/sessions/${player.opened[0]?.sessionId}/close`);
    await left;
    proxy.close();
    await harness.close();
  });

  it("every link in docs/serve.md leads to an existing place", () => {
    const anchors = new Set([...page.matchAll(/^#+ (.+)$/gm)].map(([, title = ""]) => anchorOf(title)));
    for (const [, anchor = ""] of page.matchAll(/\]\(#([^)]+)\)/g)) assert.ok(anchors.has(anchor), anchor);
  });
});

function anchorOf(title: string): string {
  return title
    .toLowerCase()
    .replaceAll(/[^\w\s-]/g, "")
    .replaceAll(" ", "-");
}
