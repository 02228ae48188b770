/**
 * What a person does on the web page besides sending a message, in a real browser.
 */
import assert from "node:assert/strict";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import type { Browser, Page } from "playwright-core";
import { location, toolContent, update } from "../../../lib/acp/index.ts";
import {
  launchBrowser,
  noBrowser,
  openPage,
  type Opened,
  picture,
  send,
  settled,
  shown,
  unreachable,
  untilTrue,
} from "../../support/serve/browser.ts";
import { type ScriptedAgent, scriptedAgent, type TurnScript } from "../../support/serve/scripted-agent.ts";
import { type Served, served } from "../../support/serve/test-server.ts";

describe("the features of the page", () => {
  if (noBrowser !== false) return void it("the page is tested in a real browser", { skip: noBrowser });
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-page-")));
  let browser: Browser;
  before(async () => (browser = await launchBrowser()));
  after(async () => {
    await browser.close();
    rmSync(root, { recursive: true });
  });

  async function visit(
    player: ScriptedAgent,
    run: (visit: Opened & { readonly harness: Served }) => Promise<void>,
    options: Partial<Parameters<typeof served>[0]> = {},
  ): Promise<void> {
    const harness = await served({ startAgent: player.start, roots: [root], ...options });
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

  it("an edit that has ended has the line numbers of its file, on both sides", () => {
    const path = join(root, "a.txt");
    const hunk = (line: number) => `before ${line}\nold ${line}\nafter ${line}\n`;
    const script: TurnScript = async ({ show }) => {
      const content = [40, 100].map((line) =>
        toolContent.diff(path, hunk(line), hunk(line).replace("old", line === 40 ? "more\nnew" : "new")),
      );
      const locations = [location(path, 40), location(path, 101)];
      const call = { toolCallId: "1", title: "Edit a.txt", name: "Edit", kind: "edit", content, locations } as const;
      await show(update.toolCall({ ...call, status: "in_progress" }));
      await show(update.toolCallUpdate({ toolCallId: "1", status: "completed", content, locations }));
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Edit");
      await page.locator(".diff").nth(1).waitFor();
      const numbers = (cell: string) => page.locator(`.diff tr ${cell}`).allTextContents();
      assert.deepEqual(await numbers("td:nth-child(1)"), ["39", "40", "", "", "41", "99", "100", "", "101"]);
      assert.deepEqual(await numbers("td:nth-child(2)"), ["39", "", "40", "41", "42", "100", "", "101", "102"]);
      const heights = await page
        .locator(".diff tr")
        .evaluateAll((rows) => rows.map((row) => Math.round(row.getBoundingClientRect().height)));
      assert.equal(new Set(heights).size, 1, `a number of three digits takes one line: ${heights.join(" ")}`);
    });
  });

  it("code has colours, and its button, that of the answer and that of the message copy the exact text", () => {
    const code = "const knot = 'bowline'; // holds\n";
    const answer = `Tie **it**:\n\n\`\`\`js\n${code}\`\`\``;
    const script: TurnScript = ({ show }) => show(update.agentMessage(answer));
    return visit(scriptedAgent(script), async ({ page }) => {
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      const copied = async (name: string): Promise<string> => {
        await button(page, name).click();
        await page.locator(".copy", { hasText: "Copied" }).first().waitFor();
        return page.evaluate<string>("navigator.clipboard.readText()");
      };
      await send(page, "Which knot?");
      await page.locator("pre code span").first().waitFor();
      const colours = await page.evaluate<string[]>(
        "[...document.querySelectorAll('pre code span')].map((span) => getComputedStyle(span).color)",
      );
      assert.ok(
        new Set(colours).size >= 3,
        `a keyword, a string and a comment have colours of their own: ${colours.join(" ")}`,
      );
      assert.equal((await copied("Copy the code")).trimEnd(), code.trimEnd());
      assert.equal(await copied("Copy the answer"), answer);
      assert.equal(await copied("Copy the message"), "Which knot?");
    });
  });

  it("a question about an edit says in how many places it replaces, once", () => {
    const path = join(root, "a.txt");
    const script: TurnScript = async ({ ask }) => {
      const content = [toolContent.diff(path, "sub\n", "minus\n"), toolContent.diff(path, "a sub\n", "a minus\n")];
      const rawInput = { file_path: path, old_string: "sub", new_string: "minus", replace_all: true };
      await ask({ toolCallId: "1", title: "Edit a.txt (in all 2 places)", kind: "edit", content, rawInput });
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Edit");
      const card = page.locator(".tool.asking");
      await card.waitFor();
      assert.match((await card.locator(".head").textContent()) ?? "", /a\.txt \(in all 2 places\)$/);
      assert.doesNotMatch((await card.textContent()) ?? "", /replace_all/);
    });
  });

  it("a form stands in for the call that asks, whose card then has the answers", () => {
    const script: TurnScript = async ({ show, elicit }) => {
      const rawInput = { questions: [{ question: "Which fruit?" }] };
      const call = {
        toolCallId: "1",
        title: "Which fruit?",
        name: "AskUserQuestion",
        kind: "other",
        rawInput,
      } as const;
      await show(update.toolCall({ ...call, status: "in_progress" }));
      const fruit = { type: "string", title: "Fruit", description: "Which fruit?", enum: ["Apple", "Pear"] } as const;
      await elicit("The agent has some questions", { type: "object", properties: { fruit } }, "1");
      const content = [toolContent.block("**Which fruit?**\nApple")];
      await show(update.toolCallUpdate({ toolCallId: "1", status: "completed", content }));
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Ask");
      await page.waitForSelector("button[type=submit]:not([aria-disabled])");
      assert.equal(await page.locator("#log .tool:visible").count(), 1);
      assert.equal(await page.getByRole("group", { name: "Which fruit?" }).isVisible(), true);
      await page.getByLabel("Apple").check();
      await button(page, "Send answers").click();
      await settled(page);
      assert.equal(await page.locator("#log .tool").count(), 1);
      assert.match(await page.locator("#log .tool").innerText(), /^Your answers\s+Which fruit\?\s+Apple$/);
    });
  });

  it("a plan that was not approved is Markdown, a task has a box in place of a bullet, and a million tokens are 1M", () => {
    const script: TurnScript = async ({ show }) => {
      const content = [toolContent.block("# The plan\n\n1. **Add** a test")];
      const call = {
        toolCallId: "1",
        title: "Go on with this plan?",
        name: "ExitPlanMode",
        kind: "switch_mode",
        content,
      } as const;
      await show(update.toolCall({ ...call, status: "pending" }));
      await show(update.toolCallUpdate({ toolCallId: "1", title: "Plan not approved", status: "failed" }));
      await show(update.usage(20_000, 1_000_000));
      await show(update.agentMessage("- [ ] open\n- [x] done\n- plain"));
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Plan");
      await page.getByText("plain").waitFor();
      await settled(page);
      assert.equal(await page.locator(".tool.failed strong").textContent(), "Add");
      const bullets = await page.evaluate<readonly string[]>(
        '[...document.querySelectorAll(".message li")].map((item) => getComputedStyle(item).listStyleType)',
      );
      assert.deepEqual(bullets, ["none", "none", "disc"]);
      assert.match((await page.locator("#usage").textContent()) ?? "", /^2% of 1M tokens/);
    });
  });

  it("the buttons of a short message on a phone are one row below it", () => {
    const script: TurnScript = ({ show }) => show(update.agentMessage("hello"));
    return visit(scriptedAgent(script), async ({ page }) => {
      await page.setViewportSize({ width: 390, height: 800 });
      await send(page, "ok");
      await settled(page);
      const boxOf = async (selector: string) => (await page.locator(selector).first().boundingBox()) ?? assert.fail();
      const [words, tools] = [await boxOf(".said .words"), await boxOf(".said .tools")];
      assert.ok(tools.height < 32, `a button has ${tools.height} px`);
      assert.ok(tools.y >= words.y + words.height - 1, "no button covers the message");
    });
  });

  it("every character of a question can be reached, also in a text that the browser cannot break, wide and on a phone", () => {
    // Leading consonants of Hangul are one cluster, however many there are.
    const wide = `a ${"\u1100".repeat(300)}; b`;
    const options = (id: number) => [{ optionId: "yes", name: `Allow ${id} ${wide}`, kind: "allow_once" }] as const;
    const content = [
      toolContent.block(`${wide}\n\n* ${wide}\n\n| a | b |\n|---|---|\n| ${wide} | ${wide} |\n\n    ${wide}`),
    ];
    const diff = toolContent.diff(join(root, wide), "old", wide);
    const script: TurnScript = async ({ ask, elicit }) => {
      const rawInput = { command: wide, description: wide };
      await ask({ toolCallId: "1", title: `${wide}!`, kind: "execute", rawInput, content }, options(1));
      await ask({ toolCallId: "2", title: wide, kind: "other", rawInput: { [wide]: wide } }, options(2));
      await ask({ toolCallId: "3", title: wide, kind: "edit", content: [diff, diff], rawInput: { wide } }, options(3));
      const oneOf = [{ const: "x", title: wide, description: wide }];
      const choice = { type: "string", title: wide, description: wide, oneOf } as const;
      const words = { type: "string", title: wide, description: wide } as const;
      await elicit(wide, { type: "object", properties: { choice, words } });
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Go");
      for (const id of [1, 2, 3, 4]) {
        const answer = page.getByRole("button", { name: id === 4 ? "Do not answer" : `Allow ${id}` });
        await answer.waitFor();
        for (const width of [1100, 390]) {
          await page.setViewportSize({ width, height: 900 });
          await picture(page, `unbreakable-${id}-${width}`);
          assert.deepEqual(await unreachable(page), [], `question ${id} at ${width} px`);
          assert.ok(((await answer.boundingBox())?.width ?? 0) < width, "the answers are as wide as the card at most");
        }
        await answer.click({ position: { x: 20, y: 10 } });
      }
      await settled(page);
    });
  });

  it("a running command shows the end of its output, whatever its length, without a click", () => {
    let release: () => void = () => {};
    const script: TurnScript = async ({ show }) => {
      const call = { toolCallId: "1", title: "make", name: "Bash", kind: "execute" } as const;
      await show(update.toolCall({ ...call, status: "pending" }));
      await show(update.toolCallUpdate({ toolCallId: "1", status: "in_progress", rawInput: { command: "make" } }));
      const data = Array.from({ length: 60 }, (_, i) => `\u001b[32mline ${i}\u001b[0m\n`).join("");
      const _meta = { terminal_output: { terminal_id: "1", data } };
      await show(update.toolCallUpdate({ toolCallId: "1", status: "in_progress", _meta }));
      await new Promise<void>((resolve) => (release = resolve));
      await show(update.toolCallUpdate({ toolCallId: "1", status: "completed" }));
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Go");
      await page.getByText("line 59").waitFor();
      const card = await page.locator(".tool").innerText();
      assert.match(card, /^Running make\n[^]*…\nline 48\n[^]*line 59$/);
      release();
      await settled(page);
    });
  });

  it("a recording says that it is one, and a second message gets its own cards with the same call ids", () => {
    const script: TurnScript = async ({ show, ask }) => {
      const call = {
        toolCallId: "same",
        title: "ls",
        name: "Bash",
        kind: "execute",
        rawInput: { command: "ls" },
      } as const;
      await show(update.toolCall({ ...call, status: "pending" }));
      await show(update.toolCallUpdate({ toolCallId: "same", status: "in_progress" }));
      await ask(call);
      await show(update.toolCallUpdate({ toolCallId: "same", status: "completed" }));
    };
    return visit(
      scriptedAgent(script),
      async ({ page }) => {
        await page.getByText("This is a recording.").waitFor();
        for (const words of ["one", "two"]) {
          await send(page, words);
          await button(page, "Allow").click();
          await page.locator(".tool.asking").waitFor({ state: "detached" });
          await settled(page);
        }
        assert.equal(await page.locator(".tool.completed").count(), 2);
        await page.reload();
        await page.locator(".tool").nth(1).waitFor();
        assert.match(await shown(page), /one.*ls.*two.*ls/s);
      },
      { isRecording: true },
    );
  });

  it("a notice such as a retry of the API is visible, and a failed turn can be tried again", () => {
    let count = 0;
    const script: TurnScript = async ({ show }) => {
      await show(update.notice("info", "The API is overloaded, trying again in 4 s (attempt 4 of 10)."));
      if (count++ === 0) throw new Error("lost");
      await show(update.agentMessage("done"));
    };
    return visit(scriptedAgent(script), async ({ page, complaints }) => {
      await send(page, "Go");
      await button(page, "Try again").click();
      await page.getByText("done").waitFor();
      assert.equal(await page.locator(".notice").first().isVisible(), true);
      assert.deepEqual(await page.locator("#log .said .words").allTextContents(), ["Go", "Go"]);
      complaints.length = 0;
    });
  });

  it("a form has check boxes for several answers, choices for one, and a field for one's own words", () => {
    const answers: unknown[] = [];
    const script: TurnScript = async ({ elicit }) => {
      const both = {
        anyOf: [
          { const: "a", title: "Apple" },
          { const: "b", title: "Pear", description: "green" },
        ],
      };
      const properties = {
        fruit: { type: "array", title: "Fruit", description: "Which fruit?", items: both },
        size: { type: "string", title: "Size", enum: ["small", "large"] },
        fruit_other: { type: "string", title: "Fruit (in your own words)" },
        count: { type: "integer", title: "Count", minimum: 1 },
      } as const;
      answers.push(await elicit("Which fruit?", { type: "object", properties, required: ["count"] }));
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Ask");
      await page.waitForSelector("button[type=submit]:not([aria-disabled])");
      await page.getByLabel("Apple").check();
      await page.getByLabel("Pear").check();
      await page.getByLabel("large").check();
      await page.getByLabel("Fruit (in your own words)").fill("and a plum");
      await page.getByLabel("Count").fill("3");
      assert.match(await page.title(), /^\(1\) /);
      await button(page, "Send answers").click();
      await settled(page);
      const content = { fruit: ["a", "b"], size: "large", fruit_other: "and a plum", count: 3 };
      assert.deepEqual(answers, [{ action: "accept", content }]);
      assert.equal(await page.evaluate("document.activeElement.id"), "text");
      assert.equal(await page.locator(".form .outcome").textContent(), "Answered");
    });
  });

  it("a refusal with a sentence is sent as a refusal and then as a message", () => {
    const script: TurnScript = async ({ ask, show }) => {
      const rawInput = { command: "rm -rf build\nls", description: "Cleans up" };
      const content = [toolContent.block("```sh\nrm -rf build\nls\n```")];
      const answer = await ask({ toolCallId: "1", title: "rm", kind: "execute", rawInput, content });
      await show(update.agentMessage(`answered ${answer}`));
    };
    const echo: TurnScript = ({ prompt, show }) => show(update.agentMessage(JSON.stringify(prompt)));
    return visit(scriptedAgent(script, echo), async ({ page }) => {
      await send(page, "Clean");
      await page.locator(".tool.asking").waitFor();
      const card = (await page.locator(".tool.asking").textContent()) ?? "";
      assert.match(card, /Cleans up/);
      assert.equal(card.split("rm -rf build").length, 2);
      await page.waitForSelector(".answers button:not([aria-disabled])");
      await page.getByLabel("No, and do this instead").fill("use npm run clean");
      await page.keyboard.press("Enter");
      await page.getByText("use npm run clean").first().waitFor();
      await page.locator(".message").nth(1).waitFor();
      assert.match(await shown(page), /answered no.*use npm run clean/s);
    });
  });

  it("a question shows what its title leaves out of the input", () => {
    const script: TurnScript = async ({ ask }) => {
      await ask({
        toolCallId: "1",
        title: "Run a command",
        kind: "execute",
        rawInput: { cmd: "rm -rf ~", force: true },
      });
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Go");
      await page.locator(".tool.asking").waitFor();
      const card = (await page.locator(".tool.asking").textContent()) ?? "";
      assert.match(card, /rm -rf ~.*force: true/s);
    });
  });

  it("a question about a patch names the file of each diff, and says what is in no diff", () => {
    const script: TurnScript = async ({ ask }) => {
      const content = [
        toolContent.diff("/p/src/a.ts", "one", "two"),
        toolContent.block("Move b.ts to /home/user/.profile"),
        toolContent.diff("/home/user/.bashrc", "", "evil"),
      ];
      await ask({ toolCallId: "1", title: "apply_patch", kind: "edit", content, rawInput: { mode: "force" } });
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Go");
      await page.locator(".tool.asking").waitFor();
      const card = (await page.locator(".tool.asking").textContent()) ?? "";
      assert.ok(!card.includes("old_string"), card);
      assert.match(card, /src\/a\.ts.*two.*\.bashrc.*evil.*Move b\.ts to \/home\/user\/\.profile.*mode: force/s);
    });
  });

  it("a question about a patch of one file names it once, and repeats no text of the diff", () => {
    const script: TurnScript = async ({ ask }) => {
      const content = [toolContent.diff("/p/a.ts", "let onething = 1", "let two = 1")];
      const rawInput = { file_path: "/p/a.ts", old_string: "one", new_string: "two", replace_all: false };
      await ask({ toolCallId: "1", title: "Edit a.ts", kind: "edit", content, rawInput });
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Go");
      await page.locator(".tool.asking").waitFor();
      const card = (await page.locator(".tool.asking").textContent()) ?? "";
      assert.deepEqual([card.split("a.ts").length, card.includes("old_string")], [2, false], card);
    });
  });

  it("slash commands complete, and the arrow keys bring back earlier messages", () => {
    const script: TurnScript = async ({ show, prompt }) => {
      const commands = ["compact", "review", "clear"].map((name) => ({ name, description: `does ${name}` }));
      await show(update.availableCommands(commands));
      await show(update.usage(50_000, 200_000, { amount: 0.421, currency: "USD" }));
      await show(update.agentMessage(`got ${JSON.stringify(prompt)}`));
    };
    return visit(scriptedAgent(script), async ({ page }) => {
      await send(page, "Hello");
      await page.getByText("25% of 200k tokens · $0.42").waitFor();
      await page.keyboard.type("/c");
      await page.locator("#commands [role=option]").nth(1).waitFor();
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("Tab");
      assert.equal(await page.inputValue("#text"), "/clear ");
      await page.keyboard.press("Enter");
      await page.getByText("got").nth(1).waitFor();
      await page.keyboard.press("ArrowUp");
      await page.keyboard.press("ArrowUp");
      assert.equal(await page.inputValue("#text"), "Hello");
      await page.keyboard.press("ArrowDown");
      await page.keyboard.press("ArrowDown");
      assert.equal(await page.inputValue("#text"), "");
    });
  });

  it("an attached image is sent and shown, and a text file is sent as text", () => {
    const script: TurnScript = ({ show, prompt }) =>
      show(update.agentMessage(prompt.map(({ type }) => type).join(" ")));
    const png = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==";
    return visit(scriptedAgent(script), async ({ page }) => {
      await page.getByText("What shall we work on?").waitFor();
      await untilTrue(page, "performance.getEntriesByType('resource').some((one) => one.name.endsWith('/about'))");
      await page.setInputFiles("#files", [
        { name: "dot.png", mimeType: "image/png", buffer: Buffer.from(png, "base64") },
        { name: "a.txt", mimeType: "text/plain", buffer: Buffer.from("some text") },
        { name: "b.bin", mimeType: "application/octet-stream", buffer: Buffer.from([0, 255, 254]) },
      ]);
      await page.getByText("b.bin is neither an image nor text").waitFor();
      assert.equal(await page.locator(".attached").count(), 2);
      await send(page, "Look");
      await page.getByText("text image text").waitFor();
      assert.equal(await page.locator("#log .said").count(), 1, "one message");
      assert.equal(await page.locator("#log .said img").count(), 1);
      assert.equal(await page.locator("#log .said .words").textContent(), "Look\n\na.txt:\n\nsome text");
      assert.equal(await page.locator(".attached").count(), 0);
    });
  });

  it("an artifact opens in a sandboxed frame whose script cannot reach the page", () => {
    const path = join(root, "page.html");
    const text =
      "<h1 id=a>hi</h1><script>let reach='no';try{parent.document.title='broken in';reach='yes'}catch{}document.getElementById('a').textContent='ran '+origin+' '+reach</script>";
    writeFileSync(path, text);
    const script: TurnScript = async ({ show }) => {
      const content = [toolContent.diff(path, null, text)];
      const call = { toolCallId: "1", title: "Write", name: "Write", kind: "edit", content } as const;
      await show(update.toolCall({ ...call, status: "in_progress" }));
      await show(update.toolCallUpdate({ toolCallId: "1", status: "completed", content }));
    };
    return visit(scriptedAgent(script), async ({ page, complaints }) => {
      await send(page, "Make it");
      await button(page, "Open page.html").click();
      const frame = page.frameLocator("#dialog iframe");
      await frame.getByText("ran null no").waitFor();
      assert.equal(await page.locator("#dialog iframe").getAttribute("sandbox"), "allow-scripts");
      assert.match((await page.getByRole("link", { name: "Download" }).getAttribute("href")) ?? "", /\?download$/);
      await page.keyboard.press("Escape");
      await button(page, "Files").click();
      assert.equal(await page.locator("#dialog .artifact").count(), 1);
      assert.doesNotMatch(await page.title(), /broken/);
      complaints.length = 0;
    });
  });

  it("conversations are renamed, searched and deleted, and a closed one goes on", () => {
    const player = scriptedAgent(({ show }) => show(update.agentMessage("a needle in it")));
    player.past = [update.userMessage("Long ago", "m1"), update.agentMessage("It was")];
    return visit(player, async ({ page, harness, complaints }) => {
      page.on("dialog", (dialog) => void dialog.accept(dialog.type() === "prompt" ? "Better title" : undefined));
      await send(page, "First");
      await page.getByText("a needle in it").waitFor();
      await settled(page);
      await button(page, "Rename").click();
      await page.locator("h1", { hasText: "Better title" }).waitFor();
      await page.keyboard.press("Control+f");
      await page.keyboard.type("needle");
      assert.equal(await page.locator("#found").textContent(), "1 of 1");
      await page.keyboard.press("Escape");
      await page.fill("#filter", "earlier");
      await button(page, "Delete An earlier talk").click();
      await untilTrue(page, "performance.getEntriesByType('resource').length > 0");
      const [session] = (await harness.call("GET", "/sessions")).json.sessions;
      await harness.call("POST", `/sessions/${session.id}/close`);
      await button(page, "Continue it").click();
      await page.locator("#log .said", { hasText: "Long ago" }).waitFor();
      assert.equal(player.deleted.length, 1);
      // The closed session's event stream was answered with 404.
      complaints.length = 0;
    });
  });

  it("a reloaded session is at its end, and a button jumps back there", () => {
    const words = Array.from({ length: 120 }, (_, i) => `line ${i}`).join("\n\n");
    const player = scriptedAgent(({ show }) => show(update.agentMessage(words)));
    return visit(player, async ({ page }) => {
      await send(page, "Talk");
      await page.getByText("line 119").waitFor();
      await settled(page);
      await page.reload();
      await page.getByText("line 119").waitFor();
      const left =
        "Math.round(document.getElementById('scroll').scrollHeight - document.getElementById('scroll').scrollTop - document.getElementById('scroll').clientHeight)";
      await untilTrue(page, `${left} <= 1`);
      await page.evaluate("document.getElementById('scroll').scrollTop = 0");
      await button(page, "Jump to the latest").click();
      await untilTrue(page, `${left} <= 1`);
    });
  });
});
