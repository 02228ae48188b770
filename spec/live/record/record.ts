/**
 * Records the real CLI with a scripted model and a scripted host onto a tape.
 *
 * `npm run record -- <scenario>...` writes `<scenario>.ndjson`, one JSON object a line:
 * meta, in, out, stderr, exit, each with its time. `--list` lists the scenarios,
 * `--out=<directory>` sets the target, no name means all.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { fileRecordings } from "../scenarios/files.ts";
import { reachRecordings } from "../scenarios/reach.ts";
import { promptOnce, type Recording } from "../scenarios/recording.ts";
import { workRecordings } from "../scenarios/work.ts";
import { ClaudeHost, type Traffic } from "../../support/live/claude-host.ts";
import { fakeKey } from "../../support/live/real-cli.ts";
import { anonymizeTape } from "../../support/live/anonymize-recording.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";

const recordings: readonly Recording[] = [...fileRecordings, ...workRecordings, ...reachRecordings];
const flags = process.argv.slice(2).filter((arg) => arg.startsWith("--"));
const names = process.argv.slice(2).filter((arg) => !arg.startsWith("--"));
const out = flags.find((flag) => flag.startsWith("--out="))?.slice("--out=".length) ?? usualPlace();
const unknown = names.filter((name) => !recordings.some((recording) => recording.name === name));

if (flags.includes("--list")) {
  for (const { name, what } of recordings) process.stdout.write(`${name.padEnd(28)} ${what}\n`);
} else if (unknown.length > 0) {
  process.stderr.write(`record: no scenario named ${unknown.join(", ")}; --list shows them\n`);
  process.exitCode = 2;
} else {
  mkdirSync(out, { recursive: true });
  const wanted = recordings.filter(({ name }) => names.length === 0 || names.includes(name));
  for (const recording of wanted) await record(recording);
}

async function record(recording: Recording): Promise<void> {
  const { name, args = [], env = {}, initialize = {} } = recording;
  const started = performance.now();
  const lines: object[] = [];
  const keep = (traffic: Traffic): void => {
    const { dir, ...rest } = traffic;
    lines.push({ dir, t: Math.round((performance.now() - started) * 10) / 10, ...rest });
  };
  let clean: readonly unknown[] = [];
  await withEnvironment({}, async (environment) => {
    const { api, place } = environment;
    recording.prepare?.(place, api);
    for (const [marker, script] of Object.entries(recording.scripts(place))) api.script(marker, ...script);
    const host = environment.own(new ClaudeHost({ api, workspace: place, args, env, onTraffic: keep }));
    const { cwd, home, root } = place;
    const { uid } = userInfo();
    const machine = { cwd, home, root, port: api.port, key: fakeKey, pid: host.pid, hostname: hostname(), uid };
    lines.unshift({ dir: "meta", t: 0, argv: ["claude", ...host.args], env_extra: env, cwd });
    host.usual = recording.usual ?? host.usual;
    await host.initialize(initialize);
    await (recording.play?.(host, environment) ?? promptOnce(host, name));
    await host.end();
    clean = anonymizeTape(lines, machine);
    // A tape that still names this machine must not be written.
    if (JSON.stringify(clean).includes(basename(root))) throw new Error(`${name}: ${root} was not removed`);
  });
  const file = join(out, `${name}.ndjson`);
  writeFileSync(file, clean.map((line) => `${JSON.stringify(line)}\n`).join(""));
  const took = Math.round(performance.now() - started);
  process.stderr.write(`record: ${file}, ${lines.length} lines, ${took} ms\n`);
}

function usualPlace(): string {
  return fileURLToPath(new URL("../../../fixtures/claude/", import.meta.url));
}
