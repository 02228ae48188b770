/**
 * Finds and reads the transcripts of a session's subagents.
 *
 * Each file belongs to the tool call that started the subagent. It is opened when that call
 * is replayed and read only as far as the main conversation has been replayed.
 */
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { isRecord } from "../../schema/index.ts";
import { entries, staysBelow } from "./session-files.ts";
import { transcriptLines, type TranscriptLine } from "./lines.ts";

/** Files of subagents by the tool call that started them. `known`: calls by subagent id, from the main file. */
export async function subagentFiles(
  directory: string,
  known: ReadonlyMap<string, string>,
): Promise<ReadonlyMap<string, string>> {
  const files = new Map<string, string>();
  const below = join(directory, "subagents");
  if (!(await staysBelow(dirname(directory), below))) return files;
  for (const entry of await entries(below)) {
    const agentId = /^agent-([A-Za-z0-9_-]+)\.jsonl$/.exec(entry.name)?.[1];
    if (agentId === undefined || !entry.isFile()) continue;
    const call = (await callOf(join(below, `agent-${agentId}.meta.json`))) ?? known.get(agentId);
    if (call !== undefined) files.set(call, join(below, entry.name));
  }
  return files;
}

/** The lines of one subagent, read one at a time. */
export class SubagentLines {
  readonly call: string;
  readonly path: string;
  readonly #batches: AsyncGenerator<readonly TranscriptLine[]>;
  #batch: readonly TranscriptLine[] = [];
  #next = 0;

  constructor(call: string, path: string, maxLineBytes: number | undefined) {
    this.call = call;
    this.path = path;
    this.#batches = transcriptLines(path, { maxLineBytes });
  }

  /** The next line, without consuming it; undefined at the end. */
  async peek(): Promise<TranscriptLine | undefined> {
    while (this.#next >= this.#batch.length) {
      const { done, value } = await this.#batches.next();
      if (done === true) return undefined;
      this.#batch = value;
      this.#next = 0;
    }
    return this.#batch[this.#next];
  }

  take(): void {
    this.#next++;
  }

  async close(): Promise<void> {
    await this.#batches.return(undefined);
  }
}

async function callOf(path: string): Promise<string | undefined> {
  try {
    const meta: unknown = JSON.parse(await readFile(path, "utf8"));
    const call = isRecord(meta) ? meta["toolUseId"] : undefined;
    return typeof call === "string" ? call : undefined;
  } catch {
    return undefined;
  }
}
