/**
 * docs/library.md: every example compiles with the project's settings, and the commands
 * below the examples print what the page says.
 *
 * The examples are bundled with the library's sources. A fake CLI plays Claude.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { build, type Plugin } from "esbuild";
import { echoClaude } from "./support/claude/echo-claude.ts";
import { readText } from "./support/files.ts";

const root = join(import.meta.dirname, "..");
const directory = realpathSync(mkdtempSync(join(tmpdir(), "library-docs-")));
const cli = join(directory, "claude.mjs");

/** The library's entry points, by the names under which programs import them. */
const entryPoints: Readonly<Record<string, string>> = {
  bowline: "lib/index.ts",
  ...Object.fromEntries(
    ["agent", "claude", "bridge", "packets", "tape"].map((name) => [`bowline/${name}`, `lib/exports/${name}.ts`]),
  ),
};

interface Example {
  readonly file: string;
  readonly code: string;
  readonly commands: readonly Command[];
}

interface Command {
  readonly line: string;
  readonly output: string;
}

/** The `ts` blocks of the page, each with the `console` block that follows it. */
function readExamples(page: string): readonly Example[] {
  const blocks = [...page.matchAll(/^```(\w+)\n([^]*?)^```$/gm)].map(([, language, text = ""]) => ({ language, text }));
  return blocks.flatMap(({ language, text }, i) => {
    if (language !== "ts") return [];
    const next = blocks[i + 1];
    const file = /^\/\/ (\w+\.ts)\n/.exec(text)?.[1] ?? assert.fail(`an example without a file name: ${text}`);
    return [{ file, code: text, commands: next?.language === "console" ? readCommands(next.text) : [] }];
  });
}

function readCommands(text: string): readonly Command[] {
  return [...text.matchAll(/^\$ (.+)\n((?:(?!\$ ).*\n)*)/gm)].map(([, line = "", output = ""]) => ({ line, output }));
}

const examples = readExamples(readText("docs/library.md"));

/** Resolves the library's names to its sources. */
const fromSources: Plugin = {
  name: "from sources",
  setup: ({ onResolve }) => {
    onResolve({ filter: /^bowline(\/|$)/ }, ({ path }) => {
      const entryPoint = entryPoints[path];
      return entryPoint === undefined ? undefined : { path: join(root, entryPoint) };
    });
  },
};

before(async () => {
  writeFileSync(cli, echoClaude);
  writeFileSync(join(directory, "package.json"), '{"type":"module"}');
  for (const { file, code } of examples) writeFileSync(join(directory, file), code);
  await build({
    absWorkingDir: directory,
    entryPoints: examples.map(({ file }) => file),
    outdir: directory,
    bundle: true,
    splitting: true,
    platform: "node",
    format: "esm",
    target: "node20",
    logLevel: "warning",
    plugins: [fromSources],
  });
});
after(() => rmSync(directory, { recursive: true, force: true }));

describe("the examples of docs/library.md", { timeout: 240_000 }, () => {
  it("the examples show an agent, a client, Claude embedded, a proxy, bridgeClient and PacketStream", () => {
    assert.deepEqual(
      examples.map(({ file }) => file),
      ["echo.ts", "client.ts", "embedded.ts", "proxy.ts", "questions.ts", "packets.ts"],
    );
  });

  it("the examples compile with the project's own settings", () => {
    const paths = Object.fromEntries(Object.entries(entryPoints).map(([name, path]) => [name, [join(root, path)]]));
    const compilerOptions = {
      paths,
      noEmit: true,
      emitDeclarationOnly: false,
      rootDir: "/",
      typeRoots: [join(root, "node_modules", "@types")],
    };
    const settings = { extends: join(root, "tsconfig.json"), compilerOptions, include: ["*.ts"] };
    writeFileSync(join(directory, "tsconfig.json"), JSON.stringify(settings));
    const tsc = join(root, "node_modules", "typescript", "bin", "tsc");
    const { stdout, status } = spawnSync(process.execPath, [tsc, "--project", directory], { encoding: "utf8" });
    assert.equal(stdout, "");
    assert.equal(status, 0);
  });

  for (const { file, commands } of examples) {
    it(`the example ${file} has a command that runs it`, () =>
      assert.ok(commands.some(({ line }) => line.includes(file.replace(/\.ts$/, ".js")))));

    for (const { line, output } of commands) {
      it(`the command below ${file} prints what docs/library.md says: ${line}`, () => {
        const { stdout, signal } = spawnSync("sh", ["-c", `${line} 2>&1`], {
          cwd: directory,
          encoding: "utf8",
          timeout: 60_000,
          env: {
            PATH: `${dirname(process.execPath)}:${process.env["PATH"]}`,
            HOME: directory,
            BOWLINE_CLAUDE: cli,
          },
        });
        assert.deepEqual({ stdout, signal }, { stdout: output, signal: null });
      });
    }
  }
});
