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

/** `lines` are the rows of a tape as JSON. */
export function pageOf(lines: readonly string[]): string {
  const script = pageScript();
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hashOf(script)}'; base-uri 'none'`;
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">',
    `<title>bowline inspect</title><style>${style()}</style>${body()}`,
    ...blocksOf(lines).map((block) => `<script type="text/plain" class="tape">${block}</script>`),
    `<script>${script}</script></html>\n`,
  ].join("\n");
}

/** The lines in compressed blocks, as base64. */
function blocksOf(lines: readonly string[]): readonly string[] {
  const blocks: string[] = [];
  let from = 0;
  let chars = 0;
  lines.forEach((line, i) => {
    chars += line.length + 1;
    if (chars < blockChars && i < lines.length - 1) return;
    blocks.push(deflateRawSync(lines.slice(from, i + 1).join("\n")).toString("base64"));
    from = i + 1;
    chars = 0;
  });
  return blocks;
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
