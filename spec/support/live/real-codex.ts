/**
 * Installs the pinned Codex CLI that live tests run, and builds its environment.
 *
 * Everything Codex may know is written for the test: a home of its own, and a provider that
 * is the fake API of fake-responses-api.ts.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { delimiter, dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { locateCodex } from "../../../lib/codex/index.ts";
import { installed } from "./real-cli.ts";

export const codexVersion = "0.166.0";
/** Accepted only by the fake API. */
export const fakeCodexKey = "fake-key-of-the-live-tests";

/** The path of the codex binary, installed on first use. */
export function codexExecutable(): string {
  const launcher = join(installed("@openai/codex", codexVersion), "@openai", "codex", "bin", "codex.js");
  if (!existsSync(launcher)) throw new Error(`there is no ${launcher}`);
  return locateCodex({ env: { CODEX_EXECUTABLE: launcher } }).path;
}

export interface CodexHomeOptions {
  readonly model?: string;
  /** "openai" is Codex's own provider, which needs a sign-in. */
  readonly provider?: "fake" | "openai";
  /** Lines of config.toml before its first table. */
  readonly config?: string;
  /** Tables at the end of config.toml. */
  readonly tables?: string;
}

/** Writes the config.toml of a home directory and returns the environment for `codex app-server`. */
export function codexEnvironment(
  apiPort: number,
  home: string,
  { model = "gpt-5.5", provider: named = "fake", config = "", tables = "" }: CodexHomeOptions = {},
  more: Readonly<Record<string, string>> = {},
): Record<string, string> {
  const temporary = join(home, "tmp");
  const codexHome = join(home, ".codex");
  mkdirSync(temporary, { recursive: true });
  mkdirSync(codexHome, { recursive: true });
  if (!existsSync(join(codexHome, "config.toml"))) {
    const provider = [
      `name = "fake"`,
      `base_url = "http://127.0.0.1:${apiPort}/v1"`,
      `wire_api = "responses"`,
      `env_key = "FAKE_KEY"`,
      `request_max_retries = 2`,
      `stream_max_retries = 2`,
    ];
    const text = `model = "${model}"\nmodel_provider = "${named}"\n${config}\n[model_providers.fake]\n${provider.join("\n")}\n\n[analytics]\nenabled = false\n${tables}\n`;
    writeFileSync(join(codexHome, "config.toml"), text);
  }
  const executable = codexExecutable();
  // Codex warns when bubblewrap is not on PATH, although it brings one.
  const bubblewrap = join(dirname(executable), "..", "codex-resources");
  return {
    PATH: [dirname(process.execPath), "/usr/local/bin", "/usr/bin", "/bin", bubblewrap].join(delimiter),
    HOME: home,
    TMPDIR: temporary,
    CODEX_HOME: codexHome,
    CODEX_EXECUTABLE: executable,
    LANG: "C.UTF-8",
    SHELL: "/bin/bash",
    USER: "dev",
    FAKE_KEY: fakeCodexKey,
    ...more,
  };
}

// As a program, this file only installs, in a separate step before the tests.
if (import.meta.url === pathToFileURL(process.argv[1] ?? "").href) {
  process.stderr.write(`bowline: ${codexExecutable()}\n`);
}
