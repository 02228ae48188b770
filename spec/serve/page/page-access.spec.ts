/**
 * The web page for users of screen readers and of the keyboard, in a real browser.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { configOption, permissionOption, toolContent, update } from "../../../lib/acp/index.ts";
import { accessibilityFindings } from "../../support/serve/axe.ts";
import {
  launchBrowser,
  type Look,
  noBrowser,
  openPage,
  type Opened,
  picture,
  send,
  settled,
} from "../../support/serve/browser.ts";
import { type ScriptedAgent, scriptedAgent, type TurnScript, yesOrNo } from "../../support/serve/scripted-agent.ts";
import { showcase } from "../../support/serve/showcase.ts";
import { served } from "../../support/serve/test-server.ts";

describe("the page for everyone", () => {
  if (noBrowser !== false) return void it("the page is tested in a real browser", { skip: noBrowser });
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-page-")));
  let browser: Browser;
  before(async () => (browser = await launchBrowser()));
  after(async () => {
    await browser.close();
    rmSync(root, { recursive: true });
  });

  async function visit(player: ScriptedAgent, look: Look, run: (visit: Opened) => Promise<void>): Promise<void> {
    const engines = [
      { value: "claude", name: "Claude" },
      { value: "codex", name: "Codex" },
    ];
    const harness = await served({ startAgent: player.start, roots: [root], engines });
    const opened = await openPage(browser, harness.url, look);
    try {
      await run(opened);
      assert.deepEqual([harness.bugs, opened.complaints], [[], []]);
    } finally {
      await opened.close();
      await harness.close();
    }
  }

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const fruit = {
    type: "object",
    properties: {
      fruit: {
        type: "array",
        title: "Fruit",
        items: {
          anyOf: [
            { const: "a", title: "Apple" },
            { const: "b", title: "Pear" },
          ],
        },
      },
      size: { type: "string", title: "Size", enum: ["small", "large"] },
      why: { type: "string", title: "Why", description: "In your own words" },
    },
  } as const;
  const options = [
    configOption.select("route", [{ value: "claude", name: "Claude" }], { name: "Engine", currentValue: "claude" }),
    configOption.select("share", [{ value: "on", name: "On" }], { name: "Share", currentValue: "on" }),
  ];
  const markdown = [
    "### A heading of the third level first",
    "# The first level",
    "#### The fourth",
    "```ts\nlet a;\n```",
    "```ts\nlet b;\n```",
    "| a |\n|---|\n| 1 |",
    "text",
    "| b |\n|---|\n| 2 |",
  ].join("\n\n");
  const manyCommands = Array.from({ length: 30 }, (_, i) => ({ name: `c${i}`, description: "Does a thing" }));
  const limits = [{ id: "five_hour", name: "5-hour limit", usedPercent: 91, resetsAt: "2030-01-15T08:00:00Z" }];

  for (const scheme of ["light", "dark"] as const) {
    it(`the rules of axe for WCAG AA find nothing in any view of the page in ${scheme} colours`, () => {
      const path = join(root, "notes.md");
      writeFileSync(path, "# Notes\n\n- one\n");
      const player = scriptedAgent(
        showcase,
        async ({ show }) => {
          const content = [toolContent.diff(path, null, "# Notes\n")];
          const call = { toolCallId: "w", title: "Write", name: "Write", kind: "edit", content } as const;
          await show(update.toolCall({ ...call, status: "completed" }));
          const places = [toolContent.diff(path, "one\n", "two\n"), toolContent.diff(path, "three\n", "four\n")];
          const edit = { toolCallId: "e", title: "Edit", name: "Edit", kind: "edit", content: places } as const;
          await show(update.toolCall({ ...edit, status: "completed" }));
          await show(update.agentMessage(markdown, "0"));
          await show({ ...update.agentMessage("[Claude] Yes.", "claude:1"), _meta: { engine: "claude" } });
          await show({ ...update.agentMessage("\n\n[Codex] No.", "codex:1"), _meta: { engine: "codex" } });
          await show({ ...update.usage(1000, 200_000), _meta: { limits } });
          await show(update.availableCommands(manyCommands));
          await show(update.notice("warning", "The API is overloaded", "trying again in 4 s"));
          throw new Error("lost");
        },
        async ({ elicit }) => void (await elicit("Which fruit?", fruit)),
      );
      player.options = options;
      player.tasks = [
        { id: "b1", kind: "command", title: "npm run watch", ageMs: 92_000, lastOutput: "compiled in 3 s" },
        { id: "b2", kind: "subagent", title: "Find the bug" },
      ];
      return visit(player, { scheme, bypassesPolicy: true }, async ({ page, complaints }) => {
        const findings: string[] = [];
        const check = async (view: string) => {
          await picture(page, `axe-${scheme}-${view}`);
          for (const one of await accessibilityFindings(page)) findings.push(`${view}: ${one}`);
        };
        await page.getByText("What shall we work on?").waitFor();
        await check("new");
        await send(page, "Take the port from the environment");
        await page.waitForSelector(".answers button:not([aria-disabled])");
        await check("asking");
        await page.reload();
        await button(page, "1 question waits").click();
        await page.waitForSelector("#dialog .answers button:not([aria-disabled])");
        await check("inbox");
        await page.keyboard.press("Escape");
        await button(page, "Allow").click();
        await settled(page);
        await send(page, "Go on");
        await button(page, "Try again").waitFor();
        for (const fold of await page.locator("#log summary").all()) await fold.click();
        await check("ended");
        await page.fill("#text", "/c");
        await page.locator("#commands [role=option]").first().waitFor();
        await check("commands");
        await page.locator("#log .said").first().getByRole("button", { name: "Edit" }).click();
        await page.getByText("This message cannot be taken back").waitFor();
        await check("revision");
        await button(page, "Cancel the change").click();
        await page.locator(".artifact").last().getByRole("button").click();
        await page.locator("#dialog").getByRole("heading", { name: "Notes" }).last().waitFor();
        await check("preview");
        await page.keyboard.press("Escape");
        await button(page, "More options").click();
        await check("options");
        await page.keyboard.press("Escape");
        await button(page, "2 tasks").click();
        await button(page, "Stop npm run watch").waitFor();
        await check("tasks");
        await page.keyboard.press("Escape");
        await send(page, "Ask me");
        await page.waitForSelector("button[type=submit]:not([aria-disabled])");
        await page.getByText("Earlier conversations").click();
        await page.locator("#saved-list .saved").waitFor();
        await check("form");
        await page.setViewportSize({ width: 360, height: 740 });
        await button(page, "Sessions").click();
        await button(page, "New session").waitFor();
        await check("phone");
        assert.deepEqual(findings, []);
        // The browser logs the refused dry run.
        complaints.length = 0;
      });
    });
  }

  it("a whole conversation with questions, a form and a changed message needs only the keyboard", () => {
    const script: TurnScript = async ({ ask, elicit, show, prompt }) => {
      const call = (id: string) => ({ toolCallId: id, title: id, kind: "execute", rawInput: { command: id } }) as const;
      await ask(call("ls"));
      const withReason = [...yesOrNo, permissionOption("reject_once", "reject_reason", "Reject and say why")];
      await ask(call("rm -rf x"), withReason);
      const form = await elicit("Which fruit?", fruit);
      await show(update.agentMessage(`${JSON.stringify(prompt)} ${JSON.stringify(form)}`));
    };
    const player = scriptedAgent(script, ({ show }) => show(update.agentMessage("changed")));
    player.canRewind = true;
    return visit(player, {}, async ({ page, complaints }) => {
      const focused = () =>
        page.evaluate<string>(
          "document.activeElement.id || document.activeElement.textContent || document.activeElement.value",
        );
      const { keyboard } = page;
      /** Presses Tab until the element with this name has the focus. */
      const tabTo = async (name: string, key = "Tab") => {
        for (let i = 0; i < 40; i++) {
          await keyboard.press(key);
          if ((await focused()) === name) return;
        }
        assert.fail(`${name} cannot be reached with ${key}`);
      };
      await page.locator("#text:focus").waitFor();
      await keyboard.type("Do it");
      await keyboard.press("Enter");
      const ready = () => page.waitForSelector(".answers button:not([aria-disabled])");
      await ready();
      await keyboard.press("Alt+q");
      assert.equal(await focused(), "Allow");
      assert.equal(await page.evaluate("getComputedStyle(document.activeElement).outlineWidth"), "2px");
      await keyboard.press("Enter");
      await page.locator(".tool.asking", { hasText: "rm -rf x" }).waitFor();
      await page.locator("#text:focus").waitFor();
      await ready();
      await keyboard.press("Alt+q");
      await keyboard.press("Tab");
      await keyboard.press("Tab");
      await keyboard.type("use git clean");
      await keyboard.press("Enter");
      await page.waitForSelector("button[type=submit]:not([aria-disabled])");
      await keyboard.press("Alt+q");
      await keyboard.press("Space");
      await keyboard.press("Tab");
      await keyboard.press("Space");
      await keyboard.press("Tab");
      await keyboard.press("ArrowDown");
      await keyboard.press("Tab");
      await keyboard.type("they are ripe");
      await keyboard.press("Enter");
      const content = '{"fruit":["a","b"],"size":"large","why":"they are ripe"}';
      await page.locator(".message", { hasText: content }).waitFor();
      await settled(page);
      assert.deepEqual(
        player.outcomes.map((one) => one.outcome === "selected" && one.optionId),
        ["yes", "no"],
      );
      await tabTo("Edit", "Shift+Tab");
      await keyboard.press("Enter");
      await page.getByText("Sending replaces the old message and its answer").waitFor();
      assert.equal(await focused(), "text");
      await keyboard.type(" now");
      await keyboard.press("Enter");
      await page.getByText("changed").waitFor();
      assert.deepEqual(await page.locator("#log .said .words").allTextContents(), ["Do it now"]);
      // The event stream is cut when the conversation has changed, which the browser logs.
      complaints.length = 0;
      await tabTo("new", "Shift+Tab");
      await keyboard.press("Enter");
      await page.getByText("What shall we work on?").waitFor();
      await page.locator("#text:focus").waitFor();
    });
  });
});
