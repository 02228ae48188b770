/**
 * Measures what file checkpoints cost with the real CLI: time and bytes on disk for each
 * edit. `node --import tsx spec/tooling/checkpoint-cost.ts [runs]` prints a table; the built
 * program is used.
 *
 * Turns with checkpoints and without alternate, so that a busy machine slows down both. The
 * edits of one prompt change one file; each prompt begins a new checkpoint.
 */
import { chmodSync, existsSync, readdirSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, call, say, type Script } from "../support/live/api/model-script.ts";
import { claudeExecutable } from "../support/live/real-cli.ts";
import { inSession } from "../support/live/with-agent.ts";
import type { ApiRequest } from "../support/live/api/api-request.ts";

const runs = Number(process.argv[2] ?? 5);
const editsPerPrompt = 10;
const prompts = 3;

interface Measured {
  readonly msPerEdit: number;
  readonly bytes: number;
  readonly files: number;
}

function edits(n: number): Script {
  return [
    (request: ApiRequest) => answer(call("Read", { file_path: fileOf(request), limit: 1 })),
    ...Array.from({ length: editsPerPrompt }, (_, i) => (request: ApiRequest) => {
      const at = n * editsPerPrompt + i;
      return answer(call("Edit", { file_path: fileOf(request), old_string: `<${at}>`, new_string: `<${at + 1}>` }));
    }),
    answer(say("Done.")),
  ];
}

function fileOf({ body }: ApiRequest): string {
  return `${/Primary working directory: ([^\s\\]+)/.exec(JSON.stringify(body))?.[1] ?? "/nowhere"}/file.txt`;
}

async function measure(kilobytes: number, isOn: boolean): Promise<Measured> {
  let measured: Measured | undefined;
  const scripts = Object.fromEntries(Array.from({ length: prompts }, (_, n) => [`p${n}`, edits(n)]));
  await inSession(
    scripts,
    async ({ client, place, tell }) => {
      place.write("file.txt", `<0>\n${"some text\n".repeat(kilobytes * 102)}`);
      // Questions would take longer than checkpoints.
      client.editor.usual = "always";
      await tell("[[none]] warm up");
      let ms = 0;
      for (let n = 0; n < prompts; n++) {
        const begin = performance.now();
        await tell(`[[p${n}]] go`);
        ms += performance.now() - begin;
      }
      if (!place.read("file.txt").startsWith(`<${prompts * editsPerPrompt}>`)) throw new Error("an edit is missing");
      measured = {
        msPerEdit: ms / (prompts * editsPerPrompt),
        ...contentOf(join(place.home, ".claude", "file-history")),
      };
    },
    { env: isOn ? {} : { BOWLINE_CLAUDE: withoutCheckpoints() } },
  );
  if (measured === undefined) throw new Error("nothing was measured");
  return measured;
}

/** A program that starts the CLI without the variable that turns checkpoints on. */
function withoutCheckpoints(): string {
  const path = join(process.env["TMPDIR"] ?? "/tmp", "claude-without-checkpoints");
  writeFileSync(path, `#!/bin/sh\nunset CLAUDE_CODE_ENABLE_SDK_FILE_CHECKPOINTING\nexec ${claudeExecutable()} "$@"\n`);
  chmodSync(path, 0o755);
  return path;
}

function contentOf(directory: string): { readonly bytes: number; readonly files: number } {
  if (!existsSync(directory)) return { bytes: 0, files: 0 };
  const names = readdirSync(directory, { recursive: true, encoding: "utf8" });
  const sizes = names.map((name) => statSync(join(directory, name))).filter((stat) => stat.isFile());
  return { bytes: sizes.reduce((sum, { size }) => sum + size, 0), files: sizes.length };
}

function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

for (const kilobytes of [10, 1000]) {
  const on: Measured[] = [];
  const off: Measured[] = [];
  for (let i = 0; i < runs; i++) {
    on.push(await measure(kilobytes, true));
    off.push(await measure(kilobytes, false));
  }
  const ms = (of: readonly Measured[]): string => {
    const all = of.map(({ msPerEdit }) => msPerEdit);
    return `${median(all).toFixed(1)} (${Math.min(...all).toFixed(1)} to ${Math.max(...all).toFixed(1)})`;
  };
  const bytes = on.map((one) => one.bytes);
  process.stdout.write(
    `${kilobytes} KB, ${prompts} prompts with ${editsPerPrompt} edits each, ${runs} runs: ` +
      `${ms(on)} ms per edit with, ${ms(off)} ms without; ` +
      `${median(bytes)} bytes in ${on[0]?.files} files with, ${off[0]?.bytes} bytes without\n`,
  );
}
