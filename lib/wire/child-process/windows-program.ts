/**
 * Finds the program behind a command on Windows, so that it can be started without a shell.
 *
 * Windows starts only .exe and .com files. npm installs programs as batch files (`npx.cmd`,
 * `claude.cmd`) that start Node or an .exe; the batch file is read and what it starts is
 * returned. A batch file of another kind runs in cmd.exe, and only with arguments in which
 * cmd.exe interprets nothing (CVE-2024-27980). The working directory is never searched:
 * the files of a project must not decide which program runs.
 */
import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, extname, isAbsolute, join, resolve } from "node:path";
import { nodeProgram } from "./node-program.ts";

type ProgramEnvironment = Readonly<Record<string, string | undefined>>;

export interface WindowsCommand {
  readonly command: string;
  readonly args: readonly string[];
  /** The arguments are a command line for cmd.exe, which Node must not quote. */
  readonly isVerbatim?: boolean | undefined;
}

export type WindowsProgram = WindowsCommand | { readonly failure: string };

/** What a batch file of npm, pnpm or Node starts; paths are relative to its directory. */
export interface ShimTarget {
  readonly path: string;
  readonly isNodeScript: boolean;
}

const defaultExtensions = ".COM;.EXE;.BAT;.CMD";
/** npm's batch files have less than 1 KB. */
const maxShimBytes = 64 * 1024;

/** How to start `command` with `args`. A bare name is looked up on PATH. */
export function windowsProgram(
  command: string,
  args: readonly string[],
  env: ProgramEnvironment,
  cwd: string = process.cwd(),
): WindowsProgram {
  const path = findOnWindows(command, env, cwd);
  if (path === undefined) return { failure: "ENOENT" };
  if (!isBatchFile(path)) return { command: path, args };
  const target = shimCommand(path, env);
  if (target !== undefined) return { command: target.command, args: [...target.args, ...args] };
  return throughCmd(path, args, env);
}

/** The file that a command names: absolute, or undefined when there is none. */
function findOnWindows(command: string, env: ProgramEnvironment, cwd: string): string | undefined {
  const hasDirectory = /[\\/]/.test(command) || /^[a-z]:/i.test(command);
  const directories = hasDirectory ? [cwd] : (variable(env, "PATH") ?? "").split(";").map(unquoted).filter(isAbsolute);
  const names = windowsNames(command, env);
  for (const directory of directories) {
    const found = names.map((name) => resolve(directory, name)).find(isFile);
    if (found !== undefined) return found;
  }
  return undefined;
}

/** The file names that a command may have: the name itself if it has an extension, and the name with each of PATHEXT. */
export function windowsNames(command: string, env: ProgramEnvironment): readonly string[] {
  const extensions = (variable(env, "PATHEXT") ?? defaultExtensions)
    .split(";")
    .filter((one) => /^\.(?:com|exe|bat|cmd)$/i.test(one))
    .map((one) => one.toLowerCase());
  const longer = extensions.map((extension) => command + extension);
  return extensions.includes(extname(command).toLowerCase()) ? [command, ...longer] : longer;
}

/** The command behind a batch file of npm; undefined when the file is not such a file, or what it starts is missing. */
export function shimCommand(path: string, env: ProgramEnvironment): WindowsCommand | undefined {
  const target = readShim(shimText(path));
  if (target === undefined) return undefined;
  const directory = dirname(path);
  const file = resolve(directory, target.path.replaceAll("\\", "/"));
  if (!isFile(file)) return undefined;
  if (!target.isNodeScript) return { command: file, args: [] };
  const ownNode = join(directory, "node.exe");
  return { command: existsSync(ownNode) ? ownNode : nodeProgram(env), args: [file] };
}

/**
 * Reads a batch file as npm (cmd-shim), pnpm and Node itself write it. The last line that
 * passes on all arguments (`%*`) names the target: a path in quotes below the directory of
 * the file, or a variable that was set to one.
 */
export function readShim(text: string): ShimTarget | undefined {
  const variables = new Map<string, string>();
  for (const [, name = "", path = ""] of text.matchAll(/^\s*@?SET\s+"(\w+)=%~?dp0%?\\([^"%]+)"/gim))
    if (!variables.has(name.toUpperCase())) variables.set(name.toUpperCase(), path);
  const line = text.split(/\r?\n/).findLast((one) => /%\*\s*\)?\s*$/.test(one));
  const words = [...(line ?? "").matchAll(/"([^"]*)"/g)].map(([, word = ""]) => word);
  const last = words.at(-1);
  if (line === undefined || last === undefined || !/"\s*%\*\s*\)?\s*$/.test(line)) return undefined;
  const variableName = /^%(\w+)%$/.exec(last)?.[1]?.toUpperCase();
  const path = variableName === undefined ? /^%~?dp0%?\\([^%]+)$/.exec(last)?.[1] : variables.get(variableName);
  if (path === undefined) return undefined;
  if (/\.(?:exe|com)$/i.test(path)) return words.length === 1 ? { path, isNodeScript: false } : undefined;
  return startsNode(line, words.length, text) ? { path, isNodeScript: true } : undefined;
}

/** Whether the line runs its file with Node: by name, or by a variable that is set to Node. */
function startsNode(line: string, words: number, text: string): boolean {
  const isNamed =
    /(?:^|[\s(@&])node(?:\.exe)?\s+"[^"]*"\s+%\*/i.test(line) || /\\node\.exe"\s+"[^"]*"\s+%\*/i.test(line);
  const interpreter = /"%(\w+)%"\s+"[^"]*"\s+%\*/.exec(line)?.[1];
  const isSet =
    interpreter !== undefined && words >= 2 && new RegExp(`SET\\s+"${interpreter}=node(?:\\.exe)?"`, "i").test(text);
  return isNamed || isSet;
}

/**
 * The command line for cmd.exe. Every word is in quotes. Refused are the characters that
 * cmd.exe interprets in quotes, and those that the batch file may pass on without quotes. `/d` ignores AutoRun, `/v:off` leaves `!` alone.
 */
function throughCmd(path: string, args: readonly string[], env: ProgramEnvironment): WindowsProgram {
  if (/["%\r\n]/.test(path) || args.some((arg) => /["%!^&|<>\r\n\0]|\\$/.test(arg)))
    return { failure: "a batch file cannot safely be given these arguments" };
  const line = [path, ...args].map((word) => `"${word}"`).join(" ");
  const shell = join(systemDirectory(env), "cmd.exe");
  return { command: shell, args: ["/d", "/e:on", "/v:off", "/s", "/c", `"${line}"`], isVerbatim: true };
}

/** The directory of Windows' own programs. */
export function systemDirectory(env: ProgramEnvironment): string {
  return join(variable(env, "SystemRoot") ?? "C:\\Windows", "System32");
}

/** Names of variables are not case-sensitive on Windows; a copy of `process.env` is. */
export function variable(env: ProgramEnvironment, name: string): string | undefined {
  const key = Object.keys(env).find((one) => one.toUpperCase() === name.toUpperCase());
  return key === undefined ? undefined : env[key];
}

export function isBatchFile(path: string): boolean {
  return /\.(?:cmd|bat)$/i.test(path);
}

function unquoted(directory: string): string {
  return directory.replace(/^"(.*)"$/, "$1");
}

function shimText(path: string): string {
  try {
    return statSync(path).size > maxShimBytes ? "" : readFileSync(path, "utf8");
  } catch {
    return "";
  }
}

function isFile(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isFile() === true;
}
