/**
 * Starts `codex app-server` as a guarded child process.
 *
 * The process serves conversations in many directories, so it runs in the user's home.
 */
import { existsSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { EngineFailure } from "../../engine/index.ts";
import { type Environment, GuardedProcess, inheritedEnvironment } from "../../process/index.ts";
import type { CodexLauncher } from "../app-server/codex-link.ts";
import { locateCodex } from "./find-codex.ts";

/** The longest line accepted from Codex. The history of a conversation comes in one line per page. */
const maxLineBytes = 128 * 1024 * 1024;

/** Throws an `EngineFailure` when Codex cannot be started. */
export function codexLauncher(env: Environment): CodexLauncher {
  return () => {
    const { command, args } = locateCodex({ env });
    const childEnv = Object.fromEntries(inheritedEnvironment(env));
    try {
      const cwd = [env["HOME"] ?? homedir(), tmpdir()].find((path) => existsSync(path)) ?? "/";
      return new GuardedProcess({
        name: "Codex",
        command,
        args: [...args, "app-server"],
        cwd,
        env: childEnv,
        maxLineBytes,
        // A Codex that is killed takes the shells of its commands with it, so the children of a shell that
        // still run look like daemons. Codex itself leaves none either.
        leavesDaemons: false,
      });
    } catch (cause) {
      throw new EngineFailure("not_found", cause instanceof Error ? cause.message : "Codex could not be started", {
        cause,
      });
    }
  };
}
