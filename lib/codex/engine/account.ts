/**
 * The sign-in of Codex, which an app-server reads from Codex's own files.
 *
 * A running app-server notices a sign-in in a terminal after a second, and never notices a
 * sign-out. An idle app-server is therefore replaced when auth.json has changed since it was
 * started. An app-server that conversations use is kept: the check waits until it has noticed
 * the sign-in, and treats a deleted auth.json as a sign-out.
 */
import { join } from "node:path";
import { EngineFailure } from "../../engine/index.ts";
import type { Environment } from "../../process/index.ts";
import { unknown } from "../../schema/index.ts";
import type { Schedule } from "../../wire/index.ts";
import type { AppServer } from "../app-server/app-server.ts";
import type { CodexRun, SharedAppServer } from "../app-server/shared-app-server.ts";
import { AccountState } from "../protocol/index.ts";
import { howToSignInToCodex } from "../setup/index.ts";
import { changeOf, codexHome } from "./settings/config-fingerprint.ts";

/** How long a check waits for an app-server to notice a sign-in, and how often it asks. */
const noticeLimitMs = 3000;
const noticeIntervalMs = 100;

export interface CodexAccountOptions {
  readonly shared: SharedAppServer;
  readonly env: Environment;
  readonly after: Schedule;
}

export class CodexAccount {
  readonly #options: CodexAccountOptions;
  /** What was known of auth.json when an app-server read it; undefined: there was none. */
  readonly #read = new WeakMap<AppServer, { readonly change: string | undefined }>();

  constructor(options: CodexAccountOptions) {
    this.#options = options;
  }

  /** The app-server for the next conversation. Rejects with an `EngineFailure`. */
  async acquire(): Promise<CodexRun> {
    const { shared } = this.#options;
    const change = this.#change();
    const run = await shared.acquire();
    const read = this.#read.get(run.server);
    if (read === undefined) this.#read.set(run.server, { change });
    if (read === undefined || read.change === change || shared.isHeld) return run;
    shared.discard(run, "the sign-in has changed");
    return this.acquire();
  }

  /** Rejects with an `EngineFailure` of kind `not_signed_in`. A provider of the user's own needs no sign-in. */
  async check(server: AppServer): Promise<void> {
    const { account, requiresOpenaiAuth } = await this.#readAccount(server);
    if (requiresOpenaiAuth !== true) return;
    const read = this.#read.get(server);
    const change = this.#change();
    const isDeleted = change === undefined && read?.change !== undefined;
    if (account != null && !isDeleted) return;
    const isWritten = change !== undefined && change !== read?.change;
    if (isWritten && (await this.#isNoticed(server))) return void this.#read.set(server, { change });
    // Without a readable configuration Codex does not know the user's provider. This request fails with the reason.
    await server.request("config/read", {}, unknown);
    throw new EngineFailure("not_signed_in", `Codex is not signed in: ${howToSignInToCodex}`);
  }

  async signOut(): Promise<void> {
    const { server } = await this.acquire();
    await server.request("account/logout", {}, unknown);
  }

  async #isNoticed(server: AppServer): Promise<boolean> {
    for (let waitedMs = 0; waitedMs < noticeLimitMs; waitedMs += noticeIntervalMs) {
      await new Promise<void>((resolve) => void this.#options.after(noticeIntervalMs, resolve));
      if ((await this.#readAccount(server)).account != null) return true;
    }
    return false;
  }

  #readAccount(server: AppServer): Promise<AccountState> {
    return server.request("account/read", { refreshToken: false }, AccountState);
  }

  #change(): string | undefined {
    return changeOf(join(codexHome(this.#options.env), "auth.json"));
  }
}
