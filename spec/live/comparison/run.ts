/**
 * `npm run test:compare`: the editor options against the CLI's own tools, call by call.
 *
 * Flags: `--kind commands,paths,rules`, `--mode default,acceptEdits,...|all`, `--shell bash,dash,zsh`,
 * `--on both|edits|commands|none` (none: is the recording still true), `--sample n` with `--seed n`, `--group text`, `--match text`, `--workers n`, `--fresh` (a
 * session for each call), `--record` (the CLI's own outcomes, into the fixture), `--verbose`.
 * Calls without a recorded outcome are recorded first. Exits 1 when a call is looser than the CLI's own.
 */
import { existsSync } from "node:fs";
import { parseArgs } from "node:util";
import { kinds, modes, shells, type ComparedCall, type Kind, type Mode, type Shell } from "./call.ts";
import { comparedCalls } from "./cases.ts";
import { compareAll, runCalls, type RunOptions } from "./comparison.ts";
import { columnOf, RecordedOutcomes } from "./recorded.ts";
import { sampleOf } from "./sample.ts";

const { values } = parseArgs({
  options: {
    kind: { type: "string", default: "all" },
    mode: { type: "string", default: "default" },
    shell: { type: "string", default: "bash" },
    on: { type: "string", default: "both" },
    sample: { type: "string" },
    seed: { type: "string" },
    match: { type: "string" },
    group: { type: "string" },
    workers: { type: "string", default: "4" },
    fresh: { type: "boolean", default: false },
    record: { type: "boolean", default: false },
    verbose: { type: "boolean", default: false },
  },
});

const all = comparedCalls();
const wantedKinds = listOf<Kind>("kind", values.kind, kinds);
const seed = Number(values.seed ?? Math.trunc(Math.random() * 1e9));
const ofKinds = all.filter(
  ({ kind, group, id }) =>
    wantedKinds.includes(kind) && group.includes(values.group ?? "") && id.includes(values.match ?? ""),
);
const calls = values.sample === undefined ? ofKinds : sampleOf(ofKinds, Number(values.sample), seed);
const recorded = RecordedOutcomes.read();
if (values.sample !== undefined) say(`sample of ${calls.length}, --seed ${seed}`);

let looser = 0;
for (const mode of listOf<Mode>("mode", values.mode, modes)) {
  for (const shell of listOf<Shell>("shell", values.shell, shells)) {
    if (!existsSync(`/bin/${shell}`)) say(`skipped: ${mode} with ${shell}, because /bin/${shell} is not installed`);
    else looser += await compareIn(mode, shell);
  }
}
process.exitCode = looser > 0 ? 1 : 0;

async function compareIn(mode: Mode, shell: Shell): Promise<number> {
  const column = columnOf(mode, shell);
  const common = { mode, shell, workers: Number(values.workers), isAlwaysFresh: values.fresh };
  const unknown = calls.filter(({ id }) => values.record || recorded.get(column, id) === undefined);
  if (unknown.length > 0) {
    const own = await timed(`${column}: ${unknown.length} calls with the CLI's own tools`, unknown, {
      ...common,
      edits: false,
      commands: false,
    });
    for (const [id, outcome] of own) recorded.set(column, id, outcome);
    recorded.write(all.map(({ id }) => id));
  }
  if (values.record) return 0;
  const ours = await timed(`${mode}/${shell}: ${calls.length} calls with ${values.on} on`, calls, {
    ...common,
    edits: values.on === "both" || values.on === "edits",
    commands: values.on === "both" || values.on === "commands",
  });
  const compared = compareAll(calls, recorded, ours, { mode, shell });
  let found = 0;
  for (const kind of wantedKinds) {
    const ofKind = compared.filter(({ call }) => call.kind === kind);
    if (ofKind.length === 0) continue;
    const looserOnes = ofKind.filter(({ finding }) => finding.kind === "looser");
    const stricter = ofKind.filter(({ finding }) => finding.kind === "stricter");
    found += looserOnes.length;
    for (const { call, finding } of looserOnes)
      if (finding.kind === "looser") say(`  LOOSER ${shown(call)}: ${finding.why}`);
    if (values.verbose)
      for (const { call, finding } of stricter)
        if (finding.kind === "stricter") say(`  stricter ${shown(call)}: ${finding.why}`);
    const asked = ofKind.filter(({ finding }) => finding.kind === "asked").length;
    say(
      `${mode}/${shell} ${kind}: ${ofKind.length} compared, ${looserOnes.length} looser, ${stricter.length} stricter, ${asked} asked where a rule with a pattern denies`,
    );
  }
  const missing = calls.length - compared.length;
  if (missing > 0) say(`${mode}/${shell}: ${missing} could not be compared`);
  return found + missing;
}

async function timed(what: string, wanted: readonly ComparedCall[], options: RunOptions): ReturnType<typeof runCalls> {
  const started = performance.now();
  let done = 0;
  const outcomes = await runCalls(wanted, {
    ...options,
    onOutcome: (call, outcome) => {
      if (outcome instanceof Error) say(`  could not run ${shown(call)}: ${outcome.message.split("\n")[0]}`);
      if (++done % 100 === 0) say(`  ${done} of ${wanted.length}`);
    },
    ...(values.verbose && {
      onResult: (call, { verdict, effects }, result) =>
        say(`  ${verdict} ${shown(call)} ${effects.join(", ")} | ${JSON.stringify(result?.text.slice(0, 120))}`),
    }),
  });
  const seconds = (performance.now() - started) / 1000;
  say(`${what}: ${seconds.toFixed(0)} s, ${(wanted.length / seconds).toFixed(1)} calls/s`);
  return outcomes;
}

function shown({ id }: ComparedCall): string {
  return JSON.stringify(id);
}

function listOf<T extends string>(flag: string, text: string, known: readonly T[]): readonly T[] {
  if (text === "all") return known;
  return text.split(",").map((word) => {
    const found = known.find((one) => one === word);
    if (found !== undefined) return found;
    process.stderr.write(`--${flag} is one of ${known.join(", ")} or all\n`);
    process.exit(2);
  });
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
