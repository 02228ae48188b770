/**
 * Decides which new files are artifacts: results that a user wants to open.
 *
 * A web application is one artifact, whatever its number of files. Each image and
 * document is one. Source files and files in hidden directories are none. Each
 * artifact is reported once.
 */
import type { Diff } from "../acp/index.ts";
import { isRecord } from "../schema/index.ts";
import type { Artifact } from "./packet.ts";
import { directoryOf, nameOf } from "./path.ts";

/** Paths kept to recognise artifacts that were already reported. */
const maxArtifacts = 1000;
/** The longest path any operating system accepts (Windows, extended form). */
const maxPathChars = 32_768;

const pictures = /\.(?:png|jpe?g|gif|webp|svg|bmp|avif|ico)$/i;
/** File names of source and configuration; also names that begin with a dot or contain none. */
const source =
  /^[^.]*$|^\.|\.(?:[cm]?[jt]sx?|json[c5]?|py[iw]?|ipynb|rb|rs|go|java|kts?|scala|swift|mm?|c|h|cc|cpp|cxx|hh|hpp|cs|fs|php|lua|pl|pm|r|jl|dart|ex|exs|erl|hs|ml|mli|clj|zig|nim|vue|svelte|astro|css|s[ac]ss|less|sql|graphql|proto|sh|bash|zsh|fish|ps1|bat|cmd|ya?ml|toml|ini|cfg|conf|env|lock|gradle|cmake|mk|tf|patch|diff)$/i;

export class Artifacts {
  /** Paths of reported artifacts; for an application, its directory with a trailing separator. */
  readonly #known = new Set<string>();

  /** The artifacts among the new files of one tool call that were not reported before. */
  made(toolCallId: string, files: readonly Pick<Diff, "path" | "newText">[]): readonly Artifact[] {
    return files.flatMap(({ path, newText }, i) => {
      const found = artifactOf(path, newText);
      if (found === undefined || this.#isKnown(found.path, path)) return [];
      this.#remember(found.path);
      const id = i === 0 ? toolCallId : `${toolCallId}-${i}`;
      return [{ id, type: found.type, name: nameOf(found.path), path: found.path, preview_url: null }];
    });
  }

  #isKnown(artifact: string, path: string): boolean {
    if (this.#known.has(artifact)) return true;
    // A file below an application's directory is part of that application.
    for (let at = directoryOf(path); at !== ""; at = directoryOf(at.slice(0, -1))) if (this.#known.has(at)) return true;
    return false;
  }

  #remember(path: string): void {
    this.#known.add(path);
    const [oldest] = this.#known;
    if (this.#known.size > maxArtifacts && oldest !== undefined) this.#known.delete(oldest);
  }
}

function artifactOf(path: string, text: string): Pick<Artifact, "type" | "path"> | undefined {
  if (path.length > maxPathChars || /[\\/]\.[^\\/]+[\\/]/.test(path)) return undefined;
  const name = nameOf(path);
  if (/^next\.config\.[cm]?[jt]s$/i.test(name) || (name === "package.json" && dependsOnNext(text))) {
    return { type: "nextjs_app", path: directoryOf(path) };
  }
  if (/^index\.html?$/i.test(name)) return { type: "web_app", path };
  if (pictures.test(name)) return { type: "image", path };
  return source.test(name) ? undefined : { type: "file", path };
}

function dependsOnNext(text: string): boolean {
  try {
    const manifest: unknown = JSON.parse(text);
    if (!isRecord(manifest)) return false;
    const { dependencies, devDependencies } = manifest;
    return [dependencies, devDependencies].some((list) => isRecord(list) && Object.hasOwn(list, "next"));
  } catch {
    return false;
  }
}
