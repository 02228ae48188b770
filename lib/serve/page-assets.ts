/**
 * The files of the web page and their response headers.
 *
 * Read from the folder `page`; the build embeds them in the single-file program.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

export interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const types: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

/** One literal `readFileSync` per line: build.mjs finds these lines and replaces them with the file's text. */
const files: ReadonlyMap<string, () => string> = new Map([
  ["index.html", () => readFileSync(new URL("./page/index.html", import.meta.url), "utf8")],
  ["page.css", () => readFileSync(new URL("./page/page.css", import.meta.url), "utf8")],
  ["page.js", () => readFileSync(new URL("./page/page.js", import.meta.url), "utf8")],
  ["api.js", () => readFileSync(new URL("./page/api.js", import.meta.url), "utf8")],
  ["composer.js", () => readFileSync(new URL("./page/composer.js", import.meta.url), "utf8")],
  ["conversation.js", () => readFileSync(new URL("./page/conversation.js", import.meta.url), "utf8")],
  ["diff.js", () => readFileSync(new URL("./page/diff.js", import.meta.url), "utf8")],
  ["dom.js", () => readFileSync(new URL("./page/dom.js", import.meta.url), "utf8")],
  ["invisible-characters.js", () => readFileSync(new URL("./page/invisible-characters.js", import.meta.url), "utf8")],
  ["markdown.js", () => readFileSync(new URL("./page/markdown.js", import.meta.url), "utf8")],
  ["notice.js", () => readFileSync(new URL("./page/notice.js", import.meta.url), "utf8")],
  ["options.js", () => readFileSync(new URL("./page/options.js", import.meta.url), "utf8")],
  ["sidebar.js", () => readFileSync(new URL("./page/sidebar.js", import.meta.url), "utf8")],
  ["spans.js", () => readFileSync(new URL("./page/spans.js", import.meta.url), "utf8")],
  ["tool-call.js", () => readFileSync(new URL("./page/tool-call.js", import.meta.url), "utf8")],
  ["welcome.js", () => readFileSync(new URL("./page/welcome.js", import.meta.url), "utf8")],
]);

/** Undefined when there is no file of this name. */
export function pageFile(name: string): PageFile | undefined {
  const source = files.get(name)?.();
  if (source === undefined) return undefined;
  const extension = name.slice(name.indexOf(".") + 1);
  const nonce = randomBytes(16).toString("base64");
  return {
    headers: {
      "content-type": `${types[extension] ?? ""}; charset=utf-8`,
      ...(extension === "html" && { "content-security-policy": policy(nonce) }),
    },
    text: extension === "html" ? source.replaceAll("{nonce}", nonce) : source,
  };
}

/**
 * The content security policy. Only the page's own scripts run, nothing is loaded from
 * other origins, and browsers with Trusted Types refuse to turn text into markup.
 */
function policy(nonce: string): string {
  return [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src 'nonce-${nonce}'`,
    "img-src data:",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
