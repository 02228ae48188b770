/**
 * The files of the web page and their response headers.
 */
import { randomBytes } from "node:crypto";
import html from "./page/index.html.text.ts";
import style from "./page/page.css.text.ts";
import script from "./page/page.js.text.ts";

export interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  json: "application/manifest+json",
  svg: "image/svg+xml",
};

/** A loop of rope, which a bowline is. */
const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64"><rect width="64" height="64" rx="14" fill="#0d5b6c"/><g fill="none" stroke="#fff" stroke-width="6" stroke-linecap="round"><path d="M32 8v20"/><circle cx="32" cy="40" r="14"/><path d="M20 27c8-5 16-5 24 0"/></g></svg>`;

/** Lets a phone install the page as an app. */
const manifest = JSON.stringify({
  name: "Bowline",
  short_name: "Bowline",
  start_url: "../",
  scope: "../",
  display: "standalone",
  background_color: "#15181a",
  theme_color: "#0d5b6c",
  icons: [{ src: "icon.svg", sizes: "any", type: "image/svg+xml", purpose: "any maskable" }],
});

const files: ReadonlyMap<string, () => string> = new Map([
  ["index.html", html],
  ["page.css", style],
  ["page.js", script],
  ["manifest.json", () => manifest],
  ["icon.svg", () => icon],
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
    "img-src 'self' data:",
    "connect-src 'self'",
    // The previews of artifacts, which have a sandbox and a policy of their own: see previews.ts.
    "frame-src 'self'",
    "manifest-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join("; ");
}
