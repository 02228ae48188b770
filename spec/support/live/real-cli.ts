/**
 * Installs the pinned third-party programs that live tests run, the real CLI among them.
 *
 * They are installed below `.cache/live/`, one directory for each name and version,
 * never among the package's own dependencies. An installation appears as a whole, so
 * test files that start together cannot see half of one.
 */
import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync } from "node:fs";
import { join, dirname, delimiter } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";

export const claudeVersion = "2.1.325";
const acpxVersion = "0.19.1";
/** The other adapter for the same CLI; only the bench runs it. */
const peerVersion = "0.99.1";
/** The other adapter for Codex; only the bench runs it. */
const codexPeerVersion = "2.6.0";
/** Accepted only by the fake API of fake-messages-api.ts. */
export const fakeKey = "sk-ant-api03-fake-key-of-the-live-tests";

const root = fileURLToPath(new URL("../../..", import.meta.url));
const cache = join(root, ".cache", "live");

/** The path of the claude executable, installed on first use. */
export function claudeExecutable(): string {
  // The postinstall step would only copy the platform package's binary over a
  // stub (another 350 MB), so scripts stay off and that binary is used as it is.
  const modules = installed("@anthropic-ai/claude-code", claudeVersion);
  const name = process.platform === "win32" ? "claude.exe" : "claude";
  const found = platformPackages()
    .map((suffix) => join(modules, "@anthropic-ai", `claude-code-${suffix}`, name))
    .find((path) => existsSync(path));
  if (found === undefined) throw new Error(`no claude binary for ${process.platform} ${process.arch} in ${modules}`);
  return found;
}

/** The command that runs acpx, installed on first use. */
export function acpxCommand(): readonly [command: string, ...args: string[]] {
  return [process.execPath, join(installed("acpx", acpxVersion), "acpx", "dist", "cli.js")];
}

/** Installs `@agentclientprotocol/claude-agent-acp` with its dependencies on first use, and returns its program. */
export function peerInstallation(): { readonly program: string; readonly modules: string } {
  const name = "@agentclientprotocol/claude-agent-acp";
  const modules = installed(name, peerVersion);
  return { program: join(modules, name, "dist", "index.js"), modules };
}

/** Installs `@agentclientprotocol/codex-acp` with its dependencies on first use, and returns its program. */
export function codexPeerInstallation(): { readonly program: string; readonly modules: string } {
  const name = "@agentclientprotocol/codex-acp";
  const modules = installed(name, codexPeerVersion);
  return { program: join(modules, name, "dist", "index.js"), modules };
}

/**
 * Everything the CLI may know: the fake API, a home of its own, no traffic to
 * anywhere else. Nothing is taken over from the environment of the test.
 */
export function cleanEnvironment(
  apiPort: number,
  home: string,
  more: Readonly<Record<string, string | undefined>> = {},
): Record<string, string> {
  const temporary = join(home, "tmp");
  mkdirSync(temporary, { recursive: true });
  const all: Record<string, string | undefined> = {
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin"].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    CLAUDE_CODE_TMPDIR: temporary,
    CLAUDE_CONFIG_DIR: join(home, ".claude"),
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    USER: "dev",
    ANTHROPIC_BASE_URL: `http://127.0.0.1:${apiPort}`,
    ANTHROPIC_API_KEY: fakeKey,
    DISABLE_TELEMETRY: "1",
    DISABLE_ERROR_REPORTING: "1",
    DISABLE_AUTOUPDATER: "1",
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
    ...more,
  };
  const defined: Record<string, string> = {};
  for (const [key, value] of Object.entries(all)) if (value !== undefined) defined[key] = value;
  return defined;
}

/** The node_modules that contains this package, which is installed if it is missing; `more` are flags for npm. */
export function installed(name: string, version: string, more: readonly string[] = []): string {
  const home = join(cache, `${name.replace(/^.*\//, "")}-${version}`);
  const modules = join(home, "node_modules");
  if (existsSync(modules)) return modules;
  mkdirSync(cache, { recursive: true });
  const draft = mkdtempSync(join(cache, "draft-"));
  try {
    say(`installing ${name}@${version} for the live tests, this happens once...`);
    const started = performance.now();
    const flags = ["--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error", ...more];
    const { status, error } = spawnSync("npm", ["install", "--prefix", draft, ...flags, `${name}@${version}`], {
      stdio: ["ignore", 2, "inherit"],
      shell: process.platform === "win32",
    });
    if (status !== 0) throw new Error(`npm could not install ${name}@${version}`, { cause: error });
    if (!existsSync(modules)) renameSync(draft, home);
    say(`installed ${name}@${version} in ${((performance.now() - started) / 1000).toFixed(1)} s`);
  } catch (cause) {
    // Another test file may have finished the same installation between look and rename.
    if (!existsSync(modules)) throw cause;
  } finally {
    rmSync(draft, { recursive: true, force: true });
  }
  return modules;
}

function platformPackages(): readonly string[] {
  const plain = `${process.platform}-${process.arch}`;
  return process.platform === "linux" ? [plain, `${plain}-musl`] : [plain];
}

function say(text: string): void {
  process.stderr.write(`bowline: ${text}\n`);
}

// As a program, this file only installs, in a separate step before the tests.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  say(claudeExecutable());
  say(acpxCommand().join(" "));
}
