/**
 * Live specs of saved conversations: listing, naming, forking and deleting them, and
 * auto-resume.
 */
import assert from "node:assert/strict";
import type { SessionInfo } from "@agentclientprotocol/sdk";
import { existsSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, it } from "node:test";
import { findSession } from "../../../lib/claude/index.ts";
import { AcpClient } from "../../support/live/client/acp-client.ts";
import { promptTexts } from "../../support/live/api/api-request.ts";
import { inSession, type Play, withAgent } from "../../support/live/with-agent.ts";
import { waitForCommand, waitUntil } from "../../support/processes.ts";
import { answer, call, hold, say } from "../../support/live/api/model-script.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

const talk = { talk: [answer(say("Hello."))], more: [answer(say("Of course."))] };

async function list({ client }: Play, cwd?: string): Promise<readonly SessionInfo[]> {
  return (await client.request("session/list", cwd === undefined ? {} : { cwd })).sessions;
}

function files({ place }: Play, sessionId: string): ReturnType<typeof findSession> {
  return findSession(join(place.home, ".claude", "projects"), sessionId);
}

describe("session/list", () => {
  it("session/list has every conversation, the newest first, with its directory and title, and those of one directory", () =>
    withAgent(talk, async (play) => {
      const { client, cwd, path } = play;
      await client.initialize();
      assert.deepEqual(await list(play), []);
      const other = path("other");
      mkdirSync(other);
      const ids: string[] = [];
      for (const [where, text] of [
        [cwd, "[[talk]] first"],
        [other, "[[talk]] second"],
        [cwd, "[[talk]] third\nwith more"],
      ] as const) {
        const { sessionId } = await client.newSession(where);
        await client.prompt(sessionId, text);
        ids.unshift(sessionId);
      }
      const all = await list(play);
      assert.deepEqual(
        all.map(({ sessionId, cwd: where, title }) => [sessionId, where, title]),
        [
          [ids[0], cwd, "[[talk]] third with more"],
          [ids[1], other, "[[talk]] second"],
          [ids[2], cwd, "[[talk]] first"],
        ],
      );
      assert.ok(all.every(({ updatedAt }) => Math.abs(Date.parse(updatedAt ?? "") - Date.now()) < 60_000));
      const here = await list(play, cwd);
      assert.deepEqual(
        here.map(({ sessionId }) => sessionId),
        [ids[0], ids[2]],
      );
      assert.deepEqual(await list(play, path("nowhere")), []);
      for (const cursor of ["x", "", "e30"]) {
        await assert.rejects(client.request("session/list", { cursor }), { code: -32602, message: /cursor/ });
      }
    }));
});

describe("a long session/list", () => {
  it("a long session/list comes in pages, each conversation once, also while others are added", () =>
    inSession(talk, async (driver) => {
      const { client, cwd, sessionId, tell, place } = driver;
      await tell("[[talk]] hi");
      const [{ transcript: file = "" } = {}] = [await files(driver, sessionId)];
      const text = readFileSync(file, "utf8");
      const older = Array.from({ length: 129 }, (_, i) => `00000000-0000-4000-8000-${String(i).padStart(12, "0")}`);
      // The CLI removes files that are older than a month.
      const anHourAgo = Math.floor(Date.now() / 1000) - 3600;
      for (const [i, id] of older.entries()) {
        const copy = join(dirname(file), `${id}.jsonl`);
        writeFileSync(copy, text.replaceAll(sessionId, id));
        utimesSync(copy, anHourAgo + i, anHourAgo + i);
      }
      const pages: string[][] = [];
      let cursor: string | undefined;
      do {
        const page = await client.request("session/list", { cwd, ...(cursor && { cursor }) });
        pages.push(page.sessions.map((one) => one.sessionId));
        cursor = page.nextCursor ?? undefined;
        // Conversations added meanwhile are newer than all that are still to be listed.
        if (pages.length === 1) await client.prompt((await client.newSession(cwd)).sessionId, "[[talk]] new");
      } while (cursor !== undefined);
      assert.deepEqual(
        pages.map(({ length }) => length),
        [50, 50, 30],
      );
      assert.deepEqual(pages.flat(), [sessionId, ...older.toReversed()]);
      assert.equal((await client.request("session/list", { cwd: place.path("src") })).sessions.length, 0);
    }));
});

describe("session/fork", () => {
  it("session/fork makes a copy that can be prompted at once, while the original runs, and leaves the original unchanged", () =>
    inSession({ ...talk, slow: [answer(say("Some ", hold("word"), "more"))] }, async (driver) => {
      const { client, cwd, sessionId, tell, api } = driver;
      await tell("[[talk]] PERSIMMON");
      const slow = tell("[[slow]] go");
      await api.gate("word").reached();
      const { sessionId: copy } = await client.extension<{ sessionId: string }>("session/fork", {
        sessionId,
        cwd,
        mcpServers: [],
      });
      assert.notEqual(copy, sessionId);
      await client.prompt(copy, "[[more]] only here");
      assert.deepEqual(transcript(client, cwd, copy), ["says Of course.", "answers end_turn"]);
      assert.match(JSON.stringify(api.requestsOf("more")[0]?.body.messages), /PERSIMMON/);
      api.gate("word").release();
      assert.deepEqual(await slow, ["says Some more", "answers end_turn"]);
      await tell("[[talk]] again");
      const later = JSON.stringify(api.requestsOf("talk").at(-1)?.body.messages);
      assert.ok(later.includes("PERSIMMON") && !later.includes("only here"));
      const loaded = await files(driver, copy);
      assert.match(readFileSync(loaded?.transcript ?? "", "utf8"), /only here/);
      await assert.doesNotReject(client.request("session/load", { sessionId: copy, cwd, mcpServers: [] }));
    }));

  it("session/fork of a session without prompts makes a new session", () =>
    inSession(talk, async ({ client, cwd, sessionId }) => {
      const params = { sessionId, cwd, mcpServers: [] };
      const { sessionId: copy } = await client.extension<{ sessionId: string }>("session/fork", params);
      assert.deepEqual(await client.prompt(copy, "[[talk]] hi"), { stopReason: "end_turn" });
    }));
});

describe("session/delete", () => {
  it("session/delete ends an open session and removes a saved one, with all its files", () =>
    inSession(
      {
        ...talk,
        work: [
          answer(call("Agent", { description: "Help", prompt: "[[talk]] sub", subagent_type: "general-purpose" })),
          answer(say("Done.")),
        ],
      },
      async (driver) => {
        const { client, cwd, sessionId, tell, place } = driver;
        await tell("[[work]] go");
        const { sessionId: second } = await client.newSession(cwd);
        await client.prompt(second, "[[talk]] stays");
        const found = (await files(driver, sessionId)) ?? assert.fail("not on disk");
        assert.ok(existsSync(found.directory), "a subagent leaves a directory");
        await client.request("session/delete", { sessionId });
        await waitUntil(place.root, (all) => !all.some(({ command }) => command.includes(sessionId)));
        assert.ok(!existsSync(found.transcript) && !existsSync(found.directory));
        assert.deepEqual(
          (await list(driver)).map((one) => one.sessionId),
          [second],
        );
        await assert.rejects(client.prompt(sessionId, "[[talk]] hi"), { code: -32002 });
        await client.request("session/close", { sessionId: second });
        await client.request("session/delete", { sessionId: second });
        for (const unknown of [second, "../x", "nobody", ""])
          await client.request("session/delete", { sessionId: unknown });
        assert.deepEqual(await list(driver), []);
      },
    ));
});

describe("a session's title", () => {
  it("a session's title is set by the editor before and after the first prompt, open or not, and by /rename", () =>
    inSession(talk, async (driver) => {
      const { client, cwd, sessionId, tell, own, program } = driver;
      const rename = (to: AcpClient, title: string): Promise<unknown> =>
        to.extension("session/set_title", { sessionId, title });
      const titled = async (): Promise<unknown> => (await list(driver))[0]?.title;
      await rename(client, "Early");
      await client.waitFor((one) => one.sessionUpdate === "session_info_update" && one.title === "Early");
      await tell("[[talk]] hi");
      assert.equal(await titled(), "Early");
      await tell("/rename By hand");
      await client.waitFor((one) => one.sessionUpdate === "session_info_update" && one.title === "By hand");
      assert.equal(await titled(), "By hand");
      assert.deepEqual(await rename(client, "  Two\nlines "), { title: "Two lines" });
      await client.waitFor((one) => one.sessionUpdate === "session_info_update" && one.title === "Two lines");
      await assert.rejects(rename(client, " \n "), { code: -32602 });
      const status = (): Promise<unknown> => client.extension("session/status", { sessionId });
      assert.deepEqual(await status(), { status: "open" });
      await client.request("session/close", { sessionId });
      assert.deepEqual(await status(), { status: "saved", _meta: { cwd } });
      await rename(client, "Closed");
      assert.equal(await titled(), "Closed");
      const unknown = { sessionId: crypto.randomUUID(), title: "x" };
      await assert.rejects(client.extension("session/set_title", unknown), { code: -32002 });
      await assert.rejects(client.extension("session/status", unknown), { code: -32002 });
      const next = own(new AcpClient(program()));
      await next.initialize();
      await next.request("session/load", { sessionId, cwd, mcpServers: [] });
      await next.prompt(sessionId, "[[talk]] hi");
      assert.equal(await titled(), "Closed", "the CLI keeps it");
    }));
});

describe("auto-resume", () => {
  const open = async ({ own, program }: Play, cwd: string, auto: string): Promise<readonly [AcpClient, string]> => {
    const client = own(new AcpClient(program({ env: { BOWLINE_AUTO_RESUME: auto } })));
    return [client, await client.open(cwd)];
  };

  it("auto-resume continues the last conversation in a directory's first session, and only there", () =>
    inSession(talk, async (driver) => {
      const { client, cwd, sessionId, tell, api } = driver;
      await tell("[[talk]] PERSIMMON");
      await client.hangUp();
      const [off, fresh] = await open(driver, cwd, "0");
      assert.notEqual(fresh, sessionId);
      await off.hangUp();
      const [next, continued] = await open(driver, cwd, "1");
      assert.equal(continued, sessionId);
      await next.prompt(continued, "[[more]] go on");
      assert.match(promptTexts(api.requestsOf("more")[0] ?? assert.fail()).join("\n"), /PERSIMMON/);
      const { sessionId: second } = await next.newSession(cwd);
      assert.notEqual(second, sessionId);
      mkdirSync(driver.path("empty"));
      const { sessionId: elsewhere } = await next.newSession(driver.path("empty"));
      assert.notEqual(elsewhere, sessionId);
    }));
});

describe("additional directories", () => {
  it("additional directories reach the CLI, also when a session is opened again", () =>
    withAgent(talk, async (play) => {
      const { client, cwd, place } = play;
      const extra = join(place.root, "extra");
      mkdirSync(extra);
      await client.initialize();
      const { sessionId } = await client.newSession(cwd, { additionalDirectories: [extra] });
      assert.match((await waitForCommand(place.root, sessionId)).command, new RegExp(`--add-dir=${extra}`));
      await client.prompt(sessionId, "[[talk]] hi");
      const params = { sessionId, cwd, mcpServers: [], additionalDirectories: [extra] };
      await client.request("session/resume", params);
      assert.match(
        (await waitForCommand(place.root, `--resume=${sessionId}`)).command,
        new RegExp(`--add-dir=${extra}`),
      );
      const wrong = { ...params, additionalDirectories: [extra, join(extra, "nowhere")] };
      const refused = { code: -32602, message: /additionalDirectories\.1/ };
      await assert.rejects(client.request("session/load", wrong), refused);
      await assert.rejects(client.request("session/resume", wrong), refused);
      await assert.rejects(client.extension("session/fork", wrong), refused);
      assert.deepEqual(await client.prompt(sessionId, "[[talk]] still here"), { stopReason: "end_turn" });
    }));
});
