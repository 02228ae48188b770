/**
 * A headless Chromium, where one is installed.
 */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type Browser, chromium, type Page } from "playwright-core";
import { token } from "./test-server.ts";

const places = ["/usr/bin/chromium", "/usr/bin/chromium-browser", "/usr/bin/google-chrome"];
const named = process.env["CHROMIUM"];
const executablePath = (named ? [named] : places).find((path) => existsSync(path));

/** Why there is no browser on this machine; false when there is one. */
export const noBrowser: string | false =
  executablePath === undefined && "no Chromium is installed: apt-get install chromium, or set CHROMIUM to its path";

/** How long a spec waits for the page. */
const maxWaitMs = 20_000;

const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

export function launchBrowser(): Promise<Browser> {
  return chromium.launch({ ...(executablePath !== undefined && { executablePath }), args: flags });
}

export interface Opened {
  readonly page: Page;
  /** Errors of the page, and violations of its content security policy. */
  readonly complaints: string[];
  readonly close: () => Promise<void>;
}

export interface Look {
  readonly width?: number;
  readonly scheme?: "light" | "dark";
  readonly hash?: string;
  /** Lets the spec run scripts that the page's policy would refuse, such as axe. */
  readonly bypassesPolicy?: boolean;
}

/** Opens the page in a new browser, with the address that the server prints. */
export async function openPage(browser: Browser, url: string, look: Look = {}): Promise<Opened> {
  const { width = 1100, scheme = "light", hash = `#token=${token}`, bypassesPolicy = false } = look;
  const viewport = { width, height: 900 };
  const context = await browser.newContext({ viewport, colorScheme: scheme, bypassCSP: bypassesPolicy });
  const page = await context.newPage();
  page.setDefaultTimeout(maxWaitMs);
  const complaints: string[] = [];
  page.on("pageerror", (cause) => complaints.push(String(cause)));
  page.on("console", (said) => said.type() === "error" && complaints.push(said.text()));
  await page.goto(`${url}${hash}`);
  return { page, complaints, close: () => context.close() };
}

/** Types a message and sends it as a user does. */
export async function send(page: Page, text: string): Promise<void> {
  await page.fill("#text", text);
  await page.press("#text", "Enter");
}

/** Resolves when no turn is running. */
export async function settled(page: Page): Promise<void> {
  await page.locator("#busy").waitFor({ state: "hidden" });
}

/** Resolves when the expression is true. Playwright's own function evaluates text in the page, which the page's policy refuses. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  const deadlineMs = performance.now() + maxWaitMs;
  while (!(await page.evaluate<boolean>(`Boolean(${expression})`))) {
    if (performance.now() > deadlineMs) throw new Error(`this did not become true: ${expression}`);
    await pause(50);
  }
}

/** The text of the conversation, including collapsed parts, without the buttons of a message. */
export function shown(page: Page): Promise<string> {
  return page.evaluate<string>(`(() => {
    const log = document.getElementById("log").cloneNode(true);
    for (const tools of log.querySelectorAll(".tools")) tools.remove();
    return log.textContent;
  })()`);
}

/** The texts whose contrast is too low, with their contrast ratio. */
export function faintTexts(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(readFileSync(join(import.meta.dirname, "contrast.js"), "utf8"));
}

/** The texts of questions that are cut off and cannot be scrolled into view. */
export function unreachable(page: Page): Promise<readonly string[]> {
  return page.evaluate<readonly string[]>(readFileSync(join(import.meta.dirname, "unreachable.js"), "utf8"));
}

/** Saves a screenshot when `SCREENSHOTS` names a directory. */
export async function picture(page: Page, name: string): Promise<Buffer> {
  const directory = process.env["SCREENSHOTS"];
  return page.screenshot(directory === undefined ? {} : { path: join(directory, `${name}.png`) });
}
