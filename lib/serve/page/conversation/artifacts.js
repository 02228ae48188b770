/**
 * The files that a session has made: their cards, their list, and the preview.
 *
 * HTML, SVG, images and PDF are shown in a frame whose content never runs on the page's
 * origin (the server's policy for previews). Markdown and text are shown by the page
 * itself, as text.
 */
import { call, text } from "../api.js";
import { showDialog } from "../dialog.js";
import { h, shortPath } from "../dom.js";
import { codeBlock, showMarkdown } from "../text/markdown.js";
import { tellFailure } from "../notice.js";
import { languageOf } from "../../../display/syntax.ts";

/** @typedef {{ id: string, type: string, name: string, path: string, preview_url?: string | null }} Artifact */

const names = /** @type {Record<string, string>} */ ({
  file: "File",
  image: "Image",
  nextjs_app: "Next.js app",
  web_app: "Web app",
});

/** @param {Artifact} artifact @param {string} cwd @param {(artifact: Artifact) => void} onOpen */
export function artifactCard(artifact, cwd, onOpen) {
  const { type, name, path, preview_url: url } = artifact;
  const place = shortPath(path, cwd);
  const isWeb = /^https?:\/\//.test(url ?? "");
  const link = isWeb ? h("a", { href: url, target: "_blank", rel: "noopener noreferrer" }, name) : null;
  const open = h("button", { type: "button", "aria-label": `Open ${name}` }, "Open");
  open.onclick = () => onOpen(artifact);
  return h(
    "section",
    { class: "artifact", "aria-label": `Artifact ${name}` },
    h("span", { class: "label" }, names[type] ?? "File"),
    link ?? h("strong", {}, name),
    place === name ? null : h("code", {}, place),
    // The directory of an application is no file that could be shown.
    type === "nextjs_app" ? null : open,
  );
}

/** Shows a file in the dialog. @param {string} sessionId @param {Artifact} artifact */
export async function openArtifact(sessionId, artifact) {
  try {
    const preview = await call("POST", `sessions/${sessionId}/previews`, { path: artifact.path });
    const body = await bodyOf(preview);
    const download = h("a", { class: "button", href: `${preview.url}?download`, download: preview.name }, "Download");
    const tab = h(
      "a",
      { class: "button", href: `${preview.url}?tab`, target: "_blank", rel: "noopener noreferrer" },
      "Open in a tab",
    );
    showDialog(artifact.name, [body], [tab, download]);
  } catch (cause) {
    tellFailure(cause);
  }
}

/** Lists what the session has made. @param {Artifact[]} artifacts @param {string} cwd @param {(artifact: Artifact) => void} onOpen */
export function listArtifacts(artifacts, cwd, onOpen) {
  const cards = artifacts.map((artifact) => artifactCard(artifact, cwd, onOpen));
  showDialog("Files made in this session", cards.length === 0 ? [h("p", {}, "None yet.")] : cards);
}

/** @param {{ url: string, kind: string, name: string }} preview @returns {Promise<HTMLElement>} */
async function bodyOf({ url, kind, name }) {
  switch (kind) {
    case "page":
      return h("iframe", { src: url, title: name, sandbox: "allow-scripts", referrerPolicy: "no-referrer" });
    case "svg":
      return h("iframe", { src: url, title: name, sandbox: "", referrerPolicy: "no-referrer" });
    case "image":
      return h("iframe", { src: url, title: name, sandbox: "", referrerPolicy: "no-referrer" });
    case "pdf":
      // Browsers show no PDF in a sandbox; their viewer keeps its scripts away from the page.
      return h("iframe", { src: url, title: name, referrerPolicy: "no-referrer" });
    case "markdown": {
      const words = h("div", { class: "words" });
      showMarkdown(words, await text(url));
      return words;
    }
    case "text":
      return codeBlock(await text(url), languageOf(name));
    default:
      return h("p", {}, "There is no preview for this type of file. It can be downloaded.");
  }
}
