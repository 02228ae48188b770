/**
 * Replays a session's transcript files as events.
 *
 * Two passes over the main file: the first decides which lines belong to the conversation,
 * the second replays them. A short file is read and parsed once, a long one in both passes,
 * so that memory stays bounded. Entries of subagents are merged in by timestamp. Lines that
 * cannot be read are counted and the rest is replayed.
 */
import { stat } from "node:fs/promises";
import { isRecord } from "../../schema/index.ts";
import type { ConversationEvent } from "../claude-connection.ts";
import type { SessionFiles } from "./session-files.ts";
import { subagentFiles, SubagentLines } from "./subagents.ts";
import { defaultTranscriptLimits, type TranscriptLimits } from "./truncate.ts";
import { conversationOf, type ChainLink, chainLink, rewindMark } from "./chain.ts";
import type { TranscriptEntry } from "./entry.ts";
import { isOffChain, TranscriptReplayer } from "./replay-events.ts";
import { resultIds } from "./raw-blocks.ts";
import { transcriptLines, type TranscriptLine } from "./lines.ts";

export interface TranscriptOptions extends Partial<TranscriptLimits> {
  /** Receives each event. If it returns a promise, reading continues when the promise resolves. */
  readonly onEvent: (event: ConversationEvent) => void | Promise<void>;
  readonly maxLineBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Unreadable {
  readonly file: "main" | "subagent";
  /** Counted from 1. */
  readonly line: number;
  /** Never quotes the line. */
  readonly why: string;
}

export interface TranscriptReport {
  /** False when there is no such file or it contains no conversation. */
  readonly isFound: boolean;
  readonly unreadableCount: number;
  /** The first of them, at most `maxUnreadableReported`. */
  readonly unreadable: readonly Unreadable[];
  /** How many bytes of tool inputs and results were left out because they were too large. */
  readonly leftOutBytes: number;
  /** The title that the user gave. */
  readonly title: string | undefined;
  /** The last working directory of the conversation. */
  readonly cwd: string | undefined;
}

export const maxUnreadableReported = 20;
/** The entries of a file with fewer characters are kept from the first pass to the second. */
export const maxKeptChars = 4 * 1024 * 1024;
/** How much is replayed from memory before the event loop has a turn. */
const maxCharsAtOnce = 256 * 1024;

/** Replays a session's conversation. Rejects only with what `onEvent` throws, or when the signal aborts. */
export async function readTranscript(files: SessionFiles, options: TranscriptOptions): Promise<TranscriptReport> {
  const reading = new TranscriptReading(files, options);
  return reading.run();
}

class TranscriptReading {
  readonly #files: SessionFiles;
  readonly #options: TranscriptOptions;
  readonly #replayer: TranscriptReplayer;
  readonly #unreadable: Unreadable[] = [];
  /** Files of subagents whose tool call has not been replayed yet, by the id of the call. */
  #unstarted = new Map<string, string>();
  readonly #running = new Map<string, SubagentLines>();
  #unreadableCount = 0;

  constructor(files: SessionFiles, options: TranscriptOptions) {
    this.#files = files;
    this.#options = options;
    this.#replayer = new TranscriptReplayer({
      maxTextBytes: options.maxTextBytes ?? defaultTranscriptLimits.maxTextBytes,
      maxImageBytes: options.maxImageBytes ?? defaultTranscriptLimits.maxImageBytes,
    });
  }

  async run(): Promise<TranscriptReport> {
    const survey = await this.#survey();
    if (survey.conversation.size > 0) {
      this.#unstarted = new Map(await subagentFiles(this.#files.directory, survey.calls));
      try {
        await this.#replay(survey);
      } finally {
        for (const lines of this.#running.values()) await lines.close();
      }
    }
    return {
      isFound: survey.conversation.size > 0,
      unreadableCount: this.#unreadableCount,
      unreadable: this.#unreadable,
      leftOutBytes: this.#replayer.leftOutBytes,
      title: this.#replayer.title,
      cwd: survey.cwd,
    };
  }

  async #survey(): Promise<Survey> {
    const links: (ChainLink | undefined)[] = [];
    const offChain = new Set<number>();
    const calls = new Map<string, string>();
    let cwd: string | undefined;
    let lines = 0;
    let rewind: ReturnType<typeof rewindMark>;
    let kept: TranscriptLine[] | undefined = [];
    let chars = 0;
    const { size: bytes } = await stat(this.#files.transcript).catch(() => ({ size: 0 }));
    for await (const line of this.#lines({ endBytes: bytes })) {
      lines = line.number + 1;
      if (line.fault !== undefined) this.#reportUnreadable("main", line);
      const { entry } = line;
      if (entry === undefined) continue;
      chars += line.chars;
      if (chars > maxKeptChars) kept = undefined;
      kept?.push(line);
      links[line.number] = chainLink(entry);
      rewind = rewindMark(entry, line.number) ?? rewind;
      if (isOffChain(entry)) offChain.add(line.number);
      if (entry.isSidechain !== true) cwd = entry.relocatedCwd ?? entry.cwd ?? cwd;
      noteCall(calls, entry);
    }
    // Skipped lines leave holes in the array; they become undefined.
    const conversation = conversationOf(
      Array.from({ length: lines }, (_, i) => links[i]),
      rewind,
    );
    return { conversation, offChain, calls, cwd, bytes, kept };
  }

  async #replay({ conversation, offChain, bytes, kept }: Survey): Promise<void> {
    const wants = (number: number): boolean => conversation.has(number) || offChain.has(number);
    const lines = kept === undefined ? this.#lines({ endBytes: bytes, wants }) : this.#keptLines(kept, wants);
    for await (const { number, entry, chars } of lines) {
      if (entry === undefined) continue;
      if (this.#running.size > 0) await this.#replaySubagentsUntil(entry);
      if (offChain.has(number)) await this.#emit(this.#replayer.takeOffChain(entry));
      else await this.#emit(this.#replayer.takeMain(entry, chars));
    }
    for (const call of this.#running.keys()) await this.#replayRest(call);
    await this.#emit(this.#replayer.end());
  }

  /** Replays the subagents' entries up to the time of this entry, and all of a subagent whose result it is. */
  async #replaySubagentsUntil(entry: TranscriptEntry): Promise<void> {
    const isOver = (lines: SubagentLines): boolean =>
      isAsync(entry) === false && resultIds(entry.message).includes(lines.call);
    const { timestamp } = entry;
    for (;;) {
      let earliest: { readonly lines: SubagentLines; readonly line: TranscriptLine; readonly at: string } | undefined;
      for (const lines of this.#running.values()) {
        const line = await this.#peek(lines);
        if (line === undefined) continue;
        const at = line.entry?.timestamp ?? "";
        const isDue = isOver(lines) || (timestamp !== undefined && at <= timestamp);
        if (isDue && (earliest === undefined || at < earliest.at)) earliest = { lines, line, at };
      }
      if (earliest === undefined) return;
      await this.#takeSubagent(earliest.lines, earliest.line);
    }
  }

  async #replayRest(call: string): Promise<void> {
    const lines = this.#running.get(call);
    if (lines === undefined) return;
    for (let line = await this.#peek(lines); line !== undefined; line = await this.#peek(lines)) {
      await this.#takeSubagent(lines, line);
    }
  }

  async #takeSubagent(lines: SubagentLines, line: TranscriptLine): Promise<void> {
    lines.take();
    if (line.fault !== undefined) this.#reportUnreadable("subagent", line);
    if (line.entry !== undefined) await this.#emit(this.#replayer.takeSubagent(lines.call, line.entry, line.chars));
  }

  /** The next line of a subagent; undefined at the end or when the file cannot be read. */
  async #peek(lines: SubagentLines): Promise<TranscriptLine | undefined> {
    try {
      const line = await lines.peek();
      if (line === undefined) this.#running.delete(lines.call);
      return line;
    } catch (cause) {
      this.#running.delete(lines.call);
      this.#reportUnreadable("subagent", { number: 0, fault: codeOf(cause) });
      return undefined;
    }
  }

  async #emit(events: readonly ConversationEvent[]): Promise<void> {
    for (const event of events) {
      this.#options.signal?.throwIfAborted();
      const taken = this.#options.onEvent(event);
      if (taken !== undefined) await taken;
      // A live CLI sends nothing about the subagents of a subagent.
      const isMain = event.type === "assistant" && event.parent_tool_use_id == null;
      if (isMain && this.#unstarted.size > 0) this.#openSubagents(event.message.content);
    }
  }

  /** Opens the files of the subagents that the tool calls of this message started. */
  #openSubagents(content: readonly { readonly type: string; readonly id?: unknown }[]): void {
    for (const { type, id } of content) {
      const path = type === "tool_use" && typeof id === "string" ? this.#unstarted.get(id) : undefined;
      if (path === undefined || typeof id !== "string") continue;
      this.#unstarted.delete(id);
      this.#running.set(id, new SubagentLines(id, path, this.#options.maxLineBytes));
    }
  }

  async *#keptLines(
    kept: readonly TranscriptLine[],
    wants: (number: number) => boolean,
  ): AsyncGenerator<TranscriptLine> {
    let chars = 0;
    for (const line of kept) {
      if (!wants(line.number)) continue;
      yield line;
      chars += line.chars;
      if (chars < maxCharsAtOnce) continue;
      chars = 0;
      await new Promise(setImmediate);
      this.#options.signal?.throwIfAborted();
    }
  }

  /** The lines of the main file; none when it cannot be opened. */
  async *#lines(how: {
    readonly endBytes: number;
    readonly wants?: (number: number) => boolean;
  }): AsyncGenerator<TranscriptLine> {
    try {
      for await (const batch of transcriptLines(this.#files.transcript, {
        ...how,
        maxLineBytes: this.#options.maxLineBytes,
      })) {
        this.#options.signal?.throwIfAborted();
        yield* batch;
      }
    } catch (cause) {
      if (!isSystemError(cause)) throw cause;
      if (cause.code !== "ENOENT") this.#reportUnreadable("main", { number: 0, fault: cause.code });
    }
  }

  #reportUnreadable(file: Unreadable["file"], { number, fault }: Pick<TranscriptLine, "number" | "fault">): void {
    this.#unreadableCount++;
    if (this.#unreadable.length < maxUnreadableReported)
      this.#unreadable.push({ file, line: number + 1, why: fault ?? "" });
  }
}

interface Survey {
  readonly conversation: ReadonlySet<number>;
  /** Lines outside the chain that are replayed too, see `isOffChain`. */
  readonly offChain: ReadonlySet<number>;
  /** Tool calls by the id of the subagent they started. */
  readonly calls: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
  readonly bytes: number;
  /** The lines with an entry; undefined when the file is too long to keep them. */
  readonly kept: readonly TranscriptLine[] | undefined;
}

function noteCall(calls: Map<string, string>, { type, message, toolUseResult }: TranscriptEntry): void {
  const agentId = type === "user" && isRecord(toolUseResult) ? toolUseResult["agentId"] : undefined;
  const [call] = typeof agentId === "string" ? resultIds(message) : [];
  if (typeof agentId === "string" && call !== undefined) calls.set(agentId, call);
}

/** Undefined when the entry is not a tool result; true when the call continues in the background. */
function isAsync({ type, toolUseResult }: TranscriptEntry): boolean | undefined {
  if (type !== "user") return undefined;
  return isRecord(toolUseResult) && toolUseResult["isAsync"] === true;
}

function isSystemError(cause: unknown): cause is Error & { readonly code: string } {
  return cause instanceof Error && "code" in cause && typeof cause.code === "string";
}

function codeOf(cause: unknown): string {
  return isSystemError(cause) ? cause.code : "not readable";
}
