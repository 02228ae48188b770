/**
 * Forked tape: a recording that goes on in another way when the person says no.
 *
 * The main recording has every question allowed. After it, behind a line that names
 * the question, comes what the CLI did when that one was refused.
 */
import { readFileSync } from "node:fs";
import { isRecord } from "../../schema/index.ts";
import {
  relocate,
  readFrame,
  readTape,
  type Tape,
  tapeLink,
  type TapeLink,
  type TapeOptions,
} from "../../tape/index.ts";
import type { Link, LinkCallbacks } from "../../wire/index.ts";

export interface BranchingTape {
  readonly main: Tape;
  /** By the id of the question that was refused. */
  readonly refused: ReadonlyMap<string, Tape>;
  /** What the person said, and its id. */
  readonly prompt: { readonly text: string; readonly uuid: string };
}

/**
 * The tape of `bowline demo`, made by spec/live/record-demo.ts from the real CLI. The
 * build replaces this expression by the file's text.
 */
export function demoTapeText(): string {
  return readFileSync(new URL("./tape.ndjson", import.meta.url), "utf8");
}

/** Reads a tape and relocates it to `cwd`. */
export function readBranchingTape(text: string, cwd: string): BranchingTape {
  const [first = "", ...tails] = text.split(/^(?=\{"dir":"meta","t":\d+,"otherwise")/m);
  const main = readTape(first);
  const refused = tails.map((tail): readonly [string, Tape] => {
    const head: unknown = JSON.parse(tail.slice(0, tail.indexOf("\n")));
    const { otherwise, t } = isRecord(head) ? head : {};
    const rows = readTape(tail).rows.map((row) => ({ ...row, atMs: row.atMs - Number(t) }));
    return [String(otherwise), relocate({ cwd: main.cwd, rows }, cwd)];
  });
  return { main: relocate(main, cwd), refused: new Map(refused), prompt: promptOf(main) };
}

/** A link that plays the tape, and the other one from the question on that is refused. */
export function branchingLink({ main, refused, prompt }: BranchingTape, options: TapeOptions): Link {
  let playing = tapeLink(main, options);
  let callbacks: LinkCallbacks | undefined;
  let promptId = prompt.uuid;
  const play = (link: TapeLink, given: LinkCallbacks): void => {
    playing = link;
    // The one before it has nothing more to say.
    const isHeard = (): boolean => playing === link;
    link.open({
      onLine: (line) => isHeard() && given.onLine(line.replaceAll(prompt.uuid, promptId)),
      onFault: (fault) => isHeard() && given.onFault(fault),
      onDrain: () => isHeard() && given.onDrain(),
      onEnd: () => isHeard() && given.onEnd(),
      onClose: (reason) => isHeard() && given.onClose(reason),
    });
  };
  return {
    open: (given) => {
      callbacks = given;
      play(playing, given);
    },
    send: (line) => {
      const frame = readFrame(JSON.parse(line));
      if (frame?.type === "user") promptId = frame.uuid ?? promptId;
      const isRefusal = frame?.type === "answer" && isRecord(frame.answer) && frame.answer["behavior"] === "deny";
      const other = isRefusal ? refused.get(frame.id) : undefined;
      // Stopped: from here on nothing was recorded.
      if (frame?.type === "request" && frame.subtype === "interrupt") playing.close("the recording ends here");
      else if (other === undefined || callbacks === undefined) playing.send(line);
      else play(tapeLink(other, options), callbacks);
      return true;
    },
    pause: () => playing.pause(),
    resume: () => playing.resume(),
    close: (reason) => playing.close(reason),
  };
}

/** A file as it was before the recording changed it. */
export function recordedFile({ main }: BranchingTape, path: string): string | undefined {
  for (const row of main.rows) {
    if (row.kind !== "said" || !row.line.includes('"originalFile"')) continue;
    const line: unknown = JSON.parse(row.line);
    const result = isRecord(line) ? line["tool_use_result"] : undefined;
    if (isRecord(result) && result["filePath"] === path && typeof result["originalFile"] === "string") {
      return result["originalFile"];
    }
  }
  return undefined;
}

function promptOf({ rows }: Tape): BranchingTape["prompt"] {
  for (const row of rows) {
    if (row.kind !== "awaited" || row.frame.type !== "user") continue;
    const { message, uuid = "" } = row.frame;
    if (isRecord(message)) return { text: String(message["content"]), uuid };
  }
  throw new Error("the recording has no prompt");
}
