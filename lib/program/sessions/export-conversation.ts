/**
 * Writes a conversation as Markdown, as an HTML page without scripts, or as JSON.
 *
 * Text of the conversation cannot end a code block of the Markdown or become markup of
 * the page.
 */
import type { SessionInfo } from "../../acp/index.ts";
import { largest } from "../../schema/index.ts";
import { escapeControls } from "../../wire/index.ts";
import type { ConversationEntry } from "./conversation-entries.ts";

export const exportFormats = ["md", "html", "json"] as const;
export type ExportFormat = (typeof exportFormats)[number];

export function exportConversation(
  format: ExportFormat,
  session: SessionInfo,
  entries: readonly ConversationEntry[],
): string {
  switch (format) {
    case "md":
      return markdown(session, entries);
    case "html":
      return html(session, entries);
    case "json":
      return `${JSON.stringify({ session, entries }, null, 2)}\n`;
  }
}

const speakers = { user: "User", agent: "Agent", thought: "Thought" } as const;

function markdown({ sessionId, cwd, title, updatedAt }: SessionInfo, entries: readonly ConversationEntry[]): string {
  const oneLine = (text: string): string => escapeControls(text.replaceAll(/\s+/g, " ").trim());
  const head = [`# ${oneLine(title ?? sessionId)}`, "", `Session \`${oneLine(sessionId)}\` in \`${oneLine(cwd)}\``];
  if (updatedAt) head.push(`, ${oneLine(updatedAt)}`);
  const parts = entries.map((entry) => {
    if (entry.kind !== "tool") return `## ${speakers[entry.kind]}\n\n${escapeControls(entry.text).trim()}`;
    const diffs = entry.diffs.map(
      ({ path, oldText, newText }) =>
        `\`${oneLine(path)}\`\n\n${fenced([...marked(oldText, "-"), ...marked(newText, "+")].join("\n"), "diff")}`,
    );
    const output = entry.output === "" ? [] : [fenced(escapeControls(entry.output), "")];
    return [`### ${oneLine(entry.title)} (${oneLine(entry.status)})`, ...diffs, ...output].join("\n\n");
  });
  return `${[head.join("\n"), ...parts].join("\n\n")}\n`;
}

function marked(text: string, mark: string): readonly string[] {
  return text === ""
    ? []
    : escapeControls(text)
        .replace(/\n$/, "")
        .split("\n")
        .map((line) => mark + line);
}

/** A code block whose fence is longer than any run of backquotes inside. */
function fenced(text: string, language: string): string {
  const longest = largest(
    2,
    [...text.matchAll(/`+/g)].map(([run]) => run.length),
  );
  const fence = "`".repeat(longest + 1);
  return `${fence}${language}\n${text}\n${fence}`;
}

function html({ sessionId, cwd, title, updatedAt }: SessionInfo, entries: readonly ConversationEntry[]): string {
  const parts = entries.map((entry) => {
    if (entry.kind !== "tool")
      return `<section class="${entry.kind}"><h2>${speakers[entry.kind]}</h2><p>${escapeHtml(entry.text)}</p></section>`;
    const diffs = entry.diffs.map(
      ({ path, oldText, newText }) =>
        `<p><code>${escapeHtml(path)}</code></p><pre><del>${escapeHtml(oldText)}</del>\n<ins>${escapeHtml(newText)}</ins></pre>`,
    );
    const output = entry.output === "" ? "" : `<pre>${escapeHtml(entry.output)}</pre>`;
    return `<details class="tool"><summary>${escapeHtml(entry.title)} (${escapeHtml(entry.status)})</summary>${diffs.join("")}${output}</details>`;
  });
  const name = escapeHtml(title ?? sessionId);
  return `<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>${name}</title><style>
body{font:16px/1.5 system-ui,sans-serif;max-width:50rem;margin:2rem auto;padding:0 1rem;color-scheme:light dark}
p{white-space:pre-wrap;overflow-wrap:anywhere}pre{white-space:pre-wrap;overflow-wrap:anywhere;border:1px solid #8888;padding:.5rem}
h2{font-size:.8rem;text-transform:uppercase;opacity:.7;margin:1.5rem 0 0}.thought{opacity:.7}del,ins{text-decoration:none}
del{background:#f003}ins{background:#0a03}summary{cursor:pointer}</style></head>
<body><h1>${name}</h1><p>${escapeHtml(sessionId)} · ${escapeHtml(cwd)} · ${escapeHtml(updatedAt ?? "")}</p>
${parts.join("\n")}
</body></html>
`;
}

/** The text, escaped for a page or an attribute, with control characters visible. */
export function escapeHtml(text: string): string {
  return escapeControls(text)
    .replaceAll("&", "&amp;")
    .replaceAll("<", "&lt;")
    .replaceAll(">", "&gt;")
    .replaceAll('"', "&quot;")
    .replaceAll("'", "&#39;");
}
