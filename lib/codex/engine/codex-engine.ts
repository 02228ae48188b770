/**
 * `codexEngine`: Codex as an engine, driven over `codex app-server`.
 *
 * All conversations share one app-server. The user's own binary, sign-in and configuration
 * are used, and nothing is written to the configuration.
 */
import type { Engine } from "../../engine/index.ts";
import type { Environment } from "../../process/index.ts";
import { type Schedule, wallClock } from "../../wire/index.ts";
import type { CodexLauncher } from "../app-server/codex-link.ts";
import { toFailure } from "../app-server/errors.ts";
import { SharedAppServer } from "../app-server/shared-app-server.ts";
import { codexLauncher } from "../process/launch-codex.ts";
import { promptInput } from "../translate/index.ts";
import { checkSignIn, signOut } from "./account.ts";
import { CodexConversation } from "./codex-conversation.ts";
import { configFingerprint } from "./config-fingerprint.ts";
import { codexConversationStore } from "./conversation-store.ts";
import { checkMcpServers, checkWishes } from "./thread-request.ts";

export interface CodexEngineOptions {
  readonly env: Environment;
  /** The version of this program. */
  readonly version: string;
  readonly after?: Schedule | undefined;
  /** Replaces the start of the user's Codex, for example by a tape. */
  readonly launcher?: CodexLauncher | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export function codexEngine({ env, version, after, launcher, onBug }: CodexEngineOptions): Engine {
  const shared = new SharedAppServer({
    launcher: launcher ?? codexLauncher(env),
    after: after ?? wallClock,
    version,
    onBug: onBug ?? (() => {}),
  });
  return {
    id: "codex",
    name: "Codex",
    capabilities: { fork: true, steer: true },
    conversations: codexConversationStore(shared),
    refusalOf: (prompt) => {
      const read = promptInput(prompt);
      return read.kind === "refused" ? read.why : undefined;
    },
    open: (request, host) => {
      checkMcpServers(request.mcpServers);
      checkWishes(request.wishes);
      return new CodexConversation({ shared, request, host });
    },
    configFingerprint: (cwd) => configFingerprint(env, cwd),
    checkSignIn: async () => {
      try {
        await checkSignIn((await shared.acquire()).server);
      } catch (cause) {
        throw toFailure(cause, "reading the sign-in state of Codex");
      }
    },
    signOut: async () => {
      try {
        await signOut((await shared.acquire()).server);
      } catch (cause) {
        throw toFailure(cause, "signing out of Codex");
      }
    },
    close: (reason) => shared.close(reason),
  };
}
