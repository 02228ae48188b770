/**
 * The web page in a real browser.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { permissionOption, toolContent, update } from "../../../lib/acp/index.ts";
import { errorCodes, RpcError } from "../../../lib/rpc/index.ts";
import { nestedList } from "../../support/hostile-markdown.ts";
import { type ScriptedAgent, scriptedAgent, cancelled, type TurnScript } from "../../support/serve/scripted-agent.ts";
import {
  faintTexts,
  launchBrowser,
  noBrowser,
  openPage,
  type Opened,
  picture,
  send,
  settled,
  shown,
} from "../../support/serve/browser.ts";
import { proxyTo } from "../../support/serve/proxy.ts";
import { type Served, served, token } from "../../support/serve/test-server.ts";
import { hostile, showcase } from "../../support/serve/showcase.ts";
import { tapedClaude } from "../../support/serve/tape-agent.ts";

if (noBrowser !== false) process.stderr.write(`the page is not tested: ${noBrowser}\n`);

describe("the page", () => {
  if (noBrowser !== false) return void it("the page is tested in a real browser", { skip: noBrowser });
  let browser: Browser;
  before(async () => (browser = await launchBrowser()));
  after(() => browser.close());

  interface Visit extends Opened {
    readonly harness: Served;
  }

  async function visit(
    startAgent: ScriptedAgent["start"],
    run: (visit: Visit) => Promise<void>,
    { look = {}, ...options }: Partial<Parameters<typeof served>[0]> & { look?: Parameters<typeof openPage>[2] } = {},
  ): Promise<void> {
    const harness = await served({ startAgent, roots: [process.cwd()], ...options });
    const opened = await openPage(browser, harness.url, look);
    try {
      await run({ ...opened, harness });
      assert.deepEqual(harness.bugs, []);
    } finally {
      await opened.close();
      await harness.close();
    }
  }

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

  it("the page shows a recorded session with a question, a click and the end, and the same after a reload", () =>
    visit(tapedClaude("edit").start, async ({ page, complaints }) => {
      await send(page, "Say planet instead of world");
      await button(page, "Allow").click();
      await settled(page);
      const text = await shown(page);
      assert.equal(
        text.replace(/\s+/g, " "),
        "Say planet instead of worldRead hello.txtCopyhello world second lineEdited hello.txt" +
          "1-hello world1+hello planet22 second lineEdited.",
      );
      await page.reload();
      await page.locator(".message").waitFor();
      assert.equal(await shown(page), text);
      assert.deepEqual(complaints, []);
    }));

  it("the page shows every kind of packet, live and after a reload, during and after the turn", () =>
    visit(scriptedAgent(showcase).start, async ({ page, complaints }) => {
      await send(page, "Take the port from the environment");
      await button(page, "Allow").waitFor();
      assert.equal(await page.getByText("The agent waits for your answer").isVisible(), true);
      const asking = await shown(page);
      await page.reload();
      await button(page, "Allow").waitFor();
      assert.equal(await shown(page), asking);
      await button(page, "Allow").click();
      await settled(page);
      const ended = await shown(page);
      const html = await page.locator("#log").innerHTML();
      await page.reload();
      await page.getByText("Restart the server").waitFor();
      assert.equal(await shown(page), ended);
      assert.equal(await page.locator("#log").innerHTML(), html);
      assert.deepEqual(complaints, []);
      assert.equal(await page.locator(".thought summary").textContent(), "Thinking");
      assert.equal(await page.locator(".thought").getAttribute("open"), null);
      assert.deepEqual(await page.locator(".plan li").allTextContents(), [
        "Read the server",
        "Take the port from the environment",
        "Run the tests",
      ]);
      assert.deepEqual(await page.locator(".diff").first().locator("tr.added .line").allTextContents(), [
        'const port = Number(process.env["PORT"] ?? 8080);',
        '  response.setHeader("content-type", "text/plain");',
        "  response.end(`hello ${request.url}\\n`);",
      ]);
      assert.deepEqual(await page.locator(".diff").first().locator("tr.taken .old").allTextContents(), ["3", "7"]);
      assert.match(await page.locator(".tool.failed .head").innerText(), /Ran npm run lint\s+exit 1/);
      assert.match(await page.locator(".artifact").innerText(), /Web app\s+index\.html\s+public\/index\.html/);
      assert.equal(await page.locator(".message strong").last().textContent(), "The port");
      assert.equal(await page.locator(".message ul ul li").textContent(), "so browsers do not guess");
      assert.deepEqual(await page.locator(".message th").allTextContents(), ["before", "after"]);
      const link = page.getByRole("link", { name: "the documentation" });
      assert.equal(await link.getAttribute("href"), "https://nodejs.org/api/http.html");
      assert.equal(await link.getAttribute("rel"), "noopener noreferrer");
    }));

  it("the page shows text with markup as text, and its policy refuses to turn text into markup", () => {
    const script: TurnScript = async ({ show }) => {
      await show(update.agentThought(hostile));
      await show(update.toolCall({ toolCallId: "x", title: hostile, kind: "other", status: "completed" }));
      await show(update.agentMessage(`${hostile}\n\n\`\`\`${hostile}\n${hostile}\n\`\`\`\n\n| ${hostile} |\n`));
      throw new RpcError(errorCodes.internalError, hostile);
    };
    return visit(scriptedAgent(script).start, async ({ page, complaints }) => {
      await send(page, hostile);
      await page.locator(".error").waitFor();
      const elements = await page.locator("#log img, #log script, #log a, body > img").count();
      assert.equal(elements, 0);
      assert.equal(await page.locator(".said .words").textContent(), hostile);
      assert.ok((await page.locator(".error").textContent())?.includes("<img src=x onerror="));
      assert.ok((await page.locator(".entry .name").textContent())?.startsWith("<img src=x onerror="));
      assert.doesNotMatch(await page.title(), /^broken in$/);
      assert.deepEqual(complaints, []);
      // Even a bug in the page could not: the policy lets no text become markup or script.
      const escape = page.evaluate("document.body.innerHTML = '<img src=x>'");
      await assert.rejects(escape, /TrustedHTML/);
      await assert.rejects(
        page.evaluate("document.body.appendChild(document.createElement('script')).text = 'x'"),
        /TrustedScript|Trusted/,
      );
    });
  });

  it("the page shows a reply with thousands of nested quotes and lists, and the question after it", () => {
    const texts = [">".repeat(3000), nestedList(400), `${"*".repeat(100_000)} end of it`];
    let answered = 0;
    const script: TurnScript = async ({ show, ask }) => {
      for (const [i, text] of texts.entries()) {
        await show(update.agentMessage(`${text}\n\n`));
        await ask({
          toolCallId: `call${i}`,
          title: `Question ${i}`,
          kind: "execute",
          rawInput: { command: `run ${i}` },
        });
        answered++;
      }
    };
    return visit(scriptedAgent(script).start, async ({ page, complaints }) => {
      await send(page, "Nest");
      // The page is busy drawing; a click that comes while a question moves is ignored, as it should be.
      while (answered < texts.length) {
        await button(page, "Allow")
          .click({ timeout: 2000 })
          .catch(() => {});
        await page.waitForTimeout(700);
      }
      await settled(page);
      assert.match(await shown(page), /level399[^]*end of it/);
      await page.reload();
      await page.getByText("end of it").waitFor();
      assert.match(await shown(page), /level399[^]*end of it/);
      assert.deepEqual(complaints, []);
    });
  });

  it("the stop button and Escape stop a turn", () => {
    const counting: TurnScript = async (turn) => {
      await turn.show(update.agentMessage("one, two"));
      await cancelled(turn);
    };
    return visit(scriptedAgent(counting).start, async ({ page }) => {
      await send(page, "Count");
      await page.getByText("one, two").waitFor();
      await button(page, "Stop").click();
      await settled(page);
      await send(page, "Count again");
      await page.getByText("one, two").nth(1).waitFor();
      await page.keyboard.press("Escape");
      await settled(page);
      assert.deepEqual(await page.locator(".stopped").allTextContents(), ["Stopped.", "Stopped."]);
      assert.equal(await button(page, "Stop").isVisible(), false);
    });
  });

  it("the page shows a queued message and sends it when its turn comes", () => {
    const script: TurnScript = async (turn) => {
      await turn.show(update.agentMessage(`answer to ${turn.prompt[0]?.type === "text" ? turn.prompt[0].text : ""}`));
      if (turn.prompt[0]?.type === "text" && turn.prompt[0].text === "one") await cancelled(turn);
    };
    return visit(scriptedAgent(script).start, async ({ page }) => {
      await send(page, "one");
      await page.getByText("answer to one").waitFor();
      await send(page, "two");
      assert.deepEqual(await page.locator("#waiting .said").allTextContents(), ["two"]);
      await page.keyboard.press("Escape");
      await page.getByText("answer to two").waitFor();
      assert.equal(await page.locator("#waiting .said").count(), 0);
      assert.deepEqual(await page.locator("#log .said .words").allTextContents(), ["one", "two"]);
    });
  });

  it("the page puts back a message that could not be sent, and no other queued message", () => {
    const script: TurnScript = async (turn) => {
      await turn.show(update.agentMessage("answer to one"));
      await cancelled(turn);
    };
    return visit(scriptedAgent(script).start, async ({ page }) => {
      await send(page, "one");
      await page.getByText("answer to one").waitFor();
      let arrive = (): void => {};
      const arrived = new Promise<void>((resolve) => (arrive = resolve));
      // The second message fails when the third is already queued.
      await page.route("**/send-message", async (route) => {
        const isSecond = route.request().postDataJSON().content === "two";
        if (!isSecond) arrive();
        await arrived;
        await (isSecond ? route.abort() : route.continue());
      });
      await send(page, "two");
      await send(page, "three");
      await page.locator("#waiting .said", { hasText: "two" }).waitFor({ state: "detached" });
      assert.deepEqual(await page.locator("#waiting .said").allTextContents(), ["three"]);
    });
  });

  describe("the page when its connection breaks during a turn", () => {
    /** Cuts the connection after the first word, and restores it when the turn has ended. */
    async function breakLine(words: readonly string[], maxEventLogBytes?: number): Promise<string | null> {
      let goOn = (): void => {};
      const script: TurnScript = async ({ show }) => {
        await show(update.agentMessage("Opening words. "));
        await new Promise<void>((resolve) => (goOn = resolve));
        for (const word of words) await show(update.agentMessage(word));
      };
      const harness = await served({ startAgent: scriptedAgent(script).start, maxEventLogBytes });
      const proxy = await proxyTo(harness.url);
      const { page, close } = await openPage(browser, proxy.url);
      try {
        await send(page, "Hello");
        await page.getByText("Opening words").waitFor();
        proxy.cut();
        await page.getByText("Reconnecting…").waitFor();
        goOn();
        proxy.restore();
        await page.getByText(words.at(-1)?.trim() ?? "").waitFor();
        await settled(page);
        assert.equal(await page.locator("#notice").isVisible(), false);
        assert.equal(await page.locator(".message").count(), 1);
        return await page.locator(".message .words").textContent();
      } finally {
        await close();
        proxy.close();
        await harness.close();
      }
    }

    it("the page reconnects, and misses and repeats nothing", async () => {
      assert.equal(await breakLine(["More. ", "Closing words."]), "Opening words. More. Closing words.");
    });

    it("the page reloads the messages when the events in between were dropped", async () => {
      const words = Array.from({ length: 100 }, (_, i) => `word-${i} `);
      assert.equal(await breakLine(words, 2000), `Opening words. ${words.join("")}`);
    });
  });

  it("the page asks for a missing token, reports a wrong one, and removes it from the address", () =>
    visit(
      scriptedAgent(({ show }) => show(update.agentMessage("hello"))).start,
      async ({ page, harness }) => {
        await page.getByText("Open the address that bowline serve printed").waitFor();
        await page.fill("#token", "wrong-wrong-wrong");
        await button(page, "Open").click();
        await page.getByText("Wrong token.").waitFor();
        await page.fill("#token", `${harness.url}#token=${token}`);
        await page.press("#token", "Enter");
        await page.getByText("What shall we work on?").waitFor();
        assert.ok(!page.url().includes(token));
        await page.goto(`${harness.url}#token=${token}`);
        await page.reload();
        await page.getByText("What shall we work on?").waitFor();
        assert.ok(!page.url().includes(token));
      },
      { look: { hash: "" } },
    ));

  it("the page lists sessions, switches between them, closes one, and opens a saved conversation", () => {
    const player = scriptedAgent(({ show, prompt }) => show(update.agentMessage(`re: ${JSON.stringify(prompt)}`)));
    player.past = [update.userMessage("Long ago", "m1"), update.agentMessage("It was")];
    return visit(player.start, async ({ page, harness }) => {
      await send(page, "First");
      await page.locator("#log .message").waitFor();
      await button(page, "New session").click();
      await page.getByText("What shall we work on?").waitFor();
      await send(page, "Second");
      await page.locator("#log .message").waitFor();
      await page.getByRole("button", { name: "First" }).click();
      await page.locator("#log .said", { hasText: "First" }).waitFor();
      assert.deepEqual(await page.locator("#log .said .words").allTextContents(), ["First"]);
      await page.goBack();
      await page.locator("#log .said", { hasText: "Second" }).waitFor();
      assert.equal(await page.locator(".entry[aria-current=page]").innerText(), "Second");
      await button(page, "Close").click();
      await page.getByText("What shall we work on?").waitFor();
      assert.deepEqual(await page.locator("#sessions .entry").allInnerTexts(), ["First"]);
      assert.equal((await harness.call("GET", "/sessions")).json.sessions.length, 1);
      await page.getByText("Earlier conversations").click();
      await page.locator("#saved-list .entry", { hasText: "An earlier talk" }).click();
      await page.locator("#log .said", { hasText: "Long ago" }).waitFor();
      assert.equal(await page.locator("#log .message .words").textContent(), "It was");
      assert.equal(await page.locator("#busy").isVisible(), false);
    });
  });

  it("the page shows an error and keeps the typed text", () => {
    const player = scriptedAgent();
    player.newSessionError = new RpcError(errorCodes.authRequired, "Claude is not signed in: run `claude auth login`");
    return visit(player.start, async ({ page }) => {
      await send(page, "Hello");
      await page.getByText("Claude is not signed in: run `claude auth login`.").waitFor();
      assert.equal(await page.inputValue("#text"), "Hello");
    });
  });

  const everyKind = [
    permissionOption("allow_once", "yes", "Allow"),
    permissionOption("allow_always", "always", "Always allow npm\u202e"),
    permissionOption("reject_once", "no", "Reject"),
  ];
  const told = (answer: string) => update.agentMessage(`answered ${answer}\n\n`);

  it("the page shows invisible characters of a question by their code points", () => {
    const command = 'touch a; \u202e# tset-mpn "\u2028ls\u00a0-l';
    const script: TurnScript = async ({ ask, show }) => {
      const rawInput = { command };
      const content = [toolContent.block(`why\u200b \`\`\`${command}\`\`\``)];
      await ask({ toolCallId: "1", title: command, kind: "execute", rawInput, content }, everyKind);
      const diff = toolContent.diff("/a\u202e.txt", "old\r\n", "new\u00ad 👩‍👩‍👧\r\n");
      await show(told(await ask({ toolCallId: "2", title: "Edit a\u202e.txt", kind: "edit", content: [diff] })));
    };
    return visit(scriptedAgent(script).start, async ({ page }) => {
      await send(page, "Go");
      await page.locator(".tool.asking").waitFor();
      const card = (await page.locator(".tool.asking").textContent()) ?? "";
      assert.match(card, /Run touch a; <U\+202E># tset-mpn "<U\+2028>ls<U\+00A0>-l/);
      assert.match(card, /why<U\+200B>/);
      assert.match(card, /Always allow npm<U\+202E>/);
      await picture(page, "hidden-characters");
      await button(page, "Allow").click();
      await page.locator(".tool.asking .diff").waitFor();
      assert.match((await page.locator(".tool.asking .head").textContent()) ?? "", /Edit \/a<U\+202E>\.txt/);
      assert.deepEqual(await page.locator(".tool.asking tr.added .line").allTextContents(), ["new<U+00AD> 👩‍👩‍👧"]);
      assert.doesNotMatch(await shown(page), /[\u202e\u2028\u200b\u00ad]/);
    });
  });

  it("a question about a tool of an MCP server shows its title and input, whatever the model puts into the input", () => {
    const rawInput = { query: "the weather", url: "https://example.org", description: "harmless", all: true };
    const call = { title: "bank: transfer", kind: "other", rawInput } as const;
    const script: TurnScript = async ({ ask, show }) => {
      await show(update.toolCall({ ...call, toolCallId: "1", name: "mcp__bank__transfer", status: "pending" }));
      await ask({ ...call, toolCallId: "1" });
      await ask({ ...call, toolCallId: "2", rawInput: { ...rawInput, subagent_type: "x", command: "ls" } });
      await ask({ ...call, toolCallId: "3", kind: "execute", rawInput: { command: "ls" } });
      await ask({ ...call, toolCallId: "4", name: "constructor" });
    };
    return visit(scriptedAgent(script).start, async ({ page, complaints }) => {
      await send(page, "Go");
      for (const id of [1, 2, 3, 4]) {
        const card = page.locator(".tool.asking").last();
        await card.waitFor();
        const text = (await card.textContent()) ?? "";
        assert.match(text, /bank: transfer/, `${id}`);
        assert.match(text, id === 3 ? /Run ls/ : /"all": true/, `${id}`);
        await button(page, "Allow").click();
        await page.locator(".tool.asking").filter({ hasText: text }).waitFor({ state: "hidden" });
      }
      await settled(page);
      assert.deepEqual(complaints, []);
    });
  });

  it("typing in the message field answers no question, and a question does not take the focus", () => {
    let ask = (): void => {};
    const asking = new Promise<void>((resolve) => (ask = resolve));
    const script: TurnScript = async (turn) => {
      await asking;
      const answer = await turn.ask({ toolCallId: "1", title: "rm -rf x", kind: "execute" }, everyKind);
      await turn.show(told(answer));
    };
    return visit(
      scriptedAgent(script, ({ show }) => show(update.agentMessage("second turn"))).start,
      async ({ page }) => {
        await send(page, "Go");
        await page.locator("#busy").waitFor();
        await page.keyboard.type("and then ");
        ask();
        await button(page, "Allow").waitFor();
        await page.keyboard.type("always yes");
        assert.equal(await page.evaluate("document.activeElement.id"), "text");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Enter");
        await page.keyboard.press("Space");
        assert.equal(await page.evaluate("document.activeElement.id"), "text");
        assert.deepEqual(await page.locator("#waiting .said").allTextContents(), ["and then always yes"]);
        assert.doesNotMatch(await shown(page), /answered/);
        await button(page, "Reject").click();
        await page.getByText("second turn").waitFor();
        assert.match(await shown(page), /answered no/);
      },
    );
  });

  it("a click meant for the previous question does not answer the next one", () => {
    const script: TurnScript = async ({ ask, show }) => {
      for (const toolCallId of ["1", "2"])
        await show(told(await ask({ toolCallId, title: `ls ${toolCallId}`, kind: "execute" }, everyKind)));
    };
    return visit(scriptedAgent(script).start, async ({ page }) => {
      await send(page, "Go");
      await button(page, "Allow").waitFor();
      // Clicks every button of the second question as soon as it appears, as a double click would.
      await page.evaluate(`new MutationObserver(() => {
        for (const one of document.querySelectorAll(".tool.asking button")) {
          if (!one.closest(".tool").textContent.includes("ls 2") || one.dataset.pressed) continue;
          one.dataset.pressed = "yes";
          one.click();
        }
      }).observe(document.getElementById("log"), { subtree: true, childList: true })`);
      await button(page, "Allow").click();
      await page.locator(".tool.asking button[data-pressed]").nth(2).waitFor();
      assert.equal(await page.locator(".tool.asking button:disabled").count(), 0);
      await button(page, "Reject").click();
      await page.getByText("answered no").waitFor();
    });
  });

  it("the button of a lasting answer stands apart and needs a click of its own", () => {
    const script: TurnScript = async ({ ask, show }) =>
      show(told(await ask({ toolCallId: "1", title: "ls", kind: "execute" }, everyKind)));
    return visit(scriptedAgent(script).start, async ({ page }) => {
      await send(page, "Go");
      await button(page, "Allow").waitFor();
      const names = await page.locator(".answers button").allTextContents();
      assert.deepEqual(names, ["Allow", "Reject", "Always allow npm<U+202E>"]);
      assert.equal(await page.locator(".answers .primary").textContent(), "Allow");
      await button(page, "Always allow npm<U+202E>").click();
      await page.getByText("answered always").waitFor();
    });
  });

  it("the page shows every line of a long change that needs permission", () => {
    const lines = Array.from({ length: 2000 }, (_, i) => `line ${i + 1}`);
    const content = [toolContent.diff("/a.txt", null, `${lines.join("\n")}\nrm -rf ./build\n`)];
    const script: TurnScript = async ({ ask, show }) =>
      show(told(await ask({ toolCallId: "1", title: "Write a.txt", kind: "edit", content }, everyKind)));
    return visit(scriptedAgent(script).start, async ({ page }) => {
      await send(page, "Go");
      await button(page, "Show the other 501 lines").click();
      const seen = await page.locator(".tool.asking tr.added .line").allTextContents();
      assert.deepEqual(seen, [...lines, "rm -rf ./build"]);
    });
  });

  it("the page can be used with the keyboard alone", () =>
    visit(scriptedAgent(showcase).start, async ({ page }) => {
      await page.locator("#text:focus").waitFor();
      await page.keyboard.type("Two");
      await page.keyboard.press("Shift+Enter");
      await page.keyboard.type("lines");
      assert.equal(await page.inputValue("#text"), "Two\nlines");
      await page.keyboard.press("Enter");
      await page.locator("button.primary:not([aria-disabled])", { hasText: "Allow" }).waitFor();
      assert.equal(await page.locator(".said .words").textContent(), "Two\nlines");
      // Backwards from the message field to the last answer.
      let name: string | null | undefined;
      for (let i = 0; i < 12 && name !== "Allow"; i++) {
        await page.keyboard.press("Shift+Tab");
        name = await page.evaluate<string>("document.activeElement.textContent");
      }
      assert.equal(name, "Allow");
      const outline = await page.evaluate("getComputedStyle(document.activeElement).outlineWidth");
      assert.equal(outline, "2px");
      await page.keyboard.press("Enter");
      await settled(page);
      assert.equal(
        await page.evaluate("document.activeElement.id"),
        "text",
        "the focus goes back to the message field",
      );
      assert.equal(await page.locator("#log").getAttribute("aria-live"), "polite");
    }));

  for (const scheme of ["light", "dark"] as const) {
    it(`the page is readable in ${scheme} colours, wide and at the width of a phone`, () =>
      visit(
        scriptedAgent(showcase).start,
        async ({ page }) => {
          await send(page, "Take the port from the environment");
          await button(page, "Allow").waitFor();
          await picture(page, `${scheme}-asking`);
          assert.deepEqual(await faintTexts(page), []);
          await button(page, "Allow").click();
          await settled(page);
          await picture(page, `${scheme}-wide`);
          assert.deepEqual(await faintTexts(page), []);
          await page.setViewportSize({ width: 360, height: 740 });
          const wide = await page.evaluate<number[]>(
            "[document.documentElement.scrollWidth, document.getElementById('scroll').scrollWidth]",
          );
          assert.ok(Math.max(...wide) <= 360, `nothing is wider than the phone: ${wide.join(", ")}`);
          await picture(page, `${scheme}-phone`);
          await button(page, "Sessions").click();
          await button(page, "New session").waitFor();
          await picture(page, `${scheme}-phone-menu`);
          await page.keyboard.press("Escape");
          await button(page, "New session").waitFor({ state: "hidden" });
          const ground = await page.evaluate("getComputedStyle(document.body).backgroundColor");
          assert.equal(ground, scheme === "light" ? "rgb(251, 250, 248)" : "rgb(21, 24, 26)");
        },
        { look: { scheme } },
      ));
  }
});
