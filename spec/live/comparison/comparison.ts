/**
 * Runs calls on several workers at once and compares the outcomes with the recorded ones.
 */
import { mkdtempSync, realpathSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listAt } from "../../support/json.ts";
import type { ComparedCall, Mode, Shell } from "./call.ts";
import { compareOutcomes, type Finding, type Outcome } from "./outcome.ts";
import { columnOf, type RecordedOutcomes } from "./recorded.ts";
import { Worker, type WorkerOptions } from "./worker.ts";

export interface RunOptions {
  readonly mode: Mode;
  readonly shell: Shell;
  readonly edits: boolean;
  readonly commands: boolean;
  readonly workers: number;
  readonly isAlwaysFresh: boolean;
  readonly onResult?: WorkerOptions["onResult"];
  readonly onOutcome?: (call: ComparedCall, outcome: Outcome | Error) => void;
}

export interface Compared {
  readonly call: ComparedCall;
  readonly finding: Finding;
}

/** Neighbours that one worker runs one after the other; it then takes the next ones. */
const callsAtATime = 12;
/** A busy machine can make a session late; a call that fails this often is reported. */
const maxTries = 2;

export async function runCalls(
  calls: readonly ComparedCall[],
  { workers, onOutcome, ...options }: RunOptions,
): Promise<ReadonlyMap<string, Outcome>> {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "bowline-compare-"));
  const outcomes = new Map<string, Outcome>();
  let next = 0;
  const work = async (index: number): Promise<void> => {
    await using worker = await Worker.start({ directory: join(root, `w${index}`), ...options });
    while (next < calls.length) {
      const from = next;
      next += callsAtATime;
      for (const call of calls.slice(from, from + callsAtATime)) {
        const outcome = await tryOften(worker, call);
        if (!(outcome instanceof Error)) outcomes.set(call.id, outcome);
        onOutcome?.(call, outcome);
      }
    }
  };
  try {
    await Promise.all(
      Array.from({ length: Math.min(workers, Math.ceil(calls.length / callsAtATime)) }, (_, i) => work(i)),
    );
  } finally {
    rmSync(root, { recursive: true, force: true, maxRetries: 20, retryDelay: 50 });
  }
  return outcomes;
}

/** Calls without a recorded outcome, or without one of ours, are left out: the caller counts them. */
export function compareAll(
  calls: readonly ComparedCall[],
  recorded: RecordedOutcomes,
  ours: ReadonlyMap<string, Outcome>,
  { mode, shell }: Pick<RunOptions, "mode" | "shell">,
): readonly Compared[] {
  return calls.flatMap((call) => {
    const cli = recorded.get(columnOf(mode, shell), call.id);
    const mine = ours.get(call.id);
    return cli === undefined || mine === undefined
      ? []
      : [{ call, finding: compareOutcomes(cli, mine, isRuledWrite(call)) }];
  });
}

export function isRuledWrite({ tool, settings }: ComparedCall): boolean {
  const denied = settings.flatMap(({ content }) => listAt(content, "permissions.deny").map(String));
  return (tool === "Write" || tool === "Edit") && denied.some((rule) => /^(?:Edit|Write|Read)\([^]+\)$/.test(rule));
}

async function tryOften(worker: Worker, call: ComparedCall): Promise<Outcome | Error> {
  let failure = new Error(`${call.id}: was not tried`);
  for (let tried = 0; tried < maxTries; tried++) {
    try {
      return await worker.run(call);
    } catch (cause) {
      failure = cause instanceof Error ? cause : new Error(String(cause));
    }
  }
  return failure;
}
