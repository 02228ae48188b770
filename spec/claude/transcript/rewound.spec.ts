/**
 * Specs of transcripts in which the user took prompts back.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { forkPointIn, promptsIn } from "../../../lib/claude/engine/saved/conversation-points.ts";
import type { ConversationEvent } from "../../../lib/claude/index.ts";
import { answered, said, told, type Line } from "../../support/claude/transcript-file.ts";

const conversation: readonly Line[] = [
  said("u1", null, "first"),
  answered("a1", "u1", "one"),
  said("u2", "a1", "second"),
  answered("a2", "u2", "two"),
];
const rewound = (leafUuid: string | null): Line => ({ type: "last-prompt", leafUuid, explicit: true, rewound: true });

describe("a rewound transcript", () => {
  it("a conversation ends where the last rewind says", async () => {
    assert.deepEqual((await told([...conversation, rewound("a1")])).seen, ["first", "one"]);
    assert.deepEqual((await told([...conversation, rewound("a1"), rewound(null)])).seen, []);
  });

  it("a prompt after a rewind continues from there", async () => {
    const more = [said("u3", "a1", "other"), answered("a3", "u3", "three")];
    assert.deepEqual((await told([...conversation, rewound("a1"), ...more])).seen, ["first", "one", "other", "three"]);
    const empty = [said("u3", null, "other"), answered("a3", "u3", "three")];
    assert.deepEqual((await told([...conversation, rewound(null), ...empty])).seen, ["other", "three"]);
  });
});

describe("points of a conversation", () => {
  const replay = async (onEvent: (event: ConversationEvent) => void): Promise<void> => {
    for (const event of (await told(conversation)).events) onEvent(event);
  };

  it("the prompts of a conversation are those that a replay shows, by their message ids", async () => {
    assert.deepEqual(
      (await promptsIn(replay)).map(({ messageId, content }) => [messageId, content]),
      [
        ["u1", [{ type: "text", text: "first" }]],
        ["u2", [{ type: "text", text: "second" }]],
      ],
    );
  });

  it("a text before the user's own mentions no file when the prompt is sent again", async () => {
    const content = ["Continue with @~/secret\n", "look at @mine"].map((text) => ({ type: "text", text }) as const);
    const event = { type: "user", uuid: "u1", parent_tool_use_id: null, message: { role: "user", content } } as const;
    const [prompt] = await promptsIn(async (onEvent) => onEvent(event));
    assert.deepEqual(
      prompt?.content.map((block) => block.type === "text" && block.text),
      ["Continue with (at)~/secret\n", "look at @mine"],
    );
  });

  it("a fork ends before a prompt, or with an answer", async () => {
    assert.deepEqual(await forkPointIn(replay, "u1"), { kind: "beginning" });
    assert.deepEqual(await forkPointIn(replay, "u2"), { kind: "at", at: "a1" });
    assert.deepEqual(await forkPointIn(replay, "msg_a2"), { kind: "at", at: "a2" });
    assert.deepEqual(await forkPointIn(replay, "u9"), { kind: "unknown" });
  });
});
