/**
 * The doctor's checks of Codex: where it is, its version, the sign-in, its configuration, its
 * directory, and the limits of an account with a plan.
 *
 * Only for the limits does Codex ask a server; everything else it reads from its own files.
 */
import { execFile } from "node:child_process";
import { accessSync, constants, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type CodexCommand, codexHome, howToInstallCodex, locateCodex, readCodexVersion } from "../../codex/index.ts";
import { type Environment, inheritedEnvironment } from "../../process/index.ts";
import { checkCodexLimits } from "./limits.ts";
import { type CheckOutcome, checkDirectory, type CheckResult, failedBy, fail, ok, warn } from "./check-outcome.ts";

export interface CodexCheckOptions {
  readonly env: Environment;
  /** How long Codex may take to answer. */
  readonly limitMs: number;
  /** Codex is not needed: another CLI is installed, and Codex was not asked for. */
  readonly isOptional: boolean;
}

export async function checkCodex({ env, limitMs, isOptional }: CodexCheckOptions): Promise<readonly CheckResult[]> {
  const results: CheckResult[] = [];
  const add = (name: string, outcome: CheckOutcome): void => void results.push({ name, ...outcome });
  const codex = located(env);
  if (!("path" in codex)) {
    const isNamed = ["CODEX_EXECUTABLE", "CODEX_PATH"].some((name) => env[name]);
    add("codex", isOptional && !isNamed ? ok(`not installed; to use it, ${howToInstallCodex}`) : codex);
    return results;
  }
  add("codex", ok(`${codex.path} (found by ${codex.from})`));
  add("codex version", await checkVersion(codex, env, limitMs));
  const home = codexHome(env);
  add("codex config", checkConfig(join(home, "config.toml")));
  add("codex home", checkDirectory(home, "Codex makes it when it is first used"));
  const { method, ...signedIn } = await checkSignedIn(codex, env, limitMs, isOptional);
  add("codex sign-in", signedIn);
  if (method === "ChatGPT") add("codex limits", await checkCodexLimits(env, limitMs));
  return results;
}

function located(env: Environment): CodexCommand | CheckOutcome {
  try {
    return locateCodex({ env });
  } catch (cause) {
    return failedBy(cause, howToInstallCodex);
  }
}

async function checkVersion(codex: CodexCommand, env: Environment, limitMs: number): Promise<CheckOutcome> {
  const { output, code } = await run(codex, ["--version"], env, limitMs);
  const version = readCodexVersion(output);
  if (version !== undefined) return ok(version);
  const why = code === 0 ? "does not say its version" : `--version failed (exit code ${code ?? "unknown"})`;
  return fail(`${codex.path} ${why}`, howToInstallCodex);
}

/** `codex login status` reads local files only. A provider of the user's own needs no sign-in. */
async function checkSignedIn(
  codex: CodexCommand,
  env: Environment,
  limitMs: number,
  isOptional: boolean,
): Promise<CheckOutcome & { readonly method?: string }> {
  const { output, code } = await run(codex, ["login", "status"], env, limitMs);
  // The rest of the line may show a part of the key.
  const how = /^Logged in (?:using|with) ([\w ]{1,40})/im.exec(output)?.[1]?.trim();
  if (code === 0 && how !== undefined) return { ...ok(`signed in (${how})`), method: how };
  if (code === 0) return ok("signed in");
  if (!/not logged in/i.test(output))
    return warn("Codex does not say whether you are signed in", "run codex login status");
  const provider = ownProvider(join(codexHome(env), "config.toml"));
  if (provider !== undefined) return ok(`not signed in; config.toml names the provider ${provider}`);
  const advice = "run bowline login --route codex";
  return isOptional ? warn("not signed in", advice) : fail("not signed in", advice);
}

/** The provider that config.toml names, unless it needs a sign-in to OpenAI. */
function ownProvider(path: string): string | undefined {
  try {
    const text = readFileSync(path, "utf8");
    const [top = ""] = text.split(/^\s*\[/m);
    const provider = /^\s*model_provider\s*=\s*["']([\w.-]{1,60})["']/m.exec(top)?.[1];
    return provider === "openai" || /requires_openai_auth\s*=\s*true/.test(text) ? undefined : provider;
  } catch {
    return undefined;
  }
}

function checkConfig(path: string): CheckOutcome {
  if (!existsSync(path)) return ok(`${path} does not exist; Codex uses its defaults`);
  try {
    accessSync(path, constants.R_OK);
    return ok(`${path}; Bowline reads it and never writes it`);
  } catch {
    return fail(`${path} cannot be read by you`, "change its owner or its mode");
  }
}

function run(
  { command, args }: CodexCommand,
  words: readonly string[],
  env: Environment,
  limitMs: number,
): Promise<{ readonly output: string; readonly code: number | undefined }> {
  const options = { env: Object.fromEntries(inheritedEnvironment(env)), timeout: limitMs, windowsHide: true };
  return new Promise((resolve) => {
    const child = execFile(command, [...args, ...words], options, (_error, stdout, stderr) =>
      resolve({ output: `${stdout}\n${stderr}`, code: child.exitCode ?? undefined }),
    );
  });
}
