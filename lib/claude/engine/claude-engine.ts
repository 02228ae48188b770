/**
 * The Claude CLI as an engine.
 */
import type { Engine } from "../../engine/index.ts";
import type { Environment } from "../index.ts";
import { promptRefusal } from "../translate/index.ts";
import { ClaudeConversation } from "./claude-conversation.ts";
import { configFingerprint } from "./run/config-fingerprint.ts";
import type { CreateHostTools } from "./host-tools.ts";
import type { Launcher } from "./run/launcher.ts";
import type { SessionStore } from "./saved/session-store.ts";
import { checkSignIn, signOut } from "./sign-in.ts";

export interface ClaudeEngineOptions {
  readonly env: Environment;
  readonly launcher: Launcher;
  /** The conversations on disk. */
  readonly store: SessionStore;
  /** Creates the tools that the editor provides to the CLI. */
  readonly createTools: CreateHostTools;
  /** False when the CLI would refuse bypassPermissions. */
  readonly mayBypass: boolean;
}

export function claudeEngine(options: ClaudeEngineOptions): Engine {
  const { env, store } = options;
  return {
    id: "claude",
    name: "Claude",
    capabilities: { fork: true, steer: true, reloadsConfiguration: true, replaysFromDisk: true },
    conversations: store,
    refusalOf: promptRefusal,
    open: (request, host) => new ClaudeConversation(options, request, host),
    configFingerprint: (cwd) => configFingerprint(env, cwd),
    checkSignIn: () => checkSignIn(env),
    signOut: () => signOut(env),
    close: async () => {},
  };
}
