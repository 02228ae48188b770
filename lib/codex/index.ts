/**
 * Entry point of the codex module: everything other modules may import.
 */
export type { CodexLauncher, CodexLink } from "./app-server/codex-link.ts";
export { codexAccountUsage } from "./engine/account-usage.ts";
export { codexEngine } from "./engine/codex-engine.ts";
export { codexHome } from "./engine/settings/config-fingerprint.ts";
export { codexLauncher } from "./process/launch-codex.ts";
export { codexVersion, readCodexVersion } from "./process/codex-version.ts";
export { howToInstallCodex, locateCodex, type CodexCommand } from "./process/find-codex.ts";
export { codexSignInProgram } from "./process/sign-in.ts";
