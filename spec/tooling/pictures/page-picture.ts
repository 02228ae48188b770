/**
 * Makes docs/page.png and docs/page-duet.png, pictures of the web page of `bowline serve`:
 * `npm run docs:pictures`.
 *
 * The first is of `bowline serve --demo` at its first question, the second of the recorded
 * turn with two engines (`bowline demo --duet`), each in a real browser.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { tmpdir } from "node:os";
import { fileURLToPath } from "node:url";
import type { Browser, Page } from "playwright-core";
import duetTapeText from "../../../lib/program/demo/duet.ndjson.text.ts";
import { acpTape, agentTapeLink, readRows } from "../../../lib/tape/index.ts";
import { builtProgram } from "../../support/built-program.ts";
import { launchBrowser, openPage, send, settled } from "../../support/serve/browser.ts";
import { scriptedAgent } from "../../support/serve/scripted-agent.ts";
import { served } from "../../support/serve/test-server.ts";

const browser = await launchBrowser();
await pictureOfDemo(browser);
await pictureOfDuet(browser);
await browser.close();

/** The demo, at its first question. */
async function pictureOfDemo(inBrowser: Browser): Promise<void> {
  const program = spawn(process.execPath, [builtProgram, "serve", "--demo", "--port", "0", "--cwd", tmpdir()], {
    stdio: ["ignore", "pipe", "ignore"],
  });
  const [line] = await once(program.stdout, "data");
  const { origin, hash } = new URL(String(line).trim());
  const { page } = await openPage(inBrowser, `${origin}/`, { hash });
  await send(page, "The tests of slug.js fail. Please fix it.");
  await page.waitForSelector(".answers button:not([aria-disabled])");
  await save(page, "page");
  program.kill("SIGINT");
  await once(program, "close");
}

/** The recorded turn of Claude and Codex. */
async function pictureOfDuet(inBrowser: Browser): Promise<void> {
  const start = () => ({ link: agentTapeLink(acpTape(readRows(duetTapeText()))), stop: async () => {} });
  const duet = { name: "duet", title: "Claude and Codex", start };
  const harness = await served({ startAgent: scriptedAgent().start, agents: [duet] });
  const { page } = await openPage(inBrowser, harness.url);
  await page.getByLabel("Agent").selectOption("Claude and Codex");
  await send(page, "Is the retry in src/fetch.js safe?");
  await page.locator("#log .message").first().waitFor();
  await settled(page);
  await save(page, "page-duet");
  await harness.close();
}

async function save(page: Page, name: string): Promise<void> {
  const path = fileURLToPath(new URL(`../../../docs/${name}.png`, import.meta.url));
  await page.evaluate("document.activeElement.blur()");
  await page.screenshot({ path });
  process.stderr.write(`picture: ${path}\n`);
}
