/**
 * Every recording of the CLI, sent through the bridge, is deep-equal to what the CLI
 * wrote.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type AwaitedFrame, readTape, type Tape, tapeLink, type TapeLink } from "../../lib/tape/index.ts";
import type { Frame } from "../support/claude/fake-cli.ts";
import { recordingNames } from "../support/claude/claude-recording.ts";
import { settle } from "../support/wire/link-log.ts";
import { cwd, bridgeHarness } from "../support/bridge/bridge-harness.ts";

const fixtures = join(import.meta.dirname, "../../fixtures/claude");
const isControl = (message: Frame): boolean => /^control_|^keep_alive$/.test(message["type"]);

/** The recorded lines of the CLI, with the ids that the bridge chose in this run. */
function tapped(link: TapeLink, onLine: (line: string) => void): TapeLink {
  return {
    ...bound(link),
    open: (callbacks) => link.open({ ...callbacks, onLine: (line) => (onLine(line), callbacks.onLine(line)) }),
  };
}

function bound({ send, pause, resume, close, skip }: TapeLink): Omit<TapeLink, "open"> {
  return { send, pause, resume, close, skip };
}

/** Recordings of hosts that sent no `initialize`: the bridge sends one, so a response is put before the recorded lines. */
function greeted(name: string): Tape {
  const tape = readTape(readFileSync(join(fixtures, `${name}.ndjson`), "utf8"));
  const isGreeting = (row: Tape["rows"][number]): boolean =>
    row.kind === "awaited" && row.frame.type === "request" && row.frame.subtype === "initialize";
  return tape.rows.some(isGreeting) ? tape : { ...tape, rows: [...readTape(greeting).rows, ...tape.rows] };
}

const greeting = [
  { dir: "in", msg: { type: "control_request", request_id: "1", request: { subtype: "initialize" } } },
  { dir: "out", msg: { type: "control_response", response: { subtype: "success", request_id: "1", response: {} } } },
]
  .map((row) => JSON.stringify(row))
  .join("\n");

/** Recordings whose CLI exits before it is ready: no session exists, so nothing is sent. */
const neverReady = new Set(["resume-missing"]);

describe("sdk.message", () => {
  for (const name of recordingNames()) {
    it(`the sdk.messages of ${name} equal the lines of the CLI`, async () => {
      const wrote: Frame[] = [];
      const waits: (AwaitedFrame | undefined)[] = [];
      const links: TapeLink[] = [];
      const tape = greeted(name);
      await using one = bridgeHarness({
        launcher: () => {
          const link = tapeLink(tape, { onWait: (awaited) => waits.push(awaited) });
          links.push(link);
          return { link: tapped(link, (line) => wrote.push(JSON.parse(line))), ready: () => {} };
        },
      });
      one.send({ type: "session.create", id: "create", payload: { prompt: "", cwd } });
      // The tape waits for the lines of the recorded host; a line the bridge does not send is skipped.
      for (let quiet = 0, seen = -1; quiet < 4;) {
        await settle();
        quiet = wrote.length === seen ? quiet + 1 : 0;
        seen = wrote.length;
        const frame = waits.shift();
        const created = one.traffic.find(({ msg }) => msg["type"] === "session.created");
        if (frame?.type === "user" && created !== undefined) {
          const { session_id } = created.msg;
          one.send({ type: "session.send", id: "s", session_id, payload: { message: "go" } });
        } else if (frame !== undefined) {
          links[0]?.skip();
        }
        if (frame !== undefined) quiet = 0;
      }
      const said = one.traffic.flatMap(({ msg }) => (msg["type"] === "sdk.message" ? [msg["payload"]] : []));
      if (neverReady.has(name)) {
        assert.deepEqual(said, []);
        assert.equal((await one.next())["payload"].code, "SESSION_CREATE_FAILED");
        return;
      }
      assert.equal(wrote.length, tape.rows.filter(({ kind }) => kind === "said").length, "all was played");
      assert.deepEqual(
        said,
        wrote.filter((message) => !isControl(message)),
      );
      assert.equal(links.length, 1);
    });
  }

  it("the payload of an sdk.message equals the CLI's line byte for byte, with its numbers and key order", async () => {
    const line = '{"z":1e400,"big":12345678901234567890,"type":"odd", "a":"\\u00e9" ,"z":2}';
    const [sent] = await linesOf(line);
    assert.equal(sent?.slice(sent.indexOf('"payload":') + 10, -1), line);
  });
});

async function linesOf(line: string): Promise<readonly string[]> {
  const tape = readTape(`${greeting}\n${JSON.stringify({ dir: "out", raw: line })}`);
  await using one = bridgeHarness({ launcher: () => ({ link: tapeLink(tape), ready: () => {} }) });
  one.send({ type: "session.create", id: "create", payload: { prompt: "", cwd } });
  await one.log.until(() => one.log.lines.some((text) => text.includes("sdk.message")));
  return one.log.lines.filter((text) => text.includes("sdk.message"));
}
