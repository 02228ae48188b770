/**
 * Replaces a prompt's links to files by the editor's unsaved text.
 *
 * If the editor's text of a linked file differs from the disk, the model gets that text
 * with the prompt. Otherwise the link stays, and the engine follows it. A file that the
 * engine might not be allowed to read stays a link too. A failure to read leaves the link
 * as it is; it never fails the prompt.
 */
import type { AgentConnection, ContentBlock, ResourceLink } from "../../acp/index.ts";
import { type FileReference, readFileUri } from "../../display/index.ts";

/** The most lines of one file that are put into a prompt. */
const maxLinkedLines = 200;
/** The most text of one file that is put into a prompt. A file with more stays a link. */
const maxLinkedChars = 256 * 1024;
/** How long the prompt waits for the editor's text. */
const readLimitMs = 2000;

export interface LinkedFilesOptions {
  readonly client: AgentConnection;
  readonly sessionId: string;
  /** The text on disk; undefined when it is not known. */
  readonly textOf: (path: string) => string | undefined;
  /** Put the text into the prompt even if it is the same on disk. */
  readonly isAlways: boolean;
  /** False for a file that the engine may not be allowed to read. */
  readonly mayInline: (path: string) => Promise<boolean>;
}

export function hasLinkedFiles(prompt: readonly ContentBlock[], client: AgentConnection): boolean {
  const canRead = client.clientCapabilities.fs?.readTextFile === true;
  return canRead && prompt.some((block) => block.type === "resource_link" && readFileUri(block.uri) !== undefined);
}

export function withLinkedFiles(
  prompt: readonly ContentBlock[],
  options: LinkedFilesOptions,
): Promise<readonly ContentBlock[]> {
  return Promise.all(
    prompt.map(async (block): Promise<ContentBlock> => {
      const file = block.type === "resource_link" ? readFileUri(block.uri) : undefined;
      return block.type !== "resource_link" || file === undefined ? block : resolveLink(block, file, options);
    }),
  );
}

async function resolveLink(
  link: ResourceLink,
  file: FileReference,
  options: LinkedFilesOptions,
): Promise<ContentBlock> {
  const { client, sessionId, textOf, isAlways, mayInline } = options;
  const line = file.line ?? 1;
  const limit = Math.min(
    file.lineCount !== undefined && file.lineCount > 1 ? file.lineCount : maxLinkedLines,
    maxLinkedLines,
  );
  try {
    if (!(await mayInline(file.path))) return link;
    const signal = AbortSignal.timeout(readLimitMs);
    const { content } = await client.call("fs/read_text_file", { sessionId, path: file.path, line, limit }, { signal });
    const saved = textOf(file.path)
      ?.split("\n")
      .slice(line - 1, line - 1 + limit)
      .join("\n");
    if (content === "" || (!isAlways && saved !== undefined && hasSameLines(content, saved))) return link;
    const lines = content.split("\n", limit).join("\n");
    if (lines.length > maxLinkedChars) return link;
    return { type: "resource", resource: { uri: link.uri, text: lines } };
  } catch {
    return link;
  }
}

function hasSameLines(left: string, right: string): boolean {
  return left.replaceAll("\r\n", "\n").trimEnd() === right.replaceAll("\r\n", "\n").trimEnd();
}
