/**
 * The strongest other adapter for the same CLI, where it can be installed.
 */
import { peerInstallation } from "../../support/live/real-cli.ts";

type Installation = ReturnType<typeof peerInstallation>;

let found: { readonly installation: Installation | undefined } | undefined;

/** Undefined when it cannot be installed; that is reported once. */
export function findPeer(): Installation | undefined {
  found ??= { installation: tryInstall() };
  return found.installation;
}

function tryInstall(): Installation | undefined {
  try {
    return peerInstallation();
  } catch (cause) {
    process.stderr.write(`the peer is left out: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    return undefined;
  }
}
