/**
 * The sign-in state of Codex, which Codex reads from its own files without asking a server.
 */
import { EngineFailure } from "../../engine/index.ts";
import { unknown } from "../../schema/index.ts";
import type { AppServer } from "../app-server/app-server.ts";
import { AccountState } from "../protocol/index.ts";
import { howToSignInToCodex } from "../sign-in/index.ts";

/** Rejects with an `EngineFailure` of kind `not_signed_in`. A provider of the user's own needs no sign-in. */
export async function checkSignIn(server: AppServer): Promise<void> {
  const { account, requiresOpenaiAuth } = await server.request("account/read", { refreshToken: false }, AccountState);
  if (account != null || requiresOpenaiAuth !== true) return;
  // Without a readable configuration Codex does not know the user's provider. This request fails with the reason.
  await server.request("config/read", {}, unknown);
  throw new EngineFailure("not_signed_in", `Codex is not signed in: ${howToSignInToCodex}`);
}

export async function signOut(server: AppServer): Promise<void> {
  await server.request("account/logout", {}, unknown);
}
