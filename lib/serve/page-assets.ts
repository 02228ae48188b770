/**
 * The files of the web page and their response headers.
 */
import { randomBytes } from "node:crypto";
import { Fault, record, string, textIn } from "../schema/index.ts";
import icon from "./page/icons/icon.svg.text.ts";
import icons from "./page/icons/icons.json.text.ts";
import html from "./page/index.html.text.ts";
import style from "./page/page.css.text.ts";
import script from "./page/page.js.text.ts";

export interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Buffer;
}

const types: Readonly<Record<string, string>> = {
  html: "text/html",
  css: "text/css",
  js: "text/javascript",
  json: "application/manifest+json",
  svg: "image/svg+xml",
};

/** The icons of the installed app, in base64; spec/tooling/pictures/page-icons.ts makes them from icon.svg. */
const Icons = record(string);

/** Lets a phone install the page as an app. */
const manifest = JSON.stringify({
  name: "Bowline",
  short_name: "Bowline",
  start_url: "../",
  scope: "../",
  display: "standalone",
  background_color: "#15181a",
  theme_color: "#0d5b6c",
  description: "Sessions with coding agents on your own computer",
  icons: [
    { src: "icon.svg", sizes: "any", type: "image/svg+xml" },
    { src: "icon-192.png", sizes: "192x192", type: "image/png" },
    { src: "icon-512.png", sizes: "512x512", type: "image/png" },
    { src: "icon-maskable.png", sizes: "512x512", type: "image/png", purpose: "maskable" },
  ],
});

const files: ReadonlyMap<string, () => string> = new Map([
  ["index.html", html],
  ["page.css", style],
  ["page.js", script],
  ["manifest.json", () => manifest],
  ["icon.svg", icon],
]);

/** Undefined when there is no file of this name. */
export function pageFile(name: string): PageFile | undefined {
  const extension = name.slice(name.indexOf(".") + 1);
  if (extension === "png") return iconFile(name);
  const source = files.get(name)?.();
  if (source === undefined) return undefined;
  const nonce = randomBytes(16).toString("base64");
  return {
    headers: {
      "content-type": `${types[extension] ?? ""}; charset=utf-8`,
      ...(extension === "html" && { "content-security-policy": policy(nonce) }),
    },
    body: extension === "html" ? source.replaceAll("{nonce}", nonce) : source,
  };
}

function iconFile(name: string): PageFile | undefined {
  const read = Icons.read(JSON.parse(icons()));
  const base64 = read instanceof Fault ? undefined : textIn(read, name);
  if (base64 === undefined) return undefined;
  return { headers: { "content-type": "image/png" }, body: Buffer.from(base64, "base64") };
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
