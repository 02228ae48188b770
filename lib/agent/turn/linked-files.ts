/**
 * Linked files: what a prompt links to, as it is in the editor.
 *
 * Where the editor's text is not what is on disk the model gets the text with the
 * prompt; otherwise the link stays a link, which the CLI follows itself. Nothing
 * that goes wrong here is the prompt's trouble.
 */
import type { AgentConnection, ContentBlock, ResourceLink } from "../../acp/index.ts";
import { type FileReference, readFileUri } from "../../claude/translate/index.ts";

/** The most lines of a file that come with a prompt. */
const maxLinkedLines = 200;
/** An editor that takes longer keeps nobody waiting. */
const readLimitMs = 2000;

export interface LinkedFilesOptions {
  readonly client: AgentConnection;
  readonly sessionId: string;
  readonly textOf: (path: string) => string | undefined;
  /** The CLI cannot follow links itself. */
  readonly isAlways: boolean;
}

export function hasLinkedFiles(prompt: readonly ContentBlock[], client: AgentConnection): boolean {
  const canRead = client.clientCapabilities.fs?.readTextFile === true;
  return canRead && prompt.some((block) => block.type === "resource_link" && readFileUri(block.uri) !== undefined);
}

/** The prompt with the text of what it links to. */
export function withLinkedFiles(
  prompt: readonly ContentBlock[],
  options: LinkedFilesOptions,
): Promise<readonly ContentBlock[]> {
  return Promise.all(
    prompt.map(async (block): Promise<ContentBlock> => {
      const file = block.type === "resource_link" ? readFileUri(block.uri) : undefined;
      return block.type !== "resource_link" || file === undefined ? block : linked(block, file, options);
    }),
  );
}

async function linked(link: ResourceLink, file: FileReference, options: LinkedFilesOptions): Promise<ContentBlock> {
  const { client, sessionId, textOf, isAlways } = options;
  const line = file.line ?? 1;
  const limit = Math.min(
    file.lineCount !== undefined && file.lineCount > 1 ? file.lineCount : maxLinkedLines,
    maxLinkedLines,
  );
  try {
    const signal = AbortSignal.timeout(readLimitMs);
    const { content } = await client.call("fs/read_text_file", { sessionId, path: file.path, line, limit }, { signal });
    const store = textOf(file.path)
      ?.split("\n")
      .slice(line - 1, line - 1 + limit)
      .join("\n");
    if (content === "" || (!isAlways && store !== undefined && isSame(content, store))) return link;
    const lines = content.split("\n").slice(0, limit).join("\n");
    return { type: "resource", resource: { uri: link.uri, text: lines } };
  } catch {
    return link;
  }
}

/** Whether two texts have the same lines. */
function isSame(left: string, right: string): boolean {
  return left.replaceAll("\r\n", "\n").trimEnd() === right.replaceAll("\r\n", "\n").trimEnd();
}
