/**
 * `bowline guard --share`: what is left to ask is asked on the page of `bowline serve` too.
 */
import assert from "node:assert/strict";
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { findShared } from "../../../lib/program/share/find-shared.ts";
import { until } from "../../support/load/proxies.ts";
import { type Editor, editor } from "../../support/program/editor-client.ts";
import { bowline, scratch } from "../../support/program/run-program.ts";
import { scriptedAgent } from "../../support/serve/scripted-agent.ts";
import { served, type Served } from "../../support/serve/test-server.ts";

const place = scratch();
const closing: (() => unknown)[] = [];
after(async () => {
  for (const close of closing.reverse()) await close();
});

const ask = (command: string): object => ({
  ask: {
    title: command,
    kind: "execute",
    input: { command },
    on: { allow: [{ say: `${command}: yes. ` }] },
    otherwise: [{ say: `${command}: no. ` }],
  },
});

interface Guarded extends Editor {
  readonly page: Served;
  /** The decisions of the log, such as "deny by rule 1". */
  readonly decisions: () => readonly string[];
  readonly announcements: () => readonly string[];
}

/** A guarded agent that asks about these commands, an editor that never answers, and a server of the same user. */
async function guarded(name: string, commands: readonly string[], policy: object): Promise<Guarded> {
  const home = join(place, name);
  mkdirSync(home);
  const file = (of: string, value: unknown): string => {
    writeFileSync(join(home, of), JSON.stringify(value));
    return join(home, of);
  };
  const env = { HOME: home, XDG_STATE_HOME: join(home, "state"), LOCALAPPDATA: join(home, "state") };
  const page = await served({ startAgent: scriptedAgent().start });
  const stop = findShared({ env, join: (source) => page.server.hub.join(source) });
  closing.push(async () => {
    stop();
    await page.close();
    assert.deepEqual(page.bugs, []);
  });
  const script = file("script.json", { turns: [{ do: commands.map(ask) }] });
  const log = join(home, "log.ndjson");
  const options = ["--policy", file("policy.json", policy), "--log", log, "--share"];
  const started = await editor(bowline(["guard", ...options, "--", ...bowline(["play", script])]), {
    env,
    allows: "never answers",
  });
  return {
    ...started,
    page,
    decisions: () =>
      readFileSync(log, "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
        .map(({ decision, by }) => `${decision} by ${by}`),
    announcements: () => readdirSync(join(home, "state", "bowline", "shared")),
  };
}

const questionsOn = async ({ call }: Served): Promise<readonly any[]> =>
  (await call("GET", "/questions")).json.questions;

describe("bowline guard --share", () => {
  it("the page gets the questions that no rule decides, and its answer reaches the agent and the log", async () => {
    const policy = { rules: [{ effect: "deny", command: "rm *" }] };
    const { page, work, lines, leave, decisions, announcements } = await guarded("asked", ["rm x", "make"], policy);
    const turn = work(place, "go");
    await until(async () => (await questionsOn(page)).length === 1);
    const [question] = await questionsOn(page);
    assert.equal(question.request.toolCall.title, "make");
    const answered = await page.call("POST", `/questions/${question.id}`, { body: { optionId: "allow" } });
    assert.equal(answered.status, 204);
    assert.deepEqual(await turn, ["end_turn"]);
    assert.match(lines.join("\n"), /rm x: no\.[^]*make: yes\./);
    assert.deepEqual(decisions(), ["deny by rule 1", "ask by otherwise", "allow by editor or page"]);
    await leave();
    await until(async () => announcements().length === 0);
    assert.deepEqual((await page.call("GET", "/sessions")).json.sessions, []);
  });

  it("a question that neither answers in time is denied and leaves the page", async () => {
    const { page, work, leave, decisions } = await guarded("late", ["make"], { rules: [], timeout: 4 });
    const turn = work(place, "go");
    await until(async () => (await questionsOn(page)).length === 1);
    assert.deepEqual(await turn, ["end_turn"]);
    assert.deepEqual(decisions(), ["ask by otherwise", "deny by timeout"]);
    assert.deepEqual(await questionsOn(page), []);
    await leave();
  });
});
