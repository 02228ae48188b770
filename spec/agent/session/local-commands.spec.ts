/**
 * Slash commands that the agent answers itself.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { findLocalCommand, offeredCommands, versionCommand } from "../../../lib/agent/session/local-commands.ts";
import { scriptedHarness } from "../../support/agent/scripted-harness.ts";

const commands = [versionCommand("Scripted")];
const text = (given: string) => ({ type: "text", text: given }) as const;

describe("local commands", () => {
  it("a prompt is a local command only if it is one text with the command's whole name", () => {
    assert.equal(findLocalCommand(commands, [text(" /version now ")])?.argument, "now");
    assert.equal(findLocalCommand(commands, [text("/versions")]), undefined);
    assert.equal(findLocalCommand(commands, [text("see /version")]), undefined);
    assert.equal(findLocalCommand(commands, [text("/version"), text("more")]), undefined);
    assert.equal(findLocalCommand(commands, []), undefined);
  });

  it("a command of the engine with the same name is not offered twice", () => {
    const offered = offeredCommands([{ name: "version", description: "the engine's" }], commands);
    assert.deepEqual(offered, [{ name: "version", description: "Show the version of Bowline" }]);
  });

  it("/version and /setup are answered without the engine, and /setup exists only where the machine can be checked", async () => {
    const { open, prompt, updates } = await scriptedHarness({ describeSetup: async () => "- node: all is well" });
    const { conversation, sessionId } = await open();
    assert.deepEqual(await prompt(sessionId, "/version"), { stopReason: "end_turn" });
    assert.deepEqual(await prompt(sessionId, "/setup"), { stopReason: "end_turn" });
    const said = JSON.stringify(updates);
    assert.match(said, /Bowline \d+\.\d+\.\d+, with Scripted/);
    assert.match(said, /node: all is well/);
    assert.deepEqual(conversation.prompts, []);
  });

  it("a check of the machine that fails is an error of that prompt alone", async () => {
    const failing = async (): Promise<string> => Promise.reject(new Error("no such machine"));
    const { open, prompt } = await scriptedHarness({ describeSetup: failing });
    const { sessionId } = await open();
    await assert.rejects(prompt(sessionId, "/setup"), { code: -32603 });
    assert.deepEqual(await prompt(sessionId, "/version"), { stopReason: "end_turn" });
  });
});
