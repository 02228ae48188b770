/**
 * Doctor: what Bowline needs on this machine, looked at one thing after the other.
 *
 * Reads, asks the CLI for its version and whether somebody is signed in, and starts
 * the agent once; it changes nothing and sends no prompt. Names of variables are
 * told, never their values.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, realpathSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, isAbsolute, join } from "node:path";
import { client } from "../../acp/index.ts";
import {
  checkVersion,
  childEnvironment,
  type ClaudeCommand,
  configDirectory,
  describeVersion,
  type Environment,
  howToInstall,
  isOlder,
  leftFiles,
  leftProcesses,
  locateClaude,
  markName,
  oldestVersion,
  readVersion,
} from "../../claude/index.ts";
import { version } from "../../version.ts";
import { childLink } from "../../wire/index.ts";
import { nearest } from "./nearest.ts";

export interface Sign {
  readonly name: string;
  readonly status: "ok" | "warn" | "fail";
  readonly says: string;
  /** What to do next, unless all is well. */
  readonly advice?: string;
}

export interface Patient {
  readonly env: Environment;
  readonly nodeVersion: string;
  /** How Bowline is started. */
  readonly program: readonly [command: string, ...args: string[]];
  /** The variables that mean something. */
  readonly variables: readonly string[];
  readonly temporary?: string;
  /** How long the CLI and the agent may take to answer. */
  readonly limitMs?: number;
}

const oldestNode = { major: 20, minor: 0, patch: 0 };
const defaultLimitMs = 15_000;
/** On a machine with nothing else to do it takes a tenth of this. */
const slowMs = 1500;
const maxNamed = 5;

const claudeName = process.platform === "win32" ? "claude.exe" : "claude";

type Finding = Omit<Sign, "name">;

export async function examine(patient: Patient): Promise<readonly Sign[]> {
  const { env, limitMs = defaultLimitMs } = patient;
  const claude = located(env);
  const signs: Sign[] = [];
  const note = (name: string, finding: Finding): void => void signs.push({ name, ...finding });
  note("node", ofNode(patient.nodeVersion));
  note("claude", "path" in claude ? ok(`${claude.path} (found by ${claude.from})`) : claude);
  if ("path" in claude) {
    note("version", await ofVersion(claude, env, limitMs));
    note("sign-in", await ofSignIn(claude, env, limitMs));
  }
  note("config", ofDirectory(configDirectory(env), "Claude makes it when it is first used"));
  note("temporary", ofDirectory(patient.temporary ?? tmpdir(), undefined));
  note("PATH", ofPath(env));
  note("variables", ofVariables(env, patient.variables));
  note("processes", ofProcesses());
  note("files", ofFiles(patient.temporary));
  note("initialize", await ofInitialize(patient, limitMs));
  return signs;
}

function ok(says: string): Finding {
  return { status: "ok", says };
}

function warn(says: string, advice: string): Finding {
  return { status: "warn", says, advice };
}

function fail(says: string, advice: string): Finding {
  return { status: "fail", says, advice };
}

/** The message of an error of ours ends with what to do. */
function failedBy(cause: unknown): Finding {
  const [says = "", ...advice] = (cause instanceof Error ? cause.message : String(cause)).split("; ");
  return fail(says, advice.join("; ") || howToInstall);
}

function ofNode(text: string): Finding {
  const found = readVersion(text);
  if (found !== undefined && !isOlder(found, oldestNode)) return ok(text);
  return fail(`${text} is too old`, `install Node ${oldestNode.major} or newer`);
}

function located(env: Patient["env"]): ClaudeCommand | Finding {
  try {
    return locateClaude({ env });
  } catch (cause) {
    return failedBy(cause);
  }
}

async function ofVersion(claude: ClaudeCommand, env: Patient["env"], limitMs: number): Promise<Finding> {
  try {
    const found = await checkVersion(claude, childEnvironment(env), limitMs);
    return ok(`${describeVersion(found)}; ${describeVersion(oldestVersion)} or newer is needed`);
  } catch (cause) {
    return failedBy(cause);
  }
}

/** The CLI looks at what it has; nothing is sent anywhere. */
async function ofSignIn({ command, args }: ClaudeCommand, env: Patient["env"], limitMs: number): Promise<Finding> {
  const options = { env: childEnvironment(env), timeout: limitMs, windowsHide: true };
  const said = await new Promise<string>((resolve) => {
    execFile(command, [...args, "auth", "status"], options, (_error, stdout) => resolve(stdout));
  });
  const [, isIn] = /"loggedIn"\s*:\s*(true|false)/.exec(said) ?? [];
  const [, how] = /"authMethod"\s*:\s*"([\w. -]{1,40})"/.exec(said) ?? [];
  if (isIn === "true") return ok(`signed in${how === undefined ? "" : ` (${how})`}`);
  if (isIn === "false") return fail("nobody is signed in", "run bowline login");
  return warn("the CLI does not say whether somebody is signed in", "run claude auth status");
}

function ofDirectory(path: string, otherwise: string | undefined): Finding {
  if (!existsSync(path)) {
    return otherwise === undefined
      ? fail(`${path} is not there`, "make it, or set TMPDIR")
      : ok(`${path}: ${otherwise}`);
  }
  try {
    accessSync(path, constants.R_OK | constants.W_OK | constants.X_OK);
    return ok(path);
  } catch {
    return fail(`${path} cannot be read and written by you`, "change its owner or its mode");
  }
}

function ofPath(env: Patient["env"]): Finding {
  const entries = (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
  const relative = entries.filter((entry) => !isAbsolute(entry)).length;
  if (relative > 0)
    return warn(
      `${relative} entries are empty or relative and are not searched`,
      "make them absolute, or take them out",
    );
  const found = entries.map((entry) => join(entry, claudeName)).filter((path) => existsSync(path));
  const [first, ...others] = new Map(found.map((path) => [realpathSync(path), path])).values();
  if (others.length === 0 || env["BOWLINE_CLAUDE"] !== undefined) return ok(`${entries.length} entries`);
  return warn(`${others.join(", ")}: hidden by ${first}`, "remove one, or set BOWLINE_CLAUDE to the one you mean");
}

function ofVariables(env: Patient["env"], known: readonly string[]): Finding {
  const set = Object.keys(env).filter((name) => name.startsWith("BOWLINE_") && name !== markName);
  const [strange] = set.filter((name) => !known.includes(name));
  if (strange === undefined) return ok(set.length === 0 ? "none set" : `${set.join(", ")} set`);
  const meant = nearest(strange, known);
  const advice = meant === undefined ? "unset it; bowline --help lists those that do" : `did you mean ${meant}?`;
  return warn(`${strange} means nothing`, advice);
}

function ofProcesses(): Finding {
  const left = leftProcesses();
  if (left.length === 0) return ok("none left by earlier runs");
  const named = left.slice(0, maxNamed).map(({ pid, name }) => `${name} (${pid})`);
  const pids = left.slice(0, maxNamed).map(({ pid }) => pid);
  return warn(
    `${left.length} left by earlier runs: ${named.join(", ")}`,
    `end what you do not want: kill ${pids.join(" ")}`,
  );
}

function ofFiles(temporary: string | undefined): Finding {
  const left = leftFiles(temporary ?? tmpdir(), Date.now());
  if (left.length === 0) return ok("none left by earlier runs");
  const says = `${left.length} private ones left by earlier runs, perhaps with keys in them`;
  return warn(says, `remove them: rm -r ${left.slice(0, maxNamed).join(" ")}`);
}

async function ofInitialize({ program: [command, ...args], env }: Patient, limitMs: number): Promise<Finding> {
  const startedMs = performance.now();
  const link = childLink(command, args, { env: { ...env, BOWLINE_PREWARM: "0" } });
  const limit = setTimeout(() => link.close(`no answer within ${limitMs / 1000} s`), limitMs);
  try {
    const agent = await client(link, { info: { name: "bowline-doctor", version }, handlers: () => nobody });
    const tookMs = Math.round(performance.now() - startedMs);
    agent.close("examined");
    await agent.settled;
    const says = `${agent.agentInfo?.name ?? "it"} ${agent.agentInfo?.version ?? ""} answered after ${tookMs} ms`;
    return tookMs > slowMs
      ? warn(`${says}, which is slow`, "see what else the machine is doing, and try again")
      : ok(says);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : "unknown";
    return fail(`the agent did not answer: ${why}`, "reinstall Bowline; if that does not help, report it");
  } finally {
    clearTimeout(limit);
  }
}

const nobody = {
  "session/update": () => {},
  "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }) as const,
};
