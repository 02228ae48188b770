/**
 * Makes the picture of the inspector in the README: `node --import tsx
 * spec/tooling/pictures/inspect-picture.ts`.
 *
 * The real agent plays a recording, `bowline tap` records between it and the chat, and
 * the tape is opened in a browser.
 */
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { chromium } from "playwright-core";
import { builtProgram } from "../../support/built-program.ts";

const place = mkdtempSync(join(tmpdir(), "bowline-picture-"));
const [tape, page] = [join(place, "conversation.ndjson"), join(place, "conversation.html")];
const recording = fileURLToPath(new URL("../../../fixtures/claude/glob-and-grep.ndjson", import.meta.url));
const agent = [process.execPath, builtProgram, "replay", "--speed", "recorded", "--claude", recording];
const tapped = [process.execPath, builtProgram, "tap", "-o", tape, "--", ...agent];
const talk = [builtProgram, "chat", "--", ...tapped];
execFileSync(process.execPath, talk, { cwd: place, input: "Where is it used?\n" });
execFileSync(process.execPath, [builtProgram, "inspect", tape, "-o", page]);
const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", "--disable-gpu"] });
const view = await browser.newPage({ viewport: { width: 1200, height: 640 } });
await view.goto(pathToFileURL(page).href);
await view.getByText("session/prompt").first().click();
await view.screenshot({ path: fileURLToPath(new URL("../../../docs/inspect.png", import.meta.url)) });
await browser.close();
rmSync(place, { recursive: true });
