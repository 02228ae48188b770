/**
 * A bridge between a test client and fake CLIs.
 *
 * Ids are numbered, so that whole messages can be compared; the clock moves only when
 * the spec moves it. Every line of the bridge is checked against the protocol's schema.
 */
import assert from "node:assert/strict";
import {
  type Bridge,
  bridge,
  type LaunchRequest,
  BridgeMessage,
  type BridgeOptions,
} from "../../../lib/bridge/index.ts";
import { type Link, memoryPair } from "../../../lib/wire/index.ts";
import { type Frame, offers, FakeCli } from "../claude/fake-cli.ts";
import { type FakeClock, fakeClock } from "../fake-clock.ts";
import { LinkLog, settle } from "../wire/link-log.ts";

export interface BridgeHarness extends AsyncDisposable {
  readonly bridge: Bridge;
  readonly clock: FakeClock;
  readonly client: Link;
  readonly log: LinkLog;
  /** All messages in both directions, in order. */
  readonly traffic: { readonly dir: "in" | "out"; readonly msg: Frame }[];
  readonly launches: LaunchRequest[];
  readonly fakeClis: FakeCli[];
  readonly remarks: string[];
  readonly bugs: string[];
  /** The response of the next CLIs to `initialize`; undefined leaves it unanswered. */
  answer: Frame | undefined;
  readonly send: (message: Frame) => void;
  /** The next unread message of the bridge. */
  readonly next: () => Promise<Frame>;
  /** All unread messages of the bridge, once nothing more is in progress. */
  readonly rest: () => Promise<readonly Frame[]>;
  /** Creates a session and returns it with its CLI. */
  readonly create: (options?: Frame, prompt?: string) => Promise<{ readonly id: string; readonly cli: FakeCli }>;
}

export const cwd = "/home/dev/project";

export function bridgeHarness(options: Partial<BridgeOptions> = {}): BridgeHarness {
  const [near, far] = memoryPair();
  const time = fakeClock();
  let looked = 0;
  let minted = 0;
  const said: Frame[] = [];
  const log = new LinkLog((line) => {
    const message: Frame = JSON.parse(line);
    assert.equal(BridgeMessage.read(message), message, `a line of the protocol: ${line}`);
    said.push(message);
    all.traffic.push({ dir: "out", msg: message });
  });
  const all: BridgeHarness = {
    clock: time,
    client: far,
    log,
    traffic: [],
    launches: [],
    fakeClis: [],
    remarks: [],
    bugs: [],
    answer: offers,
    send: (message) => {
      all.traffic.push({ dir: "in", msg: message });
      far.send(JSON.stringify(message));
    },
    next: async () => {
      await log.until(() => log.lines.length > looked);
      return said[looked++] ?? assert.fail("nothing was said");
    },
    rest: async () => {
      await settle();
      const fresh = said.slice(looked);
      looked = said.length;
      return fresh;
    },
    create: async (given = {}, prompt = "") => {
      all.send({ type: "session.create", id: "create", payload: { prompt, cwd, options: given } });
      const created = await all.next();
      assert.equal(created["type"], "session.created", JSON.stringify(created));
      return { id: created["session_id"], cli: all.fakeClis.at(-1) ?? assert.fail("no CLI") };
    },
    bridge: bridge(near, {
      launcher: (request) => {
        all.launches.push(request);
        const fakeCli = new FakeCli(request, all.answer);
        all.fakeClis.push(fakeCli);
        return { link: fakeCli.link, ready: () => {} };
      },
      after: time.after,
      newId: () => `00000000-0000-4000-8000-${String(++minted).padStart(12, "0")}`,
      onRemark: (text) => all.remarks.push(text),
      onBug: (doing, cause) => all.bugs.push(`${doing}: ${String(cause)}`),
      ...options,
    }),
    [Symbol.asyncDispose]: async () => {
      far.close("the spec is over");
      await all.bridge.closed;
      assert.deepEqual(all.bugs, [], "no bug on the way");
    },
  };
  far.open(log);
  return all;
}

export const toolRequest: Frame = {
  type: "control_request",
  request_id: "cli-1",
  request: {
    subtype: "can_use_tool",
    tool_name: "Bash",
    input: { command: "ls -l /tmp" },
    permission_suggestions: [
      {
        type: "addRules",
        rules: [{ toolName: "Read", ruleContent: "//tmp/**" }],
        behavior: "allow",
        destination: "session",
      },
    ],
    blocked_path: "/tmp",
    decision_reason: "Path is outside allowed working directories",
    tool_use_id: "toolu_1",
    agent_id: "agent-1",
  },
};

export const result: Frame = { type: "result", subtype: "success", is_error: false, result: "Done." };
