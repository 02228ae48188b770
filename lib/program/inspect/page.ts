/**
 * Assembles the HTML page of `bowline inspect` around a tape.
 *
 * The page is one file that makes no requests: its content security policy allows this
 * script and style alone. The tape is embedded as compressed bytes, never as markup.
 */
import { createHash } from "node:crypto";
import { deflateRawSync } from "node:zlib";
import body from "./page/inspect.html.text.ts";
import style from "./page/inspect.css.text.ts";
import pageScript from "./page/inspect.js.text.ts";

/** `tape` is NDJSON. */
export function pageOf(tape: string): string {
  const script = pageScript();
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'sha256-${hashOf(script)}'; base-uri 'none'`;
  return [
    '<!doctype html><html lang="en"><meta charset="utf-8">',
    `<meta http-equiv="Content-Security-Policy" content="${policy}">`,
    '<meta name="viewport" content="width=device-width"><meta name="robots" content="noindex">',
    `<title>bowline inspect</title><style>${style()}</style>${body()}`,
    `<script type="text/plain" id="tape">${deflateRawSync(tape).toString("base64")}</script>`,
    `<script>${script}</script></html>\n`,
  ].join("\n");
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("base64");
}
