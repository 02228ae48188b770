/**
 * Live specs of the inspector with a tape of 200 MB: the built program writes the page, and
 * a real browser opens it without blocking.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { appendFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import { launchBrowser, noBrowser } from "../../support/serve/browser.ts";
import { scratch } from "../../support/program/run-program.ts";
import { acp, answered, chunk, prompt, updated } from "../../support/program/inspector-modules.ts";

const built = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));
/** The program reads the tape row by row; as a whole it takes more than a gigabyte. */
const heapMegabytes = 64;
const tapeBytes = 200 * 1024 * 1024;
/** Generous: 0.2 s were measured on a busy machine with two cores. */
const maxTaskMs = 1500;
/** Counts the tasks that block the page; runs before its script. */
const observer = `globalThis.tasks = [];
new PerformanceObserver((list) => globalThis.tasks.push(...list.getEntries().map(({ duration }) => duration)))
  .observe({ entryTypes: ["longtask"] });`;

/** Writes a tape of many turns of 20 sessions; returns the number of rows. */
function writeLargeTape(path: string): number {
  let [bytes, rows, t] = [0, 0, 0];
  for (let turn = 0; bytes < tapeBytes; turn++) {
    const session = `session-${turn % 20}`;
    const lines = [prompt(++t, turn, `question ${turn}`, session)];
    for (let i = 0; i < 400; i++) {
      lines.push(chunk(++t, `word ${i * turn} of turn ${turn}, `, session));
      if (i % 20 !== 0) continue;
      const call = { toolCallId: `c${turn}-${i}`, title: `Read file ${i}` };
      lines.push(updated(++t, { sessionUpdate: "tool_call", ...call, status: "pending" }, session));
      const content = [{ type: "content", content: { type: "text", text: `${turn * i} `.repeat(300) } }];
      lines.push(
        updated((t += 30), { sessionUpdate: "tool_call_update", ...call, status: "completed", content }, session),
      );
      lines.push(
        acp("out", ++t, {
          method: "session/update",
          params: { sessionId: session, update: { sessionUpdate: "plan", entries: [] } },
        }),
      );
    }
    lines.push(answered(++t, turn));
    const text = `${lines.map((line) => JSON.stringify(line)).join("\n")}\n`;
    appendFileSync(path, text);
    bytes += text.length;
    rows += lines.length;
  }
  return rows;
}

describe("bowline inspect with a large tape", { skip: noBrowser }, () => {
  it("a tape of 200 MB becomes a smaller page, which opens, scrolls and searches without blocking", async () => {
    const tape = join(scratch(), "large.ndjson");
    const rows = writeLargeTape(tape);
    const page = execFileSync(process.execPath, [`--max-old-space-size=${heapMegabytes}`, built, "inspect", tape], {
      encoding: "utf8",
    }).trim();
    assert.ok(statSync(page).size < tapeBytes / 2, `${statSync(page).size} bytes`);
    const browser = await launchBrowser();
    try {
      const view = await browser.newPage({ viewport: { width: 1320, height: 860 } });
      view.setDefaultTimeout(180_000);
      await view.addInitScript(observer);
      await view.goto(pathToFileURL(page).href, { waitUntil: "commit" });
      await view.waitForSelector("html[data-ready]");
      assert.equal(await view.locator("html").getAttribute("data-ready"), String(rows));
      await view.locator("#flat").click();
      await view.keyboard.press("End");
      assert.match(await view.locator('[aria-selected="true"]').innerText(), /session\/prompt[\s\S]*end_turn/);
      assert.ok((await view.locator("*").count()) < 1500, "few elements");
      await view.fill("#search", "question 77");
      await view.locator("#count", { hasText: / of / }).waitFor();
      const longest = await view.evaluate<number>("Math.max(0, ...globalThis.tasks)");
      assert.ok(longest < maxTaskMs, `${longest} ms`);
    } finally {
      await browser.close();
    }
  });
});
