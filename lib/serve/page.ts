/**
 * Page: the files of the web page, with the heads they are served under.
 *
 * Read from beside this file; in the single-file program they are inside it.
 */
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";

export interface PageFile {
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
}

/** The files by name, put in by the build. */
declare const BOWLINE_PAGE: Readonly<Record<string, string>> | undefined;

const types: Readonly<Record<string, string>> = { html: "text/html", css: "text/css", js: "text/javascript" };

/** Undefined when there is no file of this name. */
export function pageFile(name: string): PageFile | undefined {
  const [, extension = ""] = /^[a-z-]+\.(html|css|js)$/.exec(name) ?? [];
  const source = extension === "" ? undefined : textOf(name);
  if (source === undefined) return undefined;
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
 * Nothing runs but the page's own script, nothing is loaded from elsewhere, and no
 * text becomes markup: browsers that know trusted types refuse to make it so.
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

function textOf(name: string): string | undefined {
  if (typeof BOWLINE_PAGE !== "undefined")
    return BOWLINE_PAGE !== undefined && Object.hasOwn(BOWLINE_PAGE, name) ? BOWLINE_PAGE[name] : undefined;
  try {
    return readFileSync(new URL(`./page/${name}`, import.meta.url), "utf8");
  } catch {
    return undefined;
  }
}
