/**
 * Transcript: a session's files in, the conversation as events out.
 *
 * Reads the file twice, a chunk at a time: once for which lines belong together,
 * once to tell them. Subagents are told between the lines of the main
 * conversation, by the time. What cannot be read is counted and the rest is told.
 */
import { stat } from "node:fs/promises";
import { isRecord } from "../../schema/index.ts";
import type { ConversationEvent } from "../claude-connection.ts";
import type { SessionFiles } from "./session-files.ts";
import { subagentFiles, SubagentLines } from "./subagents.ts";
import { defaultTranscriptLimits, type TranscriptLimits } from "./truncate.ts";
import { conversationOf, type ChainLink, chainLink } from "./chain.ts";
import type { TranscriptEntry } from "./entry.ts";
import { isOffChain, TranscriptReplayer } from "./replay-events.ts";
import { resultIds } from "./raw-blocks.ts";
import { transcriptLines, type TranscriptLine } from "./lines.ts";

export interface TranscriptOptions extends Partial<TranscriptLimits> {
  /** Takes an event; the reading goes on when the promise, if there is one, is kept. */
  readonly onEvent: (event: ConversationEvent) => void | Promise<void>;
  readonly maxLineBytes?: number | undefined;
  readonly signal?: AbortSignal | undefined;
}

export interface Unreadable {
  /** The main file's, or a subagent's, name. */
  readonly file: "main" | "subagent";
  /** From 1. */
  readonly line: number;
  /** Never quotes the line. */
  readonly why: string;
}

export interface TranscriptReport {
  /** False: there is no such file, or nothing of a conversation in it. */
  readonly isFound: boolean;
  readonly unreadableCount: number;
  /** The first of them. */
  readonly unreadable: readonly Unreadable[];
  /** Of tools' inputs and results that were too large. */
  readonly leftOutBytes: number;
  /** The title a person gave. */
  readonly title: string | undefined;
  /** Where the conversation took place last. */
  readonly cwd: string | undefined;
}

export const maxUnreadableTold = 20;

/** Tells a session's conversation. Rejects only with what `onEvent` throws, or when the signal aborts. */
export async function readTranscript(files: SessionFiles, options: TranscriptOptions): Promise<TranscriptReport> {
  const reading = new TranscriptReading(files, options);
  return reading.run();
}

class TranscriptReading {
  readonly #files: SessionFiles;
  readonly #options: TranscriptOptions;
  readonly #replayer: TranscriptReplayer;
  readonly #unreadable: Unreadable[] = [];
  /** The subagents' files whose call was not told yet, by the call. */
  #waiting = new Map<string, string>();
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
      this.#waiting = new Map(await subagentFiles(this.#files.directory, survey.calls));
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
    const { size: bytes } = await stat(this.#files.transcript).catch(() => ({ size: 0 }));
    for await (const line of this.#lines({ endBytes: bytes })) {
      lines = line.number + 1;
      if (line.fault !== undefined) this.#miss("main", line);
      const { entry } = line;
      if (entry === undefined) continue;
      links[line.number] = chainLink(entry);
      if (isOffChain(entry)) offChain.add(line.number);
      if (entry.isSidechain !== true) cwd = entry.relocatedCwd ?? entry.cwd ?? cwd;
      noteCall(calls, entry);
    }
    // Lines that were skipped leave holes, which are no links.
    const conversation = conversationOf(Array.from({ length: lines }, (_, i) => links[i]));
    return { conversation, offChain, calls, cwd, bytes };
  }

  async #replay({ conversation, offChain, bytes }: Survey): Promise<void> {
    const wants = (number: number): boolean => conversation.has(number) || offChain.has(number);
    for await (const { number, entry, chars } of this.#lines({ endBytes: bytes, wants })) {
      if (entry === undefined) continue;
      if (this.#running.size > 0) await this.#catchUp(entry);
      if (offChain.has(number)) await this.#say(this.#replayer.takeOffChain(entry));
      else await this.#say(this.#replayer.takeMain(entry, chars));
    }
    for (const call of this.#running.keys()) await this.#finish(call);
    await this.#say(this.#replayer.end());
  }

  /** Tells what subagents had done by the time of this line, and all of one whose end it is. */
  async #catchUp(entry: TranscriptEntry): Promise<void> {
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

  async #finish(call: string): Promise<void> {
    const lines = this.#running.get(call);
    if (lines === undefined) return;
    for (let line = await this.#peek(lines); line !== undefined; line = await this.#peek(lines)) {
      await this.#takeSubagent(lines, line);
    }
  }

  async #takeSubagent(lines: SubagentLines, line: TranscriptLine): Promise<void> {
    lines.take();
    if (line.fault !== undefined) this.#miss("subagent", line);
    if (line.entry !== undefined) await this.#say(this.#replayer.takeSubagent(lines.call, line.entry, line.chars));
  }

  /** The next line of a subagent; one whose file cannot be read has none. */
  async #peek(lines: SubagentLines): Promise<TranscriptLine | undefined> {
    try {
      const line = await lines.peek();
      if (line === undefined) this.#running.delete(lines.call);
      return line;
    } catch (cause) {
      this.#running.delete(lines.call);
      this.#miss("subagent", { number: 0, fault: codeOf(cause) });
      return undefined;
    }
  }

  async #say(events: readonly ConversationEvent[]): Promise<void> {
    for (const event of events) {
      this.#options.signal?.throwIfAborted();
      const taken = this.#options.onEvent(event);
      if (taken !== undefined) await taken;
      // A live CLI is silent about what a subagent's own subagents do.
      const isMain = event.type === "assistant" && event.parent_tool_use_id == null;
      if (isMain && this.#waiting.size > 0) this.#follow(event.message.content);
    }
  }

  /** A call was told; if it began a subagent, that one is heard from now on. */
  #follow(content: readonly { readonly type: string; readonly id?: unknown }[]): void {
    for (const { type, id } of content) {
      const path = type === "tool_use" && typeof id === "string" ? this.#waiting.get(id) : undefined;
      if (path === undefined || typeof id !== "string") continue;
      this.#waiting.delete(id);
      this.#running.set(id, new SubagentLines(id, path, this.#options.maxLineBytes));
    }
  }

  /** Lines of the main file; none when it cannot be opened. */
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
      if (cause.code !== "ENOENT") this.#miss("main", { number: 0, fault: cause.code });
    }
  }

  #miss(file: Unreadable["file"], { number, fault }: Pick<TranscriptLine, "number" | "fault">): void {
    this.#unreadableCount++;
    if (this.#unreadable.length < maxUnreadableTold)
      this.#unreadable.push({ file, line: number + 1, why: fault ?? "" });
  }
}

interface Survey {
  readonly conversation: ReadonlySet<number>;
  /** Lines with something to tell that have no place in the chain. */
  readonly offChain: ReadonlySet<number>;
  /** Tool calls by the id of the agent they began. */
  readonly calls: ReadonlyMap<string, string>;
  readonly cwd: string | undefined;
  readonly bytes: number;
}

function noteCall(calls: Map<string, string>, { type, message, toolUseResult }: TranscriptEntry): void {
  const agentId = type === "user" && isRecord(toolUseResult) ? toolUseResult["agentId"] : undefined;
  const [call] = typeof agentId === "string" ? resultIds(message) : [];
  if (typeof agentId === "string" && call !== undefined) calls.set(agentId, call);
}

/** Undefined when the line is no result; true when the call goes on in the background. */
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
