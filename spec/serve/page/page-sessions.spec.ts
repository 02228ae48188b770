/**
 * The web page with several sessions, agents and engines, and messages that are taken back,
 * in a real browser.
 */
import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { configOption, permissionOption, type SessionUpdate, update } from "../../../lib/acp/index.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import {
  launchBrowser,
  noBrowser,
  openPage,
  type Opened,
  picture,
  send,
  settled,
  shown,
  untilTrue,
} from "../../support/serve/browser.ts";
import { type ScriptedAgent, scriptedAgent, type TurnScript, yesOrNo } from "../../support/serve/scripted-agent.ts";
import { type Served, served } from "../../support/serve/test-server.ts";

describe("the page with several sessions and engines", () => {
  if (noBrowser !== false) return void it("the page is tested in a real browser", { skip: noBrowser });
  let browser: Browser;
  before(async () => (browser = await launchBrowser()));
  after(() => browser.close());

  async function visit(
    player: ScriptedAgent,
    run: (visit: Opened & { readonly harness: Served }) => Promise<void>,
    options: Partial<Parameters<typeof served>[0]> = {},
  ): Promise<void> {
    const harness = await served({ startAgent: player.start, ...options });
    const opened = await openPage(browser, harness.url);
    try {
      await run({ ...opened, harness });
      assert.deepEqual([harness.bugs, opened.complaints], [[], []]);
    } finally {
      await opened.close();
      await harness.close();
    }
  }

  const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
  const said = (page: Page) => page.locator("#log .said .words").allTextContents();
  /** The messages are drawn anew after a change, so there are moments with fewer. */
  const untilSaid = (page: Page, words: readonly string[]) => {
    const now = `JSON.stringify([...document.querySelectorAll("#log .said .words")].map((one) => one.textContent))`;
    return untilTrue(page, `${now} === ${JSON.stringify(JSON.stringify(words))}`);
  };
  const textOf = (prompt: Parameters<TurnScript>[0]["prompt"]) =>
    prompt.map((one) => (one.type === "text" ? one.text : `(${one.type})`)).join(" ");
  const echo: TurnScript = ({ show, prompt }) => show(update.agentMessage(`answer to ${textOf(prompt)}`));

  it("the questions of all sessions are in one inbox, where they are answered", () => {
    const asking: TurnScript = async ({ ask, show, prompt }) => {
      const command = `make ${textOf(prompt)}`;
      const call = { toolCallId: command, title: command, kind: "execute", rawInput: { command } } as const;
      await show(update.agentMessage(`answered ${await ask(call)}`));
    };
    // The third prompt is the reason, which this agent does not take with the refusal.
    const player = scriptedAgent(asking, asking, echo);
    return visit(player, async ({ page, harness }) => {
      for (const words of ["first", "second"]) {
        await send(page, words);
        await button(page, "Allow").waitFor();
        await button(page, "New session").click();
        await page.getByText("What shall we work on?").waitFor();
      }
      await button(page, "2 questions wait").click();
      assert.match(await page.title(), /^\(2\) /);
      const cards = page.locator("#dialog .waiting");
      assert.deepEqual(await cards.locator("h3").allTextContents(), ["first", "second"]);
      assert.match((await cards.first().textContent()) ?? "", /Run make first/);
      await page.waitForSelector("#dialog .answers button:not([aria-disabled])");
      await cards.first().getByRole("button", { name: "Allow" }).click();
      await cards.nth(1).waitFor({ state: "detached" });
      await page.waitForSelector("#dialog .answers button:not([aria-disabled])");
      await cards.getByLabel("No, and do this instead").fill("make it later");
      await page.keyboard.press("Enter");
      await page.locator("#dialog").waitFor({ state: "hidden" });
      await untilTrue(page, "!document.title.startsWith('(')");
      assert.equal(await button(page, "2 questions wait").count(), 0);
      assert.deepEqual(
        player.outcomes.map((one) => one.outcome === "selected" && one.optionId),
        ["yes", "no"],
      );
      const { sessions } = (await harness.call("GET", "/sessions")).json;
      assert.deepEqual(
        sessions.map(({ title }: { title: string }) => title),
        ["second", "first"],
      );
    });
  });

  it("a second click where an answered question was does not answer the one that has moved there", () => {
    const asking: TurnScript = async ({ ask, prompt }) => {
      const command = `make ${textOf(prompt)}`;
      await ask({ toolCallId: command, title: command, kind: "execute", rawInput: { command } });
    };
    const player = scriptedAgent(asking, asking);
    return visit(player, async ({ page }) => {
      for (const words of ["first", "second"]) {
        await send(page, words);
        await button(page, "Allow").waitFor();
        await button(page, "New session").click();
        await page.getByText("What shall we work on?").waitFor();
      }
      await button(page, "2 questions wait").click();
      const cards = page.locator("#dialog .waiting");
      await page.waitForSelector("#dialog .answers button:not([aria-disabled])");
      await cards.first().getByRole("button", { name: "Allow" }).click();
      await cards.nth(1).waitFor({ state: "detached" });
      // In the page, so that no time passes before the click on a busy machine.
      await page.evaluate("document.querySelector('#dialog .answers button').click()");
      await page.waitForSelector("#dialog .answers button:not([aria-disabled])");
      assert.equal(player.outcomes.length, 1);
      await cards.first().getByRole("button", { name: "Allow" }).click();
      await page.locator("#dialog").waitFor({ state: "hidden" });
      assert.equal(player.outcomes.length, 2);
    });
  });

  it("clicks ten times a second answer one question of a list, and the next one after a pause", () => {
    const asking: TurnScript = async ({ ask, prompt }) => {
      const command = `make ${textOf(prompt)}`;
      await ask({ toolCallId: command, title: command, kind: "execute", rawInput: { command } });
    };
    const player = scriptedAgent(asking, asking, asking);
    return visit(player, async ({ page }) => {
      for (const words of ["first", "second", "third"]) {
        await send(page, words);
        await button(page, "Allow").waitFor();
        await button(page, "New session").click();
        await page.getByText("What shall we work on?").waitFor();
      }
      await button(page, "3 questions wait").click();
      await page.waitForSelector("#dialog .answers button:not([aria-disabled])");
      // In the page, so that a busy machine does not spread the clicks. Two seconds are three times the time of a disabled button.
      const look = `getComputedStyle(document.querySelector("#dialog .answers button")).opacity`;
      const duringClicks = await page.evaluate(`new Promise((resolve) => {
        let clicks = 0;
        const timer = setInterval(() => {
          document.querySelector("#dialog .answers button")?.click();
          if (++clicks < 20) return;
          clearInterval(timer);
          resolve(${look});
        }, 100);
      })`);
      assert.equal(duringClicks, "0.55", "the buttons are seen to be disabled");
      assert.equal(player.outcomes.length, 1);
      await page.waitForSelector("#dialog .answers button:not([aria-disabled])");
      await page.locator("#dialog .waiting").first().getByRole("button", { name: "Allow" }).click();
      await page.locator("#dialog .waiting").nth(1).waitFor({ state: "detached" });
      assert.equal(player.outcomes.length, 2);
    });
  });

  it("an agent that takes reasons gets the reason with the refusal, and no message after it", () => {
    const options = [...yesOrNo, permissionOption("reject_once", "reject_reason", "Reject and tell Claude why")];
    const player = scriptedAgent(async ({ ask, show }) => {
      const answer = await ask(
        { toolCallId: "1", title: "rm x", kind: "execute", rawInput: { command: "rm x" } },
        options,
      );
      await show(update.agentMessage(`answered ${answer}`));
    });
    return visit(player, async ({ page }) => {
      await send(page, "Clean");
      await page.waitForSelector(".answers button:not([aria-disabled])");
      assert.deepEqual(await page.locator(".answers button").allTextContents(), ["Allow", "Reject"]);
      await page.getByLabel("No, and do this instead").fill("use git clean");
      await button(page, "Reject and say this").click();
      await page.getByText("answered no").waitFor();
      await settled(page);
      assert.deepEqual(player.outcomes, [{ outcome: "selected", optionId: "no", _meta: { reason: "use git clean" } }]);
      assert.deepEqual(await said(page), ["Clean"]);
    });
  });

  it("a new session is opened with the engine or agent that the user chooses", () => {
    const player = scriptedAgent(echo);
    const other = scriptedAgent(({ show }) => show(update.agentMessage("the other agent")));
    const route = [
      { value: "claude", name: "Claude" },
      { value: "codex", name: "Codex" },
    ];
    player.options = [configOption.select("route", route, { name: "Engine", currentValue: "claude" })];
    const startOther = () => {
      const [agentEnd, link] = memoryPair();
      return { link, stop: other.start(agentEnd).stop };
    };
    const options = {
      agentName: "claude",
      engines: [...route, { value: "duet", name: "Duet" }],
      agents: [{ name: "gemini", title: "gemini --acp", start: startOther }],
    };
    return visit(
      player,
      async ({ page }) => {
        const agent = page.getByLabel("Agent");
        await agent.waitFor();
        assert.deepEqual(await agent.locator("option").allTextContents(), ["Claude", "Codex", "Duet", "gemini --acp"]);
        await agent.selectOption("Codex");
        await send(page, "One");
        await page.getByText("answer to One").waitFor();
        const engine = page.getByLabel("Engine");
        assert.equal(await engine.inputValue(), "codex");
        assert.match((await page.locator("#cwd").textContent()) ?? "", /^claude · /);
        await engine.selectOption("claude");
        await untilTrue(page, "document.querySelector('[data-option=route]').value === 'claude'");
        assert.equal(player.options[0]?.currentValue, "claude");
        await button(page, "New session").click();
        await page.getByLabel("Agent").selectOption("gemini --acp");
        await send(page, "Two");
        await page.getByText("the other agent").waitFor();
        assert.match((await page.locator("#cwd").textContent()) ?? "", /^gemini · /);
      },
      options,
    );
  });

  it("each part of a duet has the name and the colour of its engine, live and after a reload", () => {
    const by = (engine: string, one: SessionUpdate): SessionUpdate => ({ ...one, _meta: { engine } });
    const player = scriptedAgent(async ({ show }) => {
      await show(by("claude", update.agentMessage("[Claude] It is safe.", "claude:1")));
      const call = { toolCallId: "claude:t", title: "[Claude] ls", kind: "execute", name: "Bash" } as const;
      await show(by("claude", update.toolCall({ ...call, rawInput: { command: "ls" }, status: "completed" })));
      await show(by("claude", update.agentMessage("[Claude] Done.", "claude:2")));
      await show(by("codex", update.agentMessage("\n\n[Codex] It is **not**.", "codex:1")));
      await show(by("codex", update.agentMessage("[Codex] Look again.", "codex:2")));
      const entry = { priority: "medium", status: "pending" } as const;
      await show(
        update.plan([
          { content: "[Claude] Fix it", ...entry },
          { content: "[Codex] Check it", ...entry },
        ]),
      );
    });
    return visit(player, async ({ page }) => {
      await send(page, "Is it safe?");
      await page.locator(".plan").waitFor();
      await settled(page);
      const look = async () => ({
        words: await page.locator("#log .message .words").allInnerTexts(),
        speakers: await page.locator("#log .message > .speaker, #log .tool .speaker").allTextContents(),
        plan: await page.locator(".plan li").allInnerTexts(),
      });
      const live = await look();
      assert.deepEqual(live.speakers, ["Claude", "Claude", "Claude", "Codex"]);
      assert.deepEqual(
        live.words.map((one) => one.replace(/\s+/g, " ")),
        ["It is safe.", "Done.", "It is not. Look again."],
      );
      assert.deepEqual(
        live.plan.map((one) => one.replace(/\s+/g, " ")),
        ["Fix it Claude", "Check it Codex"],
      );
      assert.doesNotMatch(await shown(page), /\[(Claude|Codex)\]/);
      const colours = await page.evaluate<string[]>(
        "[...document.querySelectorAll('#log .message')].map((one) => getComputedStyle(one).borderLeftColor)",
      );
      assert.equal(new Set(colours).size, 2);
      await page.reload();
      await page.getByText("Look again").waitFor();
      assert.deepEqual(await look(), live);
    });
  });

  it("a message is edited and sent again in place of the old one, with what came after it", () => {
    const player = scriptedAgent(echo);
    player.canRewind = true;
    return visit(player, async ({ page, complaints }) => {
      for (const words of ["one", "two", "three"]) {
        await send(page, words);
        await page.getByText(`answer to ${words}`).waitFor();
        await settled(page);
      }
      await page.locator("#log .said", { hasText: "two" }).getByRole("button", { name: "Edit" }).click();
      await page.getByText("Sending replaces the old message and everything after it (1 later message).").waitFor();
      assert.equal(await page.inputValue("#text"), "two");
      await page.getByLabel("Also restore 2 files to the state before this message (+3 −1 lines)").check();
      await send(page, "two and a half");
      await page.getByText("answer to two and a half").waitFor();
      await untilSaid(page, ["one", "two and a half"]);
      const [rewind] = player.rewinds;
      assert.equal(rewind?.["files"], true);
      assert.equal(await page.locator("#revision").isVisible(), false);
      await page.reload();
      await page.getByText("answer to two and a half").waitFor();
      await untilSaid(page, ["one", "two and a half"]);
      await page.locator("#log .said").last().hover();
      await button(page, "Retry").click();
      while (player.rewinds.length < 2) await page.waitForTimeout(20);
      await untilTrue(page, "document.querySelectorAll('#log .said').length === 2");
      await untilTrue(page, "document.querySelectorAll('#log .message').length === 2");
      await settled(page);
      await untilSaid(page, ["one", "two and a half"]);
      // The event stream is cut when the conversation has changed.
      assert.ok(
        complaints.every((one) => one.includes("ERR_INCOMPLETE_CHUNKED_ENCODING")),
        complaints.join("\n"),
      );
      complaints.length = 0;
    });
  });

  it("where the agent cannot take messages back, an edited message is sent as a new one", () =>
    visit(scriptedAgent(echo), async ({ page, complaints }) => {
      await send(page, "one");
      await page.getByText("answer to one").waitFor();
      await button(page, "Edit").click();
      await page.getByText("This message cannot be taken back").waitFor();
      await send(page, "one again");
      await page.getByText("answer to one again").waitFor();
      assert.deepEqual(await said(page), ["one", "one again"]);
      // The browser logs the refused request.
      complaints.length = 0;
    }));

  it("the limits of the account are meters with their reset times", () => {
    const limits = [
      { id: "five_hour", name: "5-hour limit", usedPercent: 76, resetsAt: "2030-01-15T08:00:00Z" },
      { id: "seven_day", name: "7-day limit", usedPercent: 12 },
    ];
    const player = scriptedAgent(({ show }) =>
      show({ ...update.usage(20_000, 200_000, { amount: 1.5, currency: "USD" }), _meta: { limits } }),
    );
    return visit(player, async ({ page }) => {
      await send(page, "Hello");
      await page.getByText("10% of 200k tokens · $1.50").waitFor();
      assert.equal(await page.getByRole("meter").count(), 2);
      const words = await page.locator("#usage .limit").allTextContents();
      assert.match(words[0] ?? "", /^5-hour limit 76%, resets .*15/);
      assert.equal(words[1], "7-day limit 12%");
    });
  });

  it("background tasks are listed with age and output, and stopped", () => {
    const player = scriptedAgent(echo);
    return visit(player, async ({ page }) => {
      await send(page, "Hello");
      await page.getByText("answer to Hello").waitFor();
      assert.equal(await page.locator("#tasks").isVisible(), false);
      player.tasks = [
        { id: "b1", kind: "command", title: "npm run watch", ageMs: 92_000, lastOutput: "compiled in 3 s" },
        { id: "b2", kind: "subagent", title: "Find the bug" },
      ];
      await send(page, "Again");
      await button(page, "2 tasks").click();
      const text = (await page.locator("#dialog .body").innerText()).replace(/\s+/g, " ");
      assert.match(text, /Command: npm run watch for 2 min Stop compiled in 3 s Subagent: Find the bug Stop/);
      await picture(page, "tasks");
      await button(page, "Stop npm run watch").click();
      await button(page, "Stop npm run watch").waitFor({ state: "detached" });
      assert.deepEqual(
        player.tasks.map(({ id }) => id),
        ["b2"],
      );
    });
  });

  it("a question of a page without the focus gives a notification and a number in the title", () => {
    const player = scriptedAgent(
      async ({ ask }) => void (await ask({ toolCallId: "1", title: "ls", kind: "execute" })),
    );
    return visit(player, async ({ page }) => {
      await page.evaluate(`(() => {
        window.told = [];
        window.Notification = class { static permission = "granted"; constructor(title) { window.told.push(title); } };
        document.hasFocus = () => false;
      })()`);
      await send(page, "Go");
      await button(page, "Allow").waitFor();
      assert.match(await page.title(), /^\(1\) Go/);
      assert.deepEqual(await page.evaluate("window.told"), ["The agent waits for your answer"]);
      await button(page, "Allow").click();
      await settled(page);
      await untilTrue(page, "!document.title.startsWith('(')");
      assert.equal((await page.evaluate<string[]>("window.told")).length, 1);
    });
  });

  it("the browser accepts the manifest, and every icon in it is a picture of its size", () =>
    visit(scriptedAgent(), async ({ page, harness }) => {
      const session = await page.context().newCDPSession(page);
      const { errors, data = "" } = await session.send("Page.getAppManifest");
      assert.deepEqual(errors, []);
      const { icons } = JSON.parse(data) as { icons: { src: string; sizes: string; type: string }[] };
      for (const { src, sizes, type } of icons.filter((one) => one.type === "image/png")) {
        const response = await fetch(new URL(`page/${src}`, harness.url));
        assert.equal(response.headers.get("content-type"), type);
        const bytes = Buffer.from(await response.arrayBuffer());
        assert.equal(`${bytes.readUInt32BE(16)}x${bytes.readUInt32BE(20)}`, sizes, src);
      }
      assert.equal(icons.filter(({ type }) => type === "image/png").length, 3);
      const { installabilityErrors } = await session.send("Page.getInstallabilityErrors");
      const ids = installabilityErrors.map(({ errorId }) => errorId);
      // A private window installs nothing, and a headless browser has private windows only.
      assert.deepEqual(
        ids.filter((id) => id !== "in-incognito"),
        [],
      );
    }));

  it("options that are no mode or model are in a dialog", () => {
    const player = scriptedAgent(echo);
    const onOff = [
      { value: "true", name: "On" },
      { value: "false", name: "Off" },
    ];
    player.options = [
      configOption.select("share", onOff, {
        name: "Share",
        description: "Tell the other engine",
        currentValue: "true",
      }),
    ];
    return visit(player, async ({ page }) => {
      await send(page, "Hello");
      await page.getByText("answer to Hello").waitFor();
      await button(page, "More options").click();
      await page.getByText("Tell the other engine").waitFor();
      await page.getByLabel("Share").selectOption("Off");
      await untilTrue(
        page,
        "performance.getEntriesByType('resource').some((one) => one.name.endsWith('/options/share'))",
      );
      await page.keyboard.press("Escape");
      assert.equal(player.options[0]?.currentValue, "false");
    });
  });
});
