/**
 * The moments of a session at which a process may be killed.
 *
 * `reach` brings a session to the moment and returns the running prompt. Each session
 * has a word PERSIMMON of its own, by which later API requests show whether the
 * conversation is complete.
 */
import assert from "node:assert/strict";
import type { PromptResponse } from "@agentclientprotocol/sdk";
import { type ProcessEntry, waitForCommand } from "../processes.ts";
import { asking, say, type SharedPlay, type SharedScripts } from "./live-engines.ts";
import { hold } from "./api/model-script.ts";
import { transcript } from "./client/shown-transcript.ts";

export type Moment = "idle" | "streaming" | "in a tool" | "with a permission open";

const moments: readonly Moment[] = ["idle", "streaming", "in a tool", "with a permission open"];

/** The CLI refuses a lone sleep; this command starts a session of its own and writes a file, so it needs permission. */
export const command = "touch x && sleep 475";

export const momentScripts: SharedScripts = {
  talk: [say("Hello.")],
  streaming: [say("Some ", hold("word"), "more")],
  tool: [asking(command, "Waiting."), say("never")],
  asking: [asking("touch never"), say("never")],
};

export interface Reached {
  readonly sessionId: string;
  /** The running prompt's answer or error; undefined when none runs. */
  readonly ended: Promise<PromptResponse | Error> | undefined;
  /** What the user has seen since the prompt of this moment. */
  readonly seen: () => readonly string[];
}

/** Sessions at all these moments, in one program. */
export async function reachAll(play: SharedPlay): Promise<ReadonlyMap<Moment, Reached>> {
  const { client } = play;
  await client.initialize();
  client.editor.usual = ({ toolCall }) => (JSON.stringify(toolCall).includes("never") ? "wait" : "allow");
  const reached = await Promise.all(moments.map(async (moment) => [moment, await reach(play, moment)] as const));
  return new Map(reached);
}

/** Opens a session and brings it to its moment. */
async function reach(play: SharedPlay, moment: Moment): Promise<Reached> {
  const { client, cwd, api, place } = play;
  const { sessionId } = await client.newSession(cwd);
  await client.prompt(sessionId, `[[talk]] PERSIMMON ${sessionId}`);
  const before = transcript(client, cwd, sessionId).length;
  const seen = (): readonly string[] => transcript(client, cwd, sessionId).slice(before);
  const prompt = (text: string): Promise<PromptResponse | Error> =>
    client.prompt(sessionId, text).catch((cause: unknown) => cause as Error); // the SDK rejects with errors
  switch (moment) {
    case "idle":
      return { sessionId, ended: undefined, seen };
    case "streaming": {
      const ended = prompt("[[streaming]] go");
      await api.gate("word").reached();
      await client.waitFor((one, id) => id === sessionId && JSON.stringify(one).includes("Some "));
      return { sessionId, ended, seen };
    }
    case "in a tool": {
      const ended = prompt("[[tool]] go");
      await waitForCommand(place.root, "sleep 475");
      return { sessionId, ended, seen };
    }
    case "with a permission open": {
      const ended = prompt("[[asking]] go");
      await client.editor.asked.waitFor(({ request }) => request.sessionId === sessionId);
      return { sessionId, ended, seen };
    }
  }
}

/** The Claude CLI behind a session. */
export function cliOf({ root }: { readonly root: string }, sessionId: string): Promise<ProcessEntry> {
  return waitForCommand(root, "--input-format=stream-json", 10_000, sessionId);
}

/** A prompt works, and the model is sent the whole conversation so far. */
export async function remembers({ client, api }: SharedPlay, sessionId: string): Promise<void> {
  const before = api.sentTo("talk").length;
  assert.deepEqual(await client.prompt(sessionId, `[[talk]] ${sessionId} again`), { stopReason: "end_turn" });
  const mine = api
    .sentTo("talk")
    .slice(before)
    .find((sent) => sent.includes(`${sessionId} again`));
  assert.match(mine ?? "", new RegExp(`PERSIMMON ${sessionId}`));
}
