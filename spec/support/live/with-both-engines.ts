/**
 * Runs the built program with the real Claude CLI and the real Codex CLI at once, each
 * against its own scripted API.
 */
import { MessagesApi } from "./api/fake-messages-api.ts";
import type { CodexScript } from "./api/fake-responses-api.ts";
import type { Script } from "./api/model-script.ts";
import { claudeExecutable, cleanEnvironment } from "./real-cli.ts";
import { type CodexAgentOptions, type CodexSession, inCodexSession } from "./codex/codex-agent.ts";
import { workspace } from "./workspace.ts";

export interface BothScripts {
  readonly claude: Readonly<Record<string, Script>>;
  readonly codex: Readonly<Record<string, CodexScript>>;
}

export interface BothSession extends CodexSession {
  readonly messagesApi: MessagesApi;
}

/** Plays in an open session on the route claude, unless the options name another. */
export async function inSessionOfBoth(
  scripts: BothScripts,
  play: (session: BothSession) => Promise<void>,
  options: CodexAgentOptions = {},
): Promise<void> {
  await using scratch = workspace();
  await using messagesApi = await MessagesApi.start(scripts.claude);
  const all = cleanEnvironment(messagesApi.port, scratch.home, { BOWLINE_CLAUDE: claudeExecutable() });
  // The directories are those of the Codex environment.
  const {
    PATH: _path,
    HOME: _home,
    TMPDIR: _tmp,
    CLAUDE_CODE_TMPDIR: _ctmp,
    CLAUDE_CONFIG_DIR: _config,
    ...claude
  } = all;
  await inCodexSession(scripts.codex, (session) => play({ ...session, messagesApi }), {
    ...options,
    // Tests look at the process table, where a prewarmed session would have processes too.
    env: { ...claude, BOWLINE_ROUTE: "claude", BOWLINE_PREWARM: "0", ...options.env },
  });
}
