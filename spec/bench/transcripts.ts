/**
 * Sessions on disk, measured: a page of 2,000 transcripts, and a transcript of
 * 20 MB told through the fold.
 *
 * `node --import tsx spec/bench/transcripts.ts` prints the median of seven rounds,
 * with the CPU it took and the longest time nobody else got a turn.
 */
import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { listTranscripts, readTranscript, sessionFiles } from "../../lib/claude/index.ts";
import { fold, Thread } from "../../lib/translate/index.ts";
import { longTranscript, shortTranscript, uuidOf } from "./transcript-files.ts";

const rounds = 7;
const root = mkdtempSync(join(tmpdir(), "bowline-bench-"));
try {
  await measureList();
  await measureLoad();
} finally {
  rmSync(root, { recursive: true, force: true });
}

async function measureList(): Promise<void> {
  const projects = join(root, "projects");
  for (let i = 0; i < 2000; i++) {
    const project = join(projects, `-home-dev-project-${i % 40}`);
    mkdirSync(project, { recursive: true });
    const path = join(project, `${uuidOf(i)}.jsonl`);
    writeFileSync(path, shortTranscript(i, `/home/dev/project/${i % 40}`));
    utimesSync(path, 1_700_000_000 + i, 1_700_000_000 + i);
  }
  await measure("first page of 2,000 transcripts", async () => void (await listTranscripts({ projects })));
  await measure("all 2,000, 40 pages", async () => {
    let cursor: string | undefined;
    do {
      const page = await listTranscripts({ projects, cursor });
      cursor = page.kind === "page" ? page.nextCursor : undefined;
    } while (cursor !== undefined);
  });
  await measure("all 2,000 in one page", async () => void (await listTranscripts({ projects, pageSize: 2000 })));
}

async function measureLoad(): Promise<void> {
  const files = sessionFiles(root, uuidOf(1));
  if (files === undefined) throw new Error("not a session id");
  for (const megabytes of [1, 20]) {
    writeFileSync(files.transcript, longTranscript(megabytes * 1024 * 1024));
    let updates = 0;
    await measure(`load of ${megabytes} MB, told and folded`, async () => {
      const view = {
        cwd: "/home/dev",
        showsTerminals: true,
        showsNotices: true,
        showsCompaction: true,
        textOf: () => undefined,
      };
      const thread = new Thread(view);
      updates = 0;
      await readTranscript(files, { onEvent: (event) => void (updates += fold(thread, event).length) });
    });
    process.stdout.write(
      `${"".padEnd(4)}${updates} updates, heap ${Math.round(process.memoryUsage().heapUsed / 1e6)} MB, rss ${Math.round(process.memoryUsage().rss / 1e6)} MB\n`,
    );
  }
}

async function measure(what: string, run: () => Promise<void>): Promise<void> {
  const took: number[] = [];
  const cpu: number[] = [];
  await run();
  const delay = monitorEventLoopDelay({ resolution: 1 });
  delay.enable();
  for (let round = 0; round < rounds; round++) {
    const before = process.cpuUsage();
    const started = performance.now();
    await run();
    took.push(performance.now() - started);
    const { user, system } = process.cpuUsage(before);
    cpu.push((user + system) / 1000);
  }
  delay.disable();
  const longest = `${Math.round(delay.max / 1e6)} ms`;
  process.stdout.write(
    `${what.padEnd(36)} ${median(took)} ms, CPU ${median(cpu)} ms, longest without a turn ${longest}\n`,
  );
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((left, right) => left - right);
  return Math.round(sorted[Math.floor(sorted.length / 2)] ?? 0);
}
