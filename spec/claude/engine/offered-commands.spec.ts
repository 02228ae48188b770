/**
 * Specs of the slash commands of Claude that the client is offered.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { offeredCliCommands } from "../../../lib/claude/engine/offered-commands.ts";

describe("offeredCliCommands", () => {
  const none = new Set<string>();

  it("a command's description is its first sentence, at most 160 characters", () => {
    const [loop, plain, long] = offeredCliCommands(
      [
        {
          name: "loop",
          description: "Repeat a prompt (e.g. /loop 5m /foo). Use when asked to.",
          argumentHint: "[interval]",
        },
        { name: "plain", description: "Works with v2.1 of it" },
        { name: "long", description: "word ".repeat(100) },
      ],
      none,
    );
    assert.deepEqual(loop, {
      name: "loop",
      description: "Repeat a prompt (e.g. /loop 5m /foo).",
      input: { hint: "[interval]" },
    });
    assert.deepEqual(plain, { name: "plain", description: "Works with v2.1 of it" });
    assert.equal(long?.description.length, 160);
  });

  it("hidden and removed commands and those for the terminal are left out", () => {
    const names = ["__internal", "login", "status", "agents", "compact"];
    const commands = names.map((name) => ({
      name,
      description: name === "agents" ? "(removed) Ask instead" : "Does it",
    }));
    assert.deepEqual(
      offeredCliCommands(commands, new Set(["status"])).map(({ name }) => name),
      ["compact"],
    );
  });
});
