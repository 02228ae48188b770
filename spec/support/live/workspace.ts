/**
 * A small project and an empty home directory, for one test.
 *
 * Both are real directories below one temporary root, with no symbolic link in their
 * path, and both are removed by `dispose` (or at the end of an `await using`).
 */
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, writeFileSync } from "node:fs";
import { rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

export interface Workspace extends AsyncDisposable {
  /** The directory of this test, which contains the project and the home. */
  readonly root: string;
  /** The project directory, to be used as cwd. */
  readonly cwd: string;
  readonly home: string;
  /** Absolute path of a file of the project. */
  path(name: string): string;
  read(name: string): string;
  write(name: string, content: string | Uint8Array): string;
  dispose(): Promise<void>;
}

/** A PNG of 3 by 2 pixels. */
export const tinyPng: Buffer = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAMAAAACCAIAAAASFvFNAAAAEElEQVR4nGM4IScHQQxwFgBBAAYZPEVBlgAAAABJRU5ErkJggg==",
  "base64",
);

/** The files of every project. */
const projectFiles: Readonly<Record<string, string>> = {
  "hello.txt": "hello world\nsecond line\nthird line\n",
  "README.md": "# Project\n\nA small project for a test.\n",
  "src/main.ts": 'import { greet } from "./greet.ts";\n\nconsole.log(greet("world"));\n',
  "src/greet.ts": "export function greet(name: string): string {\n  return `hello ${name}`;\n}\n",
  "notes.ipynb": `${JSON.stringify(
    {
      cells: [
        { cell_type: "code", id: "cell-1", metadata: {}, source: ["print(1)\n"], outputs: [], execution_count: null },
      ],
      metadata: { language_info: { name: "python" } },
      nbformat: 4,
      nbformat_minor: 5,
    },
    null,
    1,
  )}\n`,
};

export function workspace(files: Readonly<Record<string, string | Uint8Array>> = projectFiles): Workspace {
  const root = mkdtempSync(join(realpathSync(tmpdir()), "bowline-live-"));
  const cwd = join(root, "project");
  const home = join(root, "home");
  mkdirSync(cwd);
  mkdirSync(home);
  const path = (name: string): string => join(cwd, name);
  const write = (name: string, content: string | Uint8Array): string => {
    mkdirSync(dirname(path(name)), { recursive: true });
    writeFileSync(path(name), content);
    return path(name);
  };
  for (const [name, content] of Object.entries(files)) write(name, content);
  write("pixel.png", tinyPng);
  // A program that is only just ending may still write here.
  const dispose = (): Promise<void> => rm(root, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  return {
    root,
    cwd,
    home,
    path,
    read: (name) => readFileSync(path(name), "utf8"),
    write,
    dispose,
    [Symbol.asyncDispose]: dispose,
  };
}
