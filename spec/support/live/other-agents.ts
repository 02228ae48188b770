/**
 * Agents from npm that were not written here, each with its real program and a scripted
 * model on this machine: claude-agent-acp, codex-acp, OpenCode and Gemini CLI.
 *
 * All do the same in a turn: run `touch made.txt`, run `rm hello.txt`, and say "All done.".
 * They ask before they run a command. None of them reaches a network.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { answer, call, say } from "./api/model-script.ts";
import { escalate, ResponsesApi, say as codexSay } from "./api/fake-responses-api.ts";
import { MessagesApi } from "./api/fake-messages-api.ts";
import { GeminiApi } from "./api/fake-gemini-api.ts";
import { claudeExecutable, cleanEnvironment, codexPeerInstallation, installed, peerInstallation } from "./real-cli.ts";
import { codexEnvironment, codexExecutable } from "./real-codex.ts";
import type { Workspace } from "./workspace.ts";

const geminiVersion = "0.61.0";
const openCodeVersion = "1.18.33";

/** An agent with its model, for one project. */
export interface OtherAgent extends AsyncDisposable {
  readonly command: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** The prompt that makes the model do its work. */
export const workPrompt = "[[work]] go";
export const commands: readonly string[] = ["touch made.txt", "rm hello.txt"];

type StartAgent = (place: Workspace) => Promise<OtherAgent>;

export const otherAgents = {
  "claude-agent-acp": async (place) => {
    const api = await messagesApi("Bash");
    return {
      command: [process.execPath, peerInstallation().program],
      env: cleanEnvironment(api.port, place.home, { CLAUDE_CODE_EXECUTABLE: claudeExecutable() }),
      [Symbol.asyncDispose]: () => api.close(),
    };
  },
  "codex-acp": async (place) => {
    const work = [...commands.map((line) => escalate(line, "The test needs it.")), codexSay("All done.")];
    const api = await ResponsesApi.start({ work });
    return {
      command: [process.execPath, codexPeerInstallation().program],
      env: codexEnvironment(
        api.port,
        place.home,
        {},
        { CODEX_PATH: codexExecutable(), INITIAL_AGENT_MODE: "workspace-write" },
      ),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    };
  },
  OpenCode: async (place) => {
    const api = await messagesApi("bash");
    const model = "anthropic/claude-sonnet-4-5";
    const options = { baseURL: `http://127.0.0.1:${api.port}/v1`, apiKey: "fake" };
    const config = {
      model,
      small_model: model,
      autoupdate: false,
      share: "disabled",
      permission: { bash: "ask", edit: "ask" },
      provider: { anthropic: { options } },
    };
    const modules = installed("opencode-ai", openCodeVersion);
    const binary = `opencode-${process.platform}-${process.arch}`;
    return {
      command: [join(modules, binary, "bin", "opencode"), "acp"],
      env: cleanEnvironment(api.port, place.home, {
        OPENCODE_CONFIG_CONTENT: JSON.stringify(config),
        OPENCODE_DISABLE_MODELS_FETCH: "1",
        OPENCODE_DISABLE_AUTOUPDATE: "1",
        OPENCODE_DISABLE_LSP_DOWNLOAD: "1",
      }),
      [Symbol.asyncDispose]: () => api.close(),
    };
  },
  "Gemini CLI": async (place) => {
    const runs = commands.map((command) => ({ call: "run_shell_command", args: { command, description: "Do it" } }));
    const api = await GeminiApi.start(...runs, { say: "All done." });
    const settings = {
      security: { auth: { selectedType: "gemini-api-key" } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    };
    mkdirSync(join(place.home, ".gemini"), { recursive: true });
    writeFileSync(join(place.home, ".gemini", "settings.json"), JSON.stringify(settings));
    const program = join(installed("@google/gemini-cli", geminiVersion), "@google/gemini-cli/bundle/gemini.js");
    return {
      command: [process.execPath, program, "--acp", "--model", "gemini-2.5-flash"],
      env: cleanEnvironment(api.port, place.home, {
        GEMINI_API_KEY: "fake",
        GOOGLE_GEMINI_BASE_URL: `http://127.0.0.1:${api.port}`,
        // Gemini CLI would start itself again with more memory.
        GEMINI_CLI_NO_RELAUNCH: "1",
      }),
      [Symbol.asyncDispose]: () => api[Symbol.asyncDispose](),
    };
  },
} as const satisfies Readonly<Record<string, StartAgent>>;

export type OtherAgentName = keyof typeof otherAgents;

/** `shell` is the agent's name for its tool. */
function messagesApi(shell: string): Promise<MessagesApi> {
  const work = commands.map((command) => answer(call(shell, { command, description: "Do it" })));
  return MessagesApi.start({ work: [...work, answer(say("All done."))] });
}
