/**
 * Runs the whole agent in memory, between a test client and the scripted engine.
 */
import { createAgent } from "../../../lib/agent/index.ts";
import type { Prompt } from "../../../lib/engine/index.ts";
import { type ConnectedAgent, connectAgent, type EditorOptions } from "./connected-agent.ts";
import { type ScriptedConversation, ScriptedEngine } from "./scripted-engine.ts";

export interface ScriptedHarness extends ConnectedAgent {
  readonly engine: ScriptedEngine;
  /** A session, and its conversation. */
  readonly open: () => Promise<{ readonly sessionId: string; readonly conversation: ScriptedConversation }>;
}

export interface ScriptedHarnessOptions extends Omit<EditorOptions, "engine"> {
  readonly engine?: ScriptedEngine;
}

export async function scriptedHarness(given: ScriptedHarnessOptions = {}): Promise<ScriptedHarness> {
  const { engine = new ScriptedEngine(), ...options } = given;
  const connected = await connectAgent(options, (link, shared) =>
    createAgent(link, { textOf: () => undefined, ...shared, engine }),
  );
  return {
    ...connected,
    engine,
    open: async () => {
      const { sessionId } = await connected.editor.call("session/new", { cwd: "/", mcpServers: [] });
      const conversation = engine.opened.at(-1);
      if (conversation === undefined) throw new Error("no conversation was opened");
      return { sessionId, conversation };
    },
  };
}

/** An engine with saved conversations. */
export function engineWith(...ids: readonly string[]): ScriptedEngine {
  const engine = new ScriptedEngine();
  for (const id of ids) engine.saved.set(id, []);
  return engine;
}

/** The text of each prompt. */
export function promptTexts(prompts: readonly Prompt[]): readonly string[] {
  return prompts.map(({ content }) => content.map((one) => (one.type === "text" ? one.text : one.type)).join());
}
