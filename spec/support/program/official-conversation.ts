/**
 * Runs the same conversation of the official client with the agent that a command
 * starts.
 *
 * The agent is the scripted one of spec/interop, or a program that plays it.
 */
import { spawn } from "node:child_process";
import * as acp from "@agentclientprotocol/sdk";
import { ScriptedClient } from "../interop/scripted-client.ts";
import { officialClient } from "../interop/official.ts";
import { end, streamOf } from "../interop/program.ts";
import { scratch } from "./run-program.ts";

export interface Conversation {
  /** The messages that reached the client, in the order of the wire, as JSON. */
  readonly told: readonly string[];
  readonly stderr: string;
  readonly exitCode: number | null;
}

export interface ConverseOptions {
  /** What the user answers to the permission request. */
  readonly allows?: boolean;
  /** Sees an error answer of a prompt. */
  readonly onFailure?: (prompt: string, cause: unknown) => void;
  readonly cwd?: string;
}

const place = scratch();

export async function converse(
  [command = "", ...args]: readonly string[],
  { allows = true, onFailure, cwd = place }: ConverseOptions = {},
): Promise<Conversation> {
  const child = spawn(command, args);
  let stderr = "";
  child.stderr.setEncoding("utf8").on("data", (text: string) => (stderr += text));
  const harness = new ScriptedClient();
  harness.files.set("/notes.txt", "one\ntwo\nthree");
  const { initialize } = officialClient(acp, streamOf(child), harness);
  const agent = await initialize(() => end(child));
  await agent.call("authenticate", { methodId: "token" });
  const { sessionId } = await agent.call("session/new", { cwd, mcpServers: [] });
  const prompt = async (text: string): Promise<void> => {
    const sent = agent.call("session/prompt", { sessionId, prompt: [{ type: "text", text }] });
    await sent.catch((cause: unknown) => {
      if (onFailure === undefined) throw cause;
      onFailure(text, cause);
    });
  };
  await prompt("updates");
  harness.outcome = { outcome: "selected", optionId: allows ? "yes" : "no" };
  await prompt("permission");
  await prompt("files");
  await prompt("terminal");
  const waiting = prompt("wait");
  while (!harness.wire.at(-1)?.includes('"waiting"')) await new Promise((resolve) => setImmediate(resolve));
  agent.cancel(sessionId);
  await waiting;
  await prompt("flood 50");
  await agent.close();
  return { told: harness.wire, stderr, exitCode: child.exitCode };
}
