/**
 * Checks everything Bowline needs on this machine and suggests a fix for each problem.
 *
 * Reads files and variables, asks the CLIs for their version and sign-in state, and starts
 * the agent once. Changes nothing and sends no prompt. Reports the names of environment
 * variables, never their values.
 */
import { execFile } from "node:child_process";
import { existsSync, realpathSync } from "node:fs";
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
  locateClaude,
  minimumVersion,
  readVersion,
  testedVersion,
} from "../../claude/index.ts";
import { defaultRoute, routes } from "../../agent/index.ts";
import { relayDirectory } from "../../editor-tools/index.ts";
import {
  isDesktopPath,
  missingDirectories,
  orphanFiles,
  runDirectory,
  orphanProcesses,
  readShellEnvironment,
  runIdVariable,
  shellLimitMs,
} from "../../process/index.ts";
import { version } from "../../version.ts";
import { closestMatch } from "../closest-match.ts";
import { installationOf } from "../upgrade.ts";
import { childLink } from "../../wire/index.ts";
import { checkDirectory, type CheckOutcome, type CheckResult, fail, failedBy, ok, warn } from "./check-outcome.ts";
import { checkCodex } from "./codex.ts";
import { checkLimits } from "./limits.ts";

export interface DoctorContext {
  readonly env: Environment;
  readonly nodeVersion: string;
  /** The command line that starts Bowline. */
  readonly program: readonly [command: string, ...args: string[]];
  /** The environment variables that Bowline knows. */
  readonly variables: readonly string[];
  readonly temporary?: string;
  /** How long the CLI and the agent may each take to answer. */
  readonly limitMs?: number;
}

const oldestNode = { major: 20, minor: 0, patch: 0 };
const defaultLimitMs = 15_000;
/** An `initialize` that takes longer is reported as slow; an idle machine needs a tenth of this. */
const slowMs = 1500;
const maxNamed = 5;

const claudeNames = process.platform === "win32" ? ["claude.exe", "claude.cmd"] : ["claude"];

export async function runChecks(context: DoctorContext): Promise<readonly CheckResult[]> {
  const { env, limitMs = defaultLimitMs } = context;
  const claude = located(env);
  const results: CheckResult[] = [];
  const add = (name: string, finding: CheckOutcome): void => void results.push({ name, ...finding });
  add(
    "bowline",
    ok(`${version} (${installationOf(process.argv[1] ?? "")}); bowline upgrade --check asks for a newer one`),
  );
  add("node", checkNode(context.nodeVersion));
  // The CLI of the other engine may be missing, or signed out.
  const route = routes.find((one) => one === env["BOWLINE_ROUTE"]) ?? defaultRoute(env);
  const isOptional = route === "codex";
  if ("path" in claude) {
    add("claude", ok(`${claude.path} (found by ${claude.from})`));
    add("version", await checkCliVersion(claude, env, limitMs));
    const { method, ...signedIn } = await checkSignedIn(claude, env, limitMs);
    add("sign-in", isOptional && signedIn.status === "fail" ? { ...signedIn, status: "warn" } : signedIn);
    // Only a plan has limits; asking for them takes a start of the CLI and a request to the API.
    if (method !== undefined && method !== "api_key") add("limits", await checkLimits(env, limitMs));
  } else {
    const isRemark = isOptional && !env["BOWLINE_CLAUDE"];
    add("claude", isRemark ? ok(`not installed; to use it, ${howToInstall}`) : claude);
  }
  results.push(...(await checkCodex({ env, limitMs, isOptional: route === "claude" })));
  add("config", checkDirectory(configDirectory(env), "Claude makes it when it is first used"));
  add("temporary", checkDirectory(context.temporary ?? tmpdir(), undefined));
  add("PATH", (await checkShellPath(env, limitMs)) ?? checkPath(env));
  add("variables", checkVariables(env, context.variables));
  add("processes", checkProcesses());
  add("files", checkFiles([context.temporary ?? tmpdir(), runDirectory(env), relayDirectory(env)]));
  add("initialize", await checkInitialize(context, limitMs));
  return results;
}

function checkNode(text: string): CheckOutcome {
  const found = readVersion(text);
  if (found !== undefined && !isOlder(found, oldestNode)) return ok(text);
  return fail(`${text} is too old`, `install Node ${oldestNode.major} or newer`);
}

function located(env: DoctorContext["env"]): ClaudeCommand | CheckOutcome {
  try {
    return locateClaude({ env });
  } catch (cause) {
    return failedBy(cause, howToInstall);
  }
}

async function checkCliVersion(
  claude: ClaudeCommand,
  env: DoctorContext["env"],
  limitMs: number,
): Promise<CheckOutcome> {
  try {
    const found = await checkVersion(claude, childEnvironment(env), limitMs);
    return ok(describeSupport(found));
  } catch (cause) {
    return failedBy(cause, howToInstall);
  }
}

/** Newer CLIs usually work; that one is newer is worth knowing when something does not. */
function describeSupport(found: typeof testedVersion): string {
  const shown = describeVersion(found);
  const tested = describeVersion(testedVersion);
  if (isOlder(testedVersion, found)) return `${shown}; the newest version that Bowline was tested with is ${tested}`;
  if (isOlder(found, testedVersion))
    return `${shown}; supported, as is every version from ${describeVersion(minimumVersion)} on`;
  return `${shown}; Bowline is tested with this version`;
}

async function checkSignedIn(
  claude: ClaudeCommand,
  env: DoctorContext["env"],
  limitMs: number,
): Promise<CheckOutcome & { readonly method?: string }> {
  const { isIn, how } = await signInState(claude, env, limitMs);
  if (isIn === "true" && how === "api_key" && env["ANTHROPIC_API_KEY"]) {
    const plan = await signInState(claude, { ...env, ANTHROPIC_API_KEY: undefined }, limitMs);
    const says = "signed in (api_key): ANTHROPIC_API_KEY pays, not the plan that you are signed in to";
    if (plan.isIn === "true" && plan.how === "claude.ai")
      return { ...warn(says, "unset ANTHROPIC_API_KEY where the editor is started to use the plan"), method: how };
  }
  if (isIn === "true") return how === undefined ? ok("signed in") : { ...ok(`signed in (${how})`), method: how };
  if (isIn === "false") return fail("not signed in", signInAdvice(env));
  return warn("the CLI does not say whether you are signed in", "run claude auth status");
}

/** `claude auth status` reads local files only; it makes no network request. */
async function signInState(
  { command, args }: ClaudeCommand,
  env: DoctorContext["env"],
  limitMs: number,
): Promise<{ readonly isIn: string | undefined; readonly how: string | undefined }> {
  const options = { env: childEnvironment(env), timeout: limitMs, windowsHide: true };
  const output = await new Promise<string>((resolve) => {
    execFile(command, [...args, "auth", "status"], options, (_error, stdout) => resolve(stdout));
  });
  const [, isIn] = /"loggedIn"\s*:\s*(true|false)/.exec(output) ?? [];
  const [, how] = /"authMethod"\s*:\s*"([\w. -]{1,40})"/.exec(output) ?? [];
  return { isIn, how };
}

/** On macOS the sign-in is in the keychain, which a session over SSH or started by launchd may not open. */
export function signInAdvice(env: DoctorContext["env"], platform: string = process.platform): string {
  if (platform !== "darwin") return "run bowline login";
  const isRemote = env["SSH_CONNECTION"] !== undefined;
  const unlock = isRemote ? "run security unlock-keychain, or " : "";
  return `${unlock}run bowline login; where the keychain cannot be opened (SSH, launchd), run claude setup-token and set CLAUDE_CODE_OAUTH_TOKEN`;
}

/** Undefined when PATH has all directories of the login shell's PATH, or the shell does not answer. */
async function checkShellPath(env: DoctorContext["env"], limitMs: number): Promise<CheckOutcome | undefined> {
  const shell = await readShellEnvironment(env, Math.min(limitMs, shellLimitMs));
  const missing = shell === undefined ? [] : missingDirectories(env, shell);
  if (missing.length === 0) return undefined;
  const more = missing.length > maxNamed ? ` and ${missing.length - maxNamed} more` : "";
  const says = `your login shell has ${missing.slice(0, maxNamed).join(", ")}${more}, and PATH here lacks ${missing.length === 1 ? "it" : "them"}`;
  const isAdded = !["", "0", "false"].includes(env["BOWLINE_SHELL_ENV"] ?? "");
  return isAdded
    ? ok(`${says}; BOWLINE_SHELL_ENV adds what is missing`)
    : warn(says, "set BOWLINE_SHELL_ENV=1 in the editor's entry for Bowline, or start the editor from a terminal");
}

export function checkPath(env: DoctorContext["env"], platform: string = process.platform): CheckOutcome {
  const entries = (env["PATH"] ?? env["Path"] ?? "").split(delimiter);
  if (platform === "darwin" && isDesktopPath(env["PATH"]))
    return warn(
      "this is the PATH of a program started from the desktop",
      "the CLI gets the usual directories behind it; start the editor from a terminal for your own PATH",
    );
  const relative = entries.filter((entry) => !isAbsolute(entry)).length;
  if (relative > 0)
    return warn(
      `${relative} entries are empty or relative and are not searched`,
      "make them absolute, or take them out",
    );
  const found = entries
    .map((entry) => claudeNames.map((name) => join(entry, name)).find((path) => existsSync(path)))
    .filter((path) => path !== undefined);
  const [first, ...others] = new Map(found.map((path) => [realpathSync(path), path])).values();
  if (others.length === 0 || env["BOWLINE_CLAUDE"] !== undefined) return ok(`${entries.length} entries`);
  return warn(`${others.join(", ")}: hidden by ${first}`, "remove one, or set BOWLINE_CLAUDE to the one you mean");
}

function checkVariables(env: DoctorContext["env"], known: readonly string[]): CheckOutcome {
  const set = Object.keys(env).filter((name) => name.startsWith("BOWLINE_") && name !== runIdVariable);
  const [strange] = set.filter((name) => !known.includes(name));
  if (strange === undefined) return ok(set.length === 0 ? "none set" : `${set.join(", ")} set`);
  const meant = closestMatch(strange, known);
  const advice = meant === undefined ? "unset it; bowline --help lists the variables" : `did you mean ${meant}?`;
  return warn(`${strange} is not a variable of Bowline`, advice);
}

function checkProcesses(): CheckOutcome {
  const left = orphanProcesses();
  if (left.length === 0) return ok("none left by earlier runs");
  const named = left.slice(0, maxNamed).map(({ pid, name }) => `${name} (${pid})`);
  const pids = left.slice(0, maxNamed).map(({ pid }) => pid);
  return warn(
    `${left.length} left by earlier runs: ${named.join(", ")}`,
    `end what you do not want: kill ${pids.join(" ")}`,
  );
}

function checkFiles(directories: readonly string[]): CheckOutcome {
  const left = directories.flatMap((directory) => orphanFiles(directory, Date.now()));
  if (left.length === 0) return ok("none left by earlier runs");
  const says = `${left.length} private ones left by earlier runs, perhaps with keys in them`;
  return warn(says, `remove them: rm -r ${left.slice(0, maxNamed).join(" ")}`);
}

async function checkInitialize(
  { program: [command, ...args], env }: DoctorContext,
  limitMs: number,
): Promise<CheckOutcome> {
  const startedMs = performance.now();
  const link = childLink(command, args, { env: { ...env, BOWLINE_PREWARM: "0" } });
  const limit = setTimeout(() => link.close(`no answer within ${limitMs / 1000} s`), limitMs);
  try {
    const agent = await client(link, { info: { name: "bowline-doctor", version }, handlers: () => refusingClient });
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

const refusingClient = {
  "session/update": () => {},
  "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }) as const,
};
