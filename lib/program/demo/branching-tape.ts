/**
 * A tape that continues differently when the user refuses a permission.
 *
 * In the main recording every permission request is allowed. After it come the branches:
 * each begins with a meta row that names the request, and holds what the CLI did when
 * that request was refused.
 */
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
  /** The branches, by the id of the permission request that was refused. */
  readonly refused: ReadonlyMap<string, Tape>;
  /** The recorded prompt and its id. */
  readonly prompt: { readonly text: string; readonly uuid: string };
}

/** The tape of `bowline demo`, made by spec/live/record/record-demo.ts from the real CLI. */
export { default as demoTapeText } from "./tape.ndjson.text.ts";

/** Reads a tape and relocates it to `cwd`. */
export function readBranchingTape(text: string, cwd: string): BranchingTape {
  const [first = "", ...branches] = text.split(/^(?=\{"dir":"meta","t":\d+,"otherwise")/m);
  const main = readTape(first);
  const refused = branches.map((branch): readonly [string, Tape] => {
    const head: unknown = JSON.parse(branch.slice(0, branch.indexOf("\n")));
    const { otherwise, t } = isRecord(head) ? head : {};
    const rows = readTape(branch).rows.map((row) => ({ ...row, atMs: row.atMs - Number(t) }));
    return [String(otherwise), relocate({ cwd: main.cwd, rows }, cwd)];
  });
  return { main: relocate(main, cwd), refused: new Map(refused), prompt: promptOf(main) };
}

/** Plays the main recording; a refusal that has a branch continues with the branch. */
export function branchingLink({ main, refused, prompt }: BranchingTape, options: TapeOptions): Link {
  let playing = tapeLink(main, options);
  let callbacks: LinkCallbacks | undefined;
  let promptId = prompt.uuid;
  const play = (link: TapeLink, target: LinkCallbacks): void => {
    playing = link;
    // Events of the recording that was left are dropped.
    const isCurrent = (): boolean => playing === link;
    link.open({
      onLine: (line) => isCurrent() && target.onLine(line.replaceAll(prompt.uuid, promptId)),
      onFault: (fault) => isCurrent() && target.onFault(fault),
      onDrain: () => isCurrent() && target.onDrain(),
      onEnd: () => isCurrent() && target.onEnd(),
      onClose: (reason) => isCurrent() && target.onClose(reason),
    });
  };
  return {
    open: (target) => {
      callbacks = target;
      play(playing, target);
    },
    send: (line) => {
      const frame = readFrame(JSON.parse(line));
      if (frame?.type === "user") promptId = frame.uuid ?? promptId;
      const isRefusal = frame?.type === "answer" && isRecord(frame.answer) && frame.answer["behavior"] === "deny";
      const branch = isRefusal ? refused.get(frame.id) : undefined;
      // No branch was recorded for an interrupt.
      if (frame?.type === "request" && frame.subtype === "interrupt") playing.close("the recording ends here");
      else if (branch === undefined || callbacks === undefined) playing.send(line);
      else play(tapeLink(branch, options), callbacks);
      return true;
    },
    pause: () => playing.pause(),
    resume: () => playing.resume(),
    close: (reason) => playing.close(reason),
  };
}

/** The content of a file before the recorded edit. */
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
