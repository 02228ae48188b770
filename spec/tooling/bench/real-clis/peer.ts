/**
 * The strongest other adapter for each CLI, where it can be installed.
 */
import { codexPeerInstallation, peerInstallation } from "../../../support/live/real-cli.ts";

type Installation = ReturnType<typeof peerInstallation>;

type Install = () => Installation;

const found = new Map<Install, Installation | undefined>();

/** claude-agent-acp; undefined when it cannot be installed, which is reported once. */
export function findPeer(): Installation | undefined {
  return findInstallation(peerInstallation);
}

/** codex-acp; undefined when it cannot be installed, which is reported once. */
export function findCodexPeer(): Installation | undefined {
  return findInstallation(codexPeerInstallation);
}

function findInstallation(install: Install): Installation | undefined {
  if (!found.has(install)) found.set(install, tryInstall(install));
  return found.get(install);
}

function tryInstall(install: Install): Installation | undefined {
  try {
    return install();
  } catch (cause) {
    process.stderr.write(`the peer is left out: ${cause instanceof Error ? cause.message : String(cause)}\n`);
    return undefined;
  }
}
