/**
 * `codexEngine`: Codex as an engine, driven over `codex app-server`.
 *
 * All conversations share one app-server. The user's own binary, sign-in and configuration
 * are used, and nothing is written to the configuration.
 */
import type { Engine } from "../../engine/index.ts";
import type { Environment } from "../../process/index.ts";
import { type Schedule, realTimer } from "../../wire/index.ts";
import type { CodexLauncher } from "../app-server/codex-link.ts";
import { toFailure } from "../app-server/errors.ts";
import { SharedAppServer } from "../app-server/shared-app-server.ts";
import { codexLauncher } from "../process/launch-codex.ts";
import { promptInput } from "../translate/index.ts";
import { CodexAccount } from "./account.ts";
import { CodexConversation } from "./codex-conversation.ts";
import { configFingerprint } from "./settings/config-fingerprint.ts";
import { codexConversationStore } from "./saved/conversation-store.ts";
import { HostData } from "./settings/host-data.ts";
import { checkMcpServers, checkRequestedOptions } from "./thread/thread-request.ts";

export interface CodexEngineOptions {
  readonly env: Environment;
  /** The version of this program. */
  readonly version: string;
  readonly after?: Schedule | undefined;
  /** Replaces the start of the user's Codex, for example by a tape. */
  readonly launcher?: CodexLauncher | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export function codexEngine({ env, version, after = realTimer, launcher, onBug }: CodexEngineOptions): Engine {
  const hostData = new HostData({ env, after });
  const shared = new SharedAppServer({
    launcher: launcher ?? codexLauncher(env),
    after,
    version,
    onBug: onBug ?? (() => {}),
    onNotification: (notification) => hostData.onNotification(notification),
  });
  const account = new CodexAccount({ shared, env, after });
  return {
    id: "codex",
    name: "Codex",
    capabilities: { fork: true, steer: true, reloadsConfiguration: false, replaysFromDisk: false },
    conversations: codexConversationStore(shared),
    refusalOf: (prompt) => {
      const read = promptInput(prompt);
      return read.kind === "refused" ? read.why : undefined;
    },
    open: (request, host) => {
      checkMcpServers(request.mcpServers);
      checkRequestedOptions(request.requestedOptions);
      return new CodexConversation({ shared, account, hostData, request, host });
    },
    configFingerprint: (cwd) => configFingerprint(env, cwd),
    checkSignIn: async () => {
      try {
        await account.check((await account.acquire()).server);
      } catch (cause) {
        throw toFailure(cause, "reading the sign-in state of Codex");
      }
    },
    signOut: async () => {
      try {
        await account.signOut();
      } catch (cause) {
        throw toFailure(cause, "signing out of Codex");
      }
    },
    close: (reason) => {
      hostData.forget();
      return shared.close(reason);
    },
  };
}
