/**
 * Bowline: the built program on a stage, driven by the official SDK's client.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { AcpClient, type AcpClientOptions } from "./acp-client.ts";
import { claudeExecutable, cleanEnvironment } from "./real-cli.ts";
import type { Script } from "./script.ts";
import { onStage, type Stage } from "./stage.ts";

/** The single file that people install. */
export const program = fileURLToPath(new URL("../../../dist/bowline.mjs", import.meta.url));

export interface Play extends Stage {
  readonly client: AcpClient;
  readonly cwd: string;
}

export interface PlayOptions {
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly capabilities?: AcpClientOptions["capabilities"];
}

/** Plays a scene with the agent; afterwards nothing it started is alive. */
export function withAgent(
  scripts: Readonly<Record<string, Script>>,
  play: (scene: Play) => Promise<void>,
  { args = [], env = {}, capabilities }: PlayOptions = {},
): Promise<void> {
  assert.ok(existsSync(program), "dist/bowline.mjs is there; run `npm run build` first");
  return onStage(scripts, async (stage) => {
    const { api, place } = stage;
    const client = stage.own(
      new AcpClient({
        command: process.execPath,
        args: [program, ...args],
        env: cleanEnvironment(api.port, place.home, { BOWLINE_CLAUDE: claudeExecutable(), ...env }),
        ...(capabilities && { capabilities }),
      }),
    );
    await play({ ...stage, client, cwd: place.cwd });
  });
}
