/**
 * The engines for tests that are about the agent and run with each of them.
 *
 * A script says what the model does in words that both engines have: text, a command that
 * asks or does not ask, silence. `api` has what both fake APIs have.
 */
import { waitForCommand, type ProcessEntry } from "../processes.ts";
import { codexBackend } from "./codex/codex-agent.ts";
import { commandsInEditor, editsInEditor } from "./client/editor-mode.ts";
import * as responses from "./api/fake-responses-api.ts";
import type { CodexScript } from "./api/fake-responses-api.ts";
import { claudeBackend, type LiveBackend } from "./live-environment.ts";
import * as messages from "./api/model-script.ts";
import type { Hold, Script } from "./api/model-script.ts";
import type { StreamGate } from "./api/stream-gate.ts";
import { inBackendSession, type Play, type PlayOptions, type SessionDriver, withBackendAgent } from "./with-agent.ts";

export interface SharedApi {
  gate(name: string): StreamGate;
  /** What the model was sent for a script, oldest first, as JSON. */
  sentTo(script: string): readonly string[];
}

export type SharedPlay = Play<SharedApi>;
export type SharedSession = SessionDriver<SharedApi>;

export type SharedStep =
  | { readonly kind: "say"; readonly parts: readonly (string | Hold)[] }
  | { readonly kind: "run"; readonly command: string; readonly asks: boolean; readonly after?: string }
  | { readonly kind: "silence"; readonly gate: string };

export type SharedScripts = Readonly<Record<string, readonly SharedStep[]>>;

export interface LiveEngine {
  readonly name: "Claude" | "Codex";
  /** What the engine's process is called in test titles. */
  readonly cli: string;
  /** How a call ends whose process is gone, and the answer to its prompt. */
  readonly lost: { readonly reason: string; readonly answer: string };
  withAgent(scripts: SharedScripts, play: (play: SharedPlay) => Promise<void>, options?: PlayOptions): Promise<void>;
  inSession(scripts: SharedScripts, play: (play: SharedSession) => Promise<void>, options?: PlayOptions): Promise<void>;
  isCli(entry: ProcessEntry): boolean;
  /** The process behind a session. */
  cliOf(play: SharedPlay, sessionId: string): Promise<ProcessEntry>;
  /** How many of its processes serve this many sessions. */
  cliCount(sessions: number): number;
}

export function say(...parts: readonly (string | Hold)[]): SharedStep {
  return { kind: "say", parts };
}

/** A command that needs permission, with the reason "Wait". */
export function asking(command: string, after?: string): SharedStep {
  return { kind: "run", command, asks: true, ...(after !== undefined && { after }) };
}

export function running(command: string): SharedStep {
  return { kind: "run", command, asks: false };
}

export function silence(gate: string): SharedStep {
  return { kind: "silence", gate };
}

const claude = engine(
  {
    name: "Claude",
    cli: "CLI",
    lost: { reason: "The Claude CLI ended.", answer: "answers -32603 the Claude CLI was ended by SIGKILL" },
    isCli: ({ command }) => command.includes("--input-format=stream-json"),
    cliOf: ({ place }, sessionId) => waitForCommand(place.root, "--input-format=stream-json", 10_000, sessionId),
    cliCount: (sessions) => sessions,
  },
  (scripts) => claudeBackend(mapped(scripts, claudeScript)),
);

const codex = engine(
  {
    name: "Codex",
    cli: "Codex app-server",
    lost: { reason: "Codex was ended by SIGKILL.", answer: "answers -32603 Codex was ended by SIGKILL" },
    isCli: isAppServer,
    cliOf: ({ place }) => waitForCommand(place.root, "app-server"),
    cliCount: () => 1,
  },
  (scripts) => codexBackend(mapped(scripts, codexScript)),
);

/** With the options of the editor, only Claude takes other paths. */
export const liveEngines: readonly LiveEngine[] = commandsInEditor || editsInEditor ? [claude] : [claude, codex];

function engine<Api extends SharedApi & AsyncDisposable>(
  facts: Omit<LiveEngine, "withAgent" | "inSession">,
  backend: (scripts: SharedScripts) => LiveBackend<Api>,
): LiveEngine {
  return {
    ...facts,
    withAgent: (scripts, play, options) => withBackendAgent(backend(scripts), play, options),
    inSession: (scripts, play, options) => inBackendSession(backend(scripts), play, options),
  };
}

function isAppServer({ command }: ProcessEntry): boolean {
  return / app-server( |$)/.test(command);
}

function mapped<T>(
  scripts: SharedScripts,
  translate: (steps: readonly SharedStep[]) => T,
): Readonly<Record<string, T>> {
  return Object.fromEntries(Object.entries(scripts).map(([name, steps]) => [name, translate(steps)]));
}

function claudeScript(steps: readonly SharedStep[]): Script {
  return steps.map((step) => {
    switch (step.kind) {
      case "say":
        return messages.answer(messages.say(...step.parts));
      case "silence":
        return messages.silence(step.gate);
      case "run": {
        const call = messages.call("Bash", { command: step.command, description: "Wait" });
        return messages.answer(...(step.after === undefined ? [] : [messages.say(step.after)]), call);
      }
    }
  });
}

function codexScript(steps: readonly SharedStep[]): CodexScript {
  return steps.map((step) => {
    switch (step.kind) {
      case "say":
        return responses.say(...step.parts);
      case "silence":
        return responses.silence(step.gate);
      case "run": {
        const escalated = { sandbox_permissions: "require_escalated", justification: "Wait" };
        const call = responses.callItem("exec_command", { cmd: step.command, ...(step.asks && escalated) });
        return responses.answer(...(step.after === undefined ? [] : [responses.commentary(step.after)]), call);
      }
    }
  });
}
