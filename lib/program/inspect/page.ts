/**
 * Assembles the HTML page of `bowline inspect` around a tape.
 *
 * The page is one file that makes no requests: its content security policy allows this
 * script and style alone. The tape is embedded as compressed bytes, never as markup, in
 * blocks that the page can read one after the other without blocking the browser.
 */
import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import body from "./page/inspect.html.text.ts";
import style from "./page/inspect.css.text.ts";
import pageScript from "./page/inspect.js.text.ts";

/** The length of a block before compression; a longer line is a block of its own. */
const blockChars = 1 << 20;

/** The page in pieces; `lines` are the rows of a tape as JSON. */
export function* pageOf(lines: Iterable<string>): Generator<string, void> {
  const script = pageScript();
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hashOf(script)}'; base-uri 'none'`;
  const head = [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">',
    `<title>bowline inspect</title><style>${style()}</style>${body()}`,
    "",
  ].join("\n");
  // The head comes with the first block: nothing is written of a tape that cannot be read to its end.
  let before = head;
  for (const block of blocksOf(lines)) {
    yield `${before}<script type="text/plain" class="tape">${block}</script>\n`;
    before = "";
  }
  yield `${before}<script>${script}</script></html>\n`;
}

/** The lines in compressed blocks, as base64. */
function* blocksOf(lines: Iterable<string>): Generator<string, void> {
  const pack = (block: readonly string[]): string => deflateRawSync(block.join("\n")).toString("base64");
  let block: string[] = [];
  let chars = 0;
  for (const line of lines) {
    block.push(line);
    chars += line.length + 1;
    if (chars < blockChars) continue;
    yield pack(block);
    block = [];
    chars = 0;
  }
  if (block.length > 0) yield pack(block);
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
