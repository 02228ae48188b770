/**
 * Finds the Node that runs scripts for us.
 *
 * That is the Node that runs this program, unless the program is a single executable
 * (`npm run build:exe`), which runs only itself; then it is the `node` on PATH.
 */
import { accessSync, constants } from "node:fs";
import { delimiter, isAbsolute, join } from "node:path";

/** Whether this program is a single executable, with Node inside. */
export function isSingleExecutable(): boolean {
  // Old versions of Node have neither the function nor the module, and no single executables.
  const { getBuiltinModule }: Partial<Pick<typeof process, "getBuiltinModule">> = process;
  return getBuiltinModule?.("node:sea")?.isSea() === true;
}

/** Falls back to the name `node`, which then cannot be started: the error names what is missing. */
export function nodeProgram(env: Readonly<Record<string, string | undefined>> = process.env): string {
  if (!isSingleExecutable()) return process.execPath;
  const name = process.platform === "win32" ? "node.exe" : "node";
  const directories = (env["PATH"] ?? env["Path"] ?? "").split(delimiter).filter((one) => isAbsolute(one));
  return directories.map((directory) => join(directory, name)).find(canRun) ?? name;
}

function canRun(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
