/**
 * Recordings: every recording as packets, as they were reviewed, and each packet
 * against the protocol's own description.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Packet } from "../../lib/packets/index.ts";
import { readText } from "../support/files.ts";
import { assertGolden } from "../support/golden.ts";
import {
  acpPackets,
  acpRecordings,
  asLines,
  cliPackets,
  cliRecordings,
  withWholeChunks,
} from "../support/packets/recorded-packets.ts";
import * as seed from "../support/packets/reference-packets.ts";

/** Packets the description does not have, which a strict stream leaves out. */
const extra = new Set(["agent_thought_chunk", "user_message_chunk", "permission_request", "permission_resolved"]);

describe("the recordings of ACP", () => {
  it("are all here", () => {
    assert.ok(acpRecordings.length >= 70 && cliRecordings.length >= 60);
  });

  for (const name of acpRecordings) {
    it(`become the packets that were reviewed: ${name}`, () => {
      assertGolden(`packets/${name}.ndjson`, asLines(acpPackets(name)));
    });

    it(`become packets that read as what they are: ${name}`, () => {
      for (const packet of acpPackets(name)) assert.equal(Packet.read(packet), packet);
    });

    it(`become, strictly, packets with exactly the description's keys: ${name}`, () => {
      for (const packet of acpPackets(name, true)) {
        const expected = seed.keysOf(packet.type);
        assert.ok(expected !== undefined && !extra.has(packet.type), packet.type);
        const given = Object.keys(packet).filter((key) => packet.type !== "error" || key !== "code");
        assert.deepEqual(given.toSorted(), expected);
      }
    });

    it(`gain nothing but times and the known extras when they are not strict: ${name}`, () => {
      const timeless = (packets: readonly Packet[]): readonly unknown[] =>
        packets.filter(({ type }) => !extra.has(type)).map((packet) => ({ ...packet, timestamp: undefined }));
      assert.deepEqual(timeless(acpPackets(name)), timeless(acpPackets(name, true)));
    });

    it(`end every turn once, and leave no call of a cancelled or failed turn running: ${name}`, () => {
      const packets = acpPackets(name);
      const prompts = linesOf(name).filter(({ msg }) => msg.method === "session/prompt").length;
      const callbacks = packets.filter(({ type }) => type === "prompt_response" || type === "error");
      assert.ok(callbacks.length === prompts || (prompts === 0 && callbacks.length === 1));
      const running = new Set<string>();
      for (const packet of packets) {
        if (packet.type === "tool_call_start") running.add(packet.toolCallId);
        if (packet.type === "tool_call_progress" && packet.status !== "in_progress") running.delete(packet.toolCallId);
        const isGivenUp =
          packet.type === "error" || (packet.type === "prompt_response" && packet.stopReason === "cancelled");
        if (isGivenUp) assert.deepEqual([...running], []);
      }
      assert.deepEqual([...running], [], "nothing runs when the session is closed");
    });

    it(`are recognised by the description's own functions: ${name}`, () => {
      const told = toolsOf(name);
      for (const packet of acpPackets(name)) {
        assert.equal(seed.packetType({ ...packet }), packet.type);
        if (packet.type !== "tool_call_start" && packet.type !== "tool_call_progress") continue;
        const { type: _, ...typeless } = packet;
        assert.equal(seed.packetType(typeless), packet.type);
        const tool = told.get(packet.toolCallId);
        assert.ok(tool);
        assert.equal(seed.isTodoWriteTool({ ...packet }), tool.name === "TodoWrite", packet.title);
        assert.equal(seed.isTaskTool({ ...packet }), tool.name === "Agent" || tool.name === "Task", packet.title);
        if (packet.type === "tool_call_progress" && packet.kind === "edit") {
          assert.equal(seed.getFilePath({ ...packet }), tool.path);
          const isNew = seed.isNewFileOperation({ ...packet });
          assert.equal(isNew, packet.status === "in_progress" ? undefined : tool.isNew);
        }
      }
    });
  }

  it("name tools and kinds as the description's table does", () => {
    const met = new Set<string>();
    for (const packet of acpRecordings.flatMap((name) => acpPackets(name))) {
      if (packet.type !== "tool_call_start") continue;
      const kind = seed.toolKinds[packet.title];
      if (kind !== undefined) assert.equal(packet.kind, kind, packet.title);
      if (kind !== undefined) met.add(packet.title);
    }
    assert.deepEqual([...met].toSorted(), Object.keys(seed.toolKinds).toSorted(), "each tool was met");
  });
});

/** Why a recording of the CLI gives other packets than the one of the agent it was played to. */
const differs: Readonly<Record<string, string>> = {
  "api-key-invalid": "the agent says what to do about it",
  "ask-user-question": "the agent asks one question after the other",
  "cancelled-at-permission": "the CLI takes its question back before it ends the call",
  "edit-always": "nobody looks at the file that is edited",
  "edit-many": "nobody looks at the files that are edited",
  edit: "nobody looks at the file that is edited",
  "garbage-in": "the agent's turn is not over before the CLI rests",
  "not-signed-in": "the agent opens no session without an account",
  "notebook-edit": "nobody looks at the notebook that is edited",
  "parallel-agents-background": "the agent's turn is not over before the CLI rests",
  "prompt-folded-in": "the recorded host let the second prompt join the turn",
  "resume-missing": "the agent opens no session that is not there",
};

describe("the recordings of the CLI", () => {
  for (const name of cliRecordings) {
    if (name in differs) {
      it(`become the packets that were reviewed, since ${differs[name]}: ${name}`, () => {
        assert.notDeepEqual(comparable(cliPackets(name)), comparable(agentsPackets(name)), "there is a difference");
        assertGolden(`packets/${name}.cli.ndjson`, asLines(withWholeChunks(cliPackets(name))));
      });
    } else {
      it(`become the packets that the agent's own updates become: ${name}`, () => {
        assert.deepEqual(comparable(cliPackets(name)), comparable(agentsPackets(name)));
      });
    }

    it(`become packets that read as what they are: ${name}`, () => {
      for (const packet of cliPackets(name)) assert.equal(Packet.read(packet), packet);
    });
  }
});

/** The agent's packets in an editor that shows terminals, where there is such a recording. */
function agentsPackets(name: string): readonly Packet[] {
  const inTerminal = `${name}.terminal`;
  return acpPackets(acpRecordings.includes(inTerminal) ? inTerminal : name);
}

/** Without the ids of questions, which each side gives itself. */
function comparable(packets: readonly Packet[]): readonly unknown[] {
  return withWholeChunks(packets).map((packet) => ("requestId" in packet ? { ...packet, requestId: "" } : packet));
}

interface Told {
  readonly name: string;
  readonly path: string | undefined;
  readonly isNew: boolean | undefined;
}

/** What the recording itself says of each call. */
function toolsOf(name: string): ReadonlyMap<string, Told> {
  const told = new Map<string, Told>();
  for (const { msg } of linesOf(name)) {
    const update = msg.params?.update;
    if (update?.toolCallId === undefined) continue;
    const before = told.get(update.toolCallId);
    const diff = (update.content ?? []).find((item: { type: string }) => item.type === "diff");
    told.set(update.toolCallId, {
      name: update.name ?? before?.name,
      path: update.locations?.[0]?.path ?? before?.path,
      isNew: diff === undefined ? before?.isNew : diff.oldText === null || diff.oldText === undefined,
    });
  }
  return told;
}

function linesOf(name: string): readonly any[] {
  const lines = readText(`fixtures/acp/${name}.ndjson`).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}
