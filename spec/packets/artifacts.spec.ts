/**
 * Artifacts: which new files are reported as `artifact_created`, and that each is reported once.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { toolContent, update } from "../../lib/acp/index.ts";
import { type Artifact, PacketStream } from "../../lib/packets/index.ts";
import { fixedNow } from "../support/packets/recorded-packets.ts";

/** The artifacts that a stream reports for these files, each written by a tool call of its own. */
function madeBy(
  ...files: readonly (readonly [path: string, text?: string, old?: string | null])[]
): readonly Artifact[] {
  const stream = new PacketStream({ now: () => fixedNow, cwd: "/work" });
  return files.flatMap(([path, text = "x", old = null], i) => {
    const content = [toolContent.diff(path, old, text)];
    const call = {
      toolCallId: `call-${i}`,
      name: "Write",
      kind: "edit" as const,
      status: "completed" as const,
      content,
    };
    return stream
      .update(update.toolCallUpdate(call))
      .flatMap((packet) => (packet.type === "artifact_created" ? [packet.artifact] : []));
  });
}

const next = JSON.stringify({ dependencies: { next: "16.0.0", react: "19.0.0" } });

describe("artifact_created", () => {
  it("an artifact has the name, path and type of its file", () => {
    assert.deepEqual(madeBy(["/work/outputs/report.md"]), [
      { id: "call-0", type: "file", name: "report.md", path: "/work/outputs/report.md", preview_url: null },
    ]);
  });

  it("images, documents, web pages and applications get different artifact types", () => {
    const cases = [
      ["/work/chart.PNG", "image"],
      ["/work/logo.svg", "image"],
      ["/work/data.csv", "file"],
      ["/work/deck.pptx", "file"],
      ["/work/site/index.html", "web_app"],
      ["/work/site/about.html", "file"],
      ["C:\\work\\notes.txt", "file"],
    ] as const;
    for (const [path, type] of cases) assert.deepEqual(madeBy([path])[0]?.type, type, path);
    const [app] = madeBy(["/work/web/package.json", next]);
    assert.deepEqual([app?.type, app?.path, app?.name], ["nextjs_app", "/work/web/", "web"]);
    assert.equal(madeBy(["C:\\work\\web\\next.config.mjs"])[0]?.path, "C:\\work\\web\\");
  });

  it("source files, configuration and hidden files are no artifacts", () => {
    const paths = [
      "/w/a.ts",
      "/w/b.test.jsx",
      "/w/main.py",
      "/w/Makefile",
      "/w/.env",
      "/w/.github/x.md",
      "/w/style.css",
    ];
    const more = ["/w/tsconfig.json", "/w/ci.yaml", "/w/LICENSE", "/home/dev/.claude/plans/plan.md", "/w/Cargo.lock"];
    for (const path of [...paths, ...more]) assert.deepEqual(madeBy([path]), [], path);
    for (const text of [
      "{",
      "[]",
      "null",
      '{"dependencies":[]}',
      '{"dependencies":{"nextra":"1"}}',
      '{"name":"next"}',
    ]) {
      assert.deepEqual(madeBy(["/w/package.json", text]), [], text);
    }
  });

  it("an artifact is reported once, not again for an edit or for another file of the same application", () => {
    assert.deepEqual(madeBy(["/w/a.md", "b", "a"]), [], "a change");
    assert.deepEqual(madeBy(["/w/a.md", "b", ""]), [], "of an empty file");
    assert.equal(madeBy(["/w/a.md"], ["/w/a.md"]).length, 1);
    const made = madeBy(
      ["/w/web/package.json", next],
      ["/w/web/next.config.ts"],
      ["/w/web/public/x.png"],
      ["/w/y.png"],
    );
    assert.deepEqual(
      made.map(({ path }) => path),
      ["/w/web/", "/w/y.png"],
    );
  });

  it("an artifact is reported after its write has succeeded", () => {
    const stream = new PacketStream({ now: () => fixedNow });
    const content = [toolContent.diff("/w/a.md", null, "x")];
    const write = { toolCallId: "a", name: "Write", kind: "edit" as const, content };
    const running = stream.update(update.toolCallUpdate({ ...write, status: "in_progress" }));
    assert.ok(running.every(({ type }) => type !== "artifact_created"));
    const failed = stream.update(update.toolCallUpdate({ toolCallId: "a", status: "failed" }));
    assert.deepEqual(
      failed.map(({ type }) => type),
      ["tool_call_progress"],
    );
    const done = stream.update(update.toolCallUpdate({ ...write, toolCallId: "b", status: "completed" }));
    assert.deepEqual(
      done.map(({ type }) => type),
      ["tool_call_start", "tool_call_progress", "artifact_created"],
    );
  });

  it("two artifacts of one tool call have different ids", () => {
    const stream = new PacketStream({ now: () => fixedNow });
    const content = ["/w/a.md", "/w/b.md"].map((path) => toolContent.diff(path, null, "x"));
    const packets = stream.update(
      update.toolCallUpdate({ toolCallId: "p", kind: "edit", status: "completed", content }),
    );
    const ids = packets.flatMap((packet) => (packet.type === "artifact_created" ? [packet.artifact.id] : []));
    assert.deepEqual(ids, ["p", "p-1"]);
  });
});
