/**
 * Every recording as packets, checked against the ACP messages it was made from and
 * against the packet protocol's own description. Golden files exist for one recording
 * per shape.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { Packet, type PacketBlock } from "../../lib/packets/index.ts";
import { isRecord } from "../../lib/schema/index.ts";
import { filesBelow, readText } from "../support/files.ts";
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

/** One recording per packet shape; fixtures/README.md says what each one covers. */
const goldens: readonly string[] = [
  "api-key-invalid",
  "agent-foreground",
  "bash-fails",
  "cancelled-at-permission",
  "edit",
  "glob-and-grep",
  "host-mcp-image",
  "image-prompt",
  "killed-mid-tool",
  "max-budget",
  "notebook-edit",
  "read",
  "read-image",
  "thinking",
  "todo-write",
  "write",
];
/** Recordings of the CLI with a golden file of their own; their packets differ from the agent's. */
const cliGoldens: readonly string[] = ["edit"];

/** Packet types the description lacks, which a strict stream leaves out. */
const extra = new Set([
  "agent_thought_chunk",
  "user_message_chunk",
  "permission_request",
  "permission_resolved",
  "elicitation_request",
  "elicitation_resolved",
  "notice",
]);
/** Types that only a client with forms and notices gets, which the recorded ones were not. */
const unrecorded = new Set(["elicitation_request", "elicitation_resolved", "notice"]);

describe("packets made from recordings of ACP", () => {
  it("the recordings of ACP and of the CLI are found on disk", () => {
    assert.ok(acpRecordings.length >= 70 && cliRecordings.length >= 60);
  });

  it("every golden file belongs to a listed recording", () => {
    const listed = [...goldens, ...cliGoldens.map((name) => `${name}.cli`)];
    const files = filesBelow(["fixtures/packets"], ".ndjson");
    assert.deepEqual(files.toSorted(), listed.map((name) => `fixtures/packets/${name}.ndjson`).toSorted());
  });

  it("the golden files contain every packet type, every tool kind and every form of raw output", () => {
    const packets = goldens.flatMap((name) => acpPackets(name));
    const types = Packet.node.kind === "tagged" ? Object.keys(Packet.node.variants) : assert.fail();
    const recorded = types.filter((type) => !unrecorded.has(type));
    assert.deepEqual([...new Set(packets.map(({ type }) => type))].toSorted(), recorded.toSorted());
    const ended = packets.flatMap((packet) => (packet.type === "tool_call_progress" ? [packet] : []));
    const kinds = new Set(ended.map(({ kind }) => kind));
    assert.deepEqual([...kinds].toSorted(), ["edit", "execute", "other", "read", "search"]);
    const formsIn = (names: readonly string[]): readonly string[] => [
      ...new Set(names.flatMap((name) => acpPackets(name)).flatMap(rawOutputForm)),
    ];
    assert.deepEqual(formsIn(goldens).toSorted(), formsIn(acpRecordings).toSorted());
  });

  for (const name of goldens) {
    it(`the packets of ${name} equal its golden file`, () => {
      assertGolden(`packets/${name}.ndjson`, asLines(acpPackets(name)));
    });
  }

  for (const name of acpRecordings) {
    it(`the packets of ${name} match their schema`, () => {
      for (const packet of acpPackets(name)) assert.equal(Packet.read(packet), packet);
    });

    it(`the strict packets of ${name} have exactly the keys of the protocol's description`, () => {
      for (const packet of acpPackets(name, true)) {
        const expected = seed.keysOf(packet.type);
        assert.ok(expected !== undefined && !extra.has(packet.type), packet.type);
        const given = Object.keys(packet).filter((key) => packet.type !== "error" || key !== "code");
        assert.deepEqual(given.toSorted(), expected);
        if (packet.type !== "tool_call_progress") continue;
        assert.ok(seed.hasDescribedInput(packet), JSON.stringify(packet.rawInput));
        const { metadata } = packet.rawOutput ?? {};
        if (isRecord(metadata) && "exit" in metadata) assert.equal(typeof metadata["exit"], "number");
        assert.ok((packet.content ?? []).every((item) => item.type === "diff" || item.content.type === "text"));
      }
    });

    it(`the packets of ${name} differ from the strict ones only by timestamps, the extra types and the details of tool calls`, () => {
      const timeless = (packets: readonly Packet[]): readonly unknown[] =>
        packets
          .filter(({ type }) => !extra.has(type))
          .map((packet) => ({
            ...packet,
            ...(packet.type === "tool_call_progress" && { content: null, rawInput: null, rawOutput: null }),
            timestamp: undefined,
          }));
      assert.deepEqual(timeless(acpPackets(name)), timeless(acpPackets(name, true)));
    });

    it(`the packets of ${name} carry the text, plans and errors of the ACP messages unchanged`, () => {
      const packets = acpPackets(name);
      const updates = updatesOf(name);
      for (const type of ["agent_message_chunk", "agent_thought_chunk"] as const) {
        const sent = updates.flatMap((update) => (update.sessionUpdate === type ? [update.content.text] : []));
        const shown = packets.flatMap((packet) => (packet.type === type ? [textIn(packet.content)] : []));
        assert.deepEqual(shown, sent);
      }
      const prompts = linesOf(name).flatMap(({ msg }) => (msg.method === "session/prompt" ? msg.params.prompt : []));
      const said = packets.flatMap((packet) => (packet.type === "user_message_chunk" ? [textIn(packet.content)] : []));
      const promptTexts = prompts.map((block) => block.text);
      assert.deepEqual(said.slice(0, promptTexts.length), promptTexts);
      const plans = updates.flatMap((update) => (update.sessionUpdate === "plan" ? [update.entries] : []));
      const shownPlans = packets.flatMap((packet) =>
        packet.type === "agent_plan_update" ? [packet.entries.map(({ _meta, ...entry }) => entry)] : [],
      );
      assert.deepEqual(shownPlans, plans);
      const errors = linesOf(name).flatMap(({ dir, msg }) => (dir === "out" && msg.error ? [msg.error.message] : []));
      assert.deepEqual(
        packets.flatMap((packet) => (packet.type === "error" ? [packet.message] : [])),
        errors,
      );
    });

    it(`the packets of ${name} have one request and one answer for each permission request`, () => {
      const lines = linesOf(name);
      const asked = lines.flatMap(({ dir, msg }) =>
        dir === "out" && msg.method === "session/request_permission" ? [msg] : [],
      );
      const chosen = asked.map(({ id }) => {
        const answer = lines.find(({ dir, msg }) => dir === "in" && msg.id === id && msg.method === undefined);
        return answer?.msg.result?.outcome?.optionId ?? null;
      });
      const requests = acpPackets(name).flatMap((packet) => (packet.type === "permission_request" ? [packet] : []));
      const answers = new Map(
        acpPackets(name).flatMap((packet) =>
          packet.type === "permission_resolved" ? [[packet.requestId, packet.optionId] as const] : [],
        ),
      );
      assert.deepEqual(
        requests.map(({ toolCallId, title, options }) => ({ toolCallId, title, options })),
        asked.map(({ params: { toolCall, options } }) => ({
          toolCallId: toolCall.toolCallId,
          title: toolCall.title,
          options,
        })),
      );
      assert.deepEqual(
        requests.map(({ requestId }) => answers.get(requestId)),
        chosen,
      );
    });

    it(`the packets of ${name} start and end each tool call once, with its diffs and the form of its tool`, () => {
      const packets = acpPackets(name);
      const ids = new Set(updatesOf(name).flatMap((update) => update.toolCallId ?? []));
      const started = packets.flatMap((packet) => (packet.type === "tool_call_start" ? [packet.toolCallId] : []));
      assert.deepEqual(started, [...ids]);
      const ended = packets.flatMap((packet) =>
        packet.type === "tool_call_progress" && packet.status !== "in_progress" ? [packet] : [],
      );
      assert.deepEqual(ended.map(({ toolCallId }) => toolCallId).toSorted(), [...ids].toSorted());
      for (const packet of ended) {
        const { toolCallId, kind, status, rawOutput, content } = packet;
        const last = updatesOf(name).findLast((update) => update.toolCallId === toolCallId && update.status);
        if (last?.status === "failed") assert.equal(status, "failed");
        const diffs = diffsOf(name, toolCallId);
        assert.deepEqual(
          (content ?? []).flatMap((item) => (item.type === "diff" ? [[item.path, item.newText.trimStart()]] : [])),
          diffs.map((diff) => [diff.path, diff.newText.trimStart()]),
        );
        if (kind === "execute" && rawOutput?.["metadata"] !== undefined) {
          const { exit } = rawOutput["metadata"] as { readonly exit?: number | null };
          if (exit != null) assert.equal(status, exit === 0 ? "completed" : "failed");
        } else {
          assert.equal(typeof rawOutput?.[status === "failed" ? "error" : "output"], "string");
        }
      }
    });

    it(`the packets of ${name} end every turn once and leave no tool call of a cancelled or failed turn running`, () => {
      const packets = acpPackets(name);
      const prompts = linesOf(name).filter(({ msg }) => msg.method === "session/prompt").length;
      const ends = packets.filter(({ type }) => type === "prompt_response" || type === "error");
      assert.ok(ends.length === prompts || (prompts === 0 && ends.length === 1));
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

    it(`the functions of the protocol's description recognise the packets of ${name}`, () => {
      const tools = toolsOf(name);
      for (const packet of acpPackets(name)) {
        if (packet.type !== "tool_call_start" && packet.type !== "tool_call_progress") continue;
        const { type: _, ...typeless } = packet;
        assert.equal(seed.packetType(typeless), packet.type);
        const tool = tools.get(packet.toolCallId);
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

  it("tool names and kinds agree with the table of the protocol's description", () => {
    const seen = new Set<string>();
    for (const packet of acpRecordings.flatMap((name) => acpPackets(name))) {
      if (packet.type !== "tool_call_start") continue;
      const kind = seed.toolKinds[packet.title];
      if (kind !== undefined) assert.equal(packet.kind, kind, packet.title);
      if (kind !== undefined) seen.add(packet.title);
    }
    assert.deepEqual([...seen].toSorted(), Object.keys(seed.toolKinds).toSorted(), "each tool occurs");
  });
});

/** Why the packets of a CLI recording differ from those of the agent that ran on it. */
const differs: Readonly<Record<string, string>> = {
  "api-key-invalid": "the agent adds advice to the error",
  "ask-user-question": "the agent asks the questions one by one",
  "cancelled-at-permission": "the CLI withdraws its permission request before it ends the call",
  "edit-always": "without an agent nobody reads the file that is edited",
  "edit-many": "without an agent nobody reads the files that are edited",
  edit: "without an agent nobody reads the file that is edited",
  "garbage-in": "the agent's turn ends only when the CLI is idle",
  "not-signed-in": "the agent opens no session without an account",
  "notebook-edit": "without an agent nobody reads the notebook that is edited",
  "parallel-agents-background": "the agent's turn ends only when the CLI is idle",
  "prompt-folded-in": "the recorded host let the second prompt join the turn",
  "resume-missing": "the agent opens no session that does not exist",
};

describe("packets made from recordings of the CLI", () => {
  for (const name of cliGoldens) {
    it(`the packets of the CLI recording ${name} equal its golden file`, () => {
      assertGolden(`packets/${name}.cli.ndjson`, asLines(withWholeChunks(cliPackets(name))));
    });
  }

  for (const name of cliRecordings) {
    if (name in differs) {
      it(`the packets of the CLI recording ${name} differ from the agent's, because ${differs[name]}`, () => {
        assert.notDeepEqual(comparable(cliPackets(name)), comparable(agentsPackets(name)));
      });
    } else {
      it(`the packets of the CLI recording ${name} equal those of the agent's ACP messages`, () => {
        assert.deepEqual(comparable(cliPackets(name)), comparable(agentsPackets(name)));
      });
    }

    it(`the packets of the CLI recording ${name} match their schema`, () => {
      for (const packet of cliPackets(name)) assert.equal(Packet.read(packet), packet);
    });
  }
});

/** The agent's packets for a client that shows terminals, where such a recording exists. */
function agentsPackets(name: string): readonly Packet[] {
  const inTerminal = `${name}.terminal`;
  return acpPackets(acpRecordings.includes(inTerminal) ? inTerminal : name);
}

/** Packets without permission request ids, which agent and CLI number differently. */
function comparable(packets: readonly Packet[]): readonly unknown[] {
  return withWholeChunks(packets).map((packet) => ("requestId" in packet ? { ...packet, requestId: "" } : packet));
}

/** The keys of the raw output of an ended call and of its metadata. */
function rawOutputForm(packet: Packet): readonly string[] {
  if (packet.type !== "tool_call_progress" || packet.rawOutput === null) return [];
  const { metadata = {} } = packet.rawOutput;
  const keys = [...Object.keys(packet.rawOutput), ...Object.keys(metadata as object)].toSorted();
  return [keys.join(" ")];
}

function textIn(block: PacketBlock): string | undefined {
  return block.type === "text" ? block.text : undefined;
}

interface RecordedTool {
  readonly name: string;
  readonly path: string | undefined;
  readonly isNew: boolean | undefined;
}

/** What the ACP messages of a recording say of each tool call. */
function toolsOf(name: string): ReadonlyMap<string, RecordedTool> {
  const tools = new Map<string, RecordedTool>();
  for (const update of updatesOf(name)) {
    if (update.toolCallId === undefined) continue;
    const before = tools.get(update.toolCallId);
    const diff = (update.content ?? []).find((item: { type: string }) => item.type === "diff");
    tools.set(update.toolCallId, {
      name: update.name ?? before?.name,
      path: update.locations?.[0]?.path ?? before?.path,
      isNew: diff === undefined ? before?.isNew : diff.oldText === null || diff.oldText === undefined,
    });
  }
  return tools;
}

/** The diffs of a tool call: the last ones that its ACP messages show. */
function diffsOf(name: string, toolCallId: string): readonly { readonly path: string; readonly newText: string }[] {
  const shown = updatesOf(name)
    .filter((update) => update.toolCallId === toolCallId)
    .map((update) => (update.content ?? []).filter((item: { type: string }) => item.type === "diff"));
  return shown.findLast((diffs) => diffs.length > 0) ?? [];
}

function updatesOf(name: string): readonly any[] {
  return linesOf(name).flatMap(({ msg }) => msg.params?.update ?? []);
}

function linesOf(name: string): readonly any[] {
  const lines = readText(`fixtures/acp/${name}.ndjson`).trimEnd().split("\n");
  return lines.map((line) => JSON.parse(line));
}
