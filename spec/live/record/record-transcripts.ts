/**
 * Records the session files that the real CLI writes, small and anonymized.
 *
 * `node --import tsx spec/live/record/record-transcripts.ts [<scenario>...]` writes
 * fixtures/transcripts/<scenario>.jsonl, with a directory of the same name for
 * subagents. The CLI's internal data (requests, its own prompts, lists of tools) is cut;
 * every line of the conversation is unchanged.
 */
import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname, userInfo } from "node:os";
import { basename, join } from "node:path";
import { fileURLToPath } from "node:url";
import { findSession } from "../../../lib/claude/index.ts";
import { historyRecordings } from "../scenarios/history.ts";
import { promptOnce, type Recording } from "../scenarios/recording.ts";
import { ClaudeHost } from "../../support/live/claude-host.ts";
import { isObject, textAt } from "../../support/json.ts";
import { fakeKey } from "../../support/live/real-cli.ts";
import { anonymizer } from "../../support/live/anonymize-recording.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";

const out = fileURLToPath(new URL("../../../fixtures/transcripts/", import.meta.url));
/** Lines with the CLI's internal data. */
const bookkeeping = /^(?:api-request|file-history|atis-latch|tools-used|cost-state)/;
const names = process.argv.slice(2);
mkdirSync(out, { recursive: true });
for (const recording of historyRecordings) {
  if (names.length === 0 || names.includes(recording.name)) await record(recording);
}

async function record(recording: Recording): Promise<void> {
  const { name, args = [], env = {} } = recording;
  await withEnvironment({}, async (environment) => {
    const { api, place } = environment;
    for (const [marker, script] of Object.entries(recording.scripts(place))) api.script(marker, ...script);
    const host = environment.own(new ClaudeHost({ api, workspace: place, args, env }));
    await host.initialize();
    await (recording.play?.(host, environment) ?? promptOnce(host, name));
    await host.end();
    const files = await findSession(join(place.home, ".claude", "projects"), host.sessionId);
    if (files === undefined) throw new Error(`${name}: no session was written`);
    const { cwd, home, root } = place;
    const { uid } = userInfo();
    const anonymize = anonymizer({
      cwd,
      home,
      root,
      port: api.port,
      key: fakeKey,
      pid: host.pid,
      hostname: hostname(),
      uid,
    });
    const write = (from: string, to: string): void => {
      const lines = readFileSync(from, "utf8")
        .split("\n")
        .filter((line) => line !== "");
      const text = lines
        .flatMap((line) => kept(JSON.parse(line)))
        .map((line) => `${JSON.stringify(anonymize(line))}\n`)
        .join("");
      // A file that still names this machine must not be written.
      if (text.includes(basename(root))) throw new Error(`${name}: ${root} was not removed`);
      writeFileSync(to, text);
    };
    rmSync(join(out, name), { recursive: true, force: true });
    write(files.transcript, join(out, `${name}.jsonl`));
    const below = join(files.directory, "subagents");
    const agents = listed(below);
    if (agents.length > 0) mkdirSync(join(out, name, "subagents"), { recursive: true });
    for (const file of agents) {
      const to = join(out, name, "subagents", file);
      if (file.endsWith(".jsonl")) write(join(below, file), to);
      else cpSync(join(below, file), to);
    }
    process.stderr.write(`record: ${name}, ${readFileSync(join(out, `${name}.jsonl`)).length} bytes\n`);
  });
}

/** The line without the CLI's internal data; undefined when nothing else is in it. */
function kept(line: unknown): readonly unknown[] {
  const type = textAt(line, "type");
  if (!isObject(line) || bookkeeping.test(type)) return [];
  const rest = Object.fromEntries(Object.entries(line).filter(([key]) => !key.startsWith("rendered")));
  const attached = textAt(line, "attachment.type");
  // Its place in the chain of lines is kept.
  return type === "attachment" && attached !== "queued_command"
    ? [{ ...rest, attachment: { type: attached } }]
    : [rest];
}

function listed(directory: string): readonly string[] {
  try {
    return readdirSync(directory).toSorted();
  } catch {
    return [];
  }
}
