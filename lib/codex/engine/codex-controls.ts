/**
 * The controls of a conversation with Codex (lib/engine/controls.ts): the limits of the account,
 * the tokens of the conversation, its MCP servers and background commands.
 */
import type { ConversationControls } from "../../engine/index.ts";
import type { CodexState } from "../translate/index.ts";
import { readLimits } from "./account-usage.ts";
import type { LoadedThread } from "./thread/conversation-thread.ts";
import { threadControls } from "./thread/thread-controls.ts";

/** The answer comes from a server of OpenAI. */
const readLimitMs = 8000;

export interface CodexControlsOptions {
  readonly load: () => Promise<LoadedThread>;
  readonly state: CodexState;
  readonly model: () => string;
}

export function codexControls({ load, state, model }: CodexControlsOptions): ConversationControls {
  return {
    ...threadControls(load),
    usage: async () => {
      const { server } = await load();
      const { limits, total } = state;
      await readLimits(server, limits, readLimitMs);
      return {
        ...(limits.plan !== undefined && { plan: limits.plan }),
        limits: limits.all,
        models: total === undefined ? [] : [{ model: model(), ...total }],
      };
    },
  };
}
