/**
 * Sessions of an editor that a server of the same user shows, over a private socket.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { connect } from "node:net";
import { hostname, tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, describe, it } from "node:test";
import { update } from "../../../lib/acp/index.ts";
import { findShared } from "../../../lib/program/share/find-shared.ts";
import { shareSessions, type SharedSessions } from "../../../lib/program/share/share-sessions.ts";
import { SharedDirectory } from "../../../lib/program/share/shared-directory.ts";
import { memoryPair } from "../../../lib/wire/index.ts";
import { open, testClient, type TestClient } from "../../support/hub/hub-harness.ts";
import { type ScriptedAgent, scriptedAgent } from "../../support/serve/scripted-agent.ts";
import { served, type Served } from "../../support/serve/test-server.ts";

const isWindows = process.platform === "win32";
const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close();
});

/** A home directory of its own for each test. */
function homeEnv(): { readonly HOME: string; readonly LOCALAPPDATA: string } {
  const home = mkdtempSync(join(tmpdir(), "share-"));
  closing.push(() => rmSync(home, { recursive: true, force: true }));
  return { HOME: home, LOCALAPPDATA: home };
}

function announcementsIn(env: { readonly HOME: string }): string {
  return isWindows ? join(env.HOME, "bowline", "shared") : join(env.HOME, ".local", "state", "bowline", "shared");
}

interface Sharing {
  readonly shared: SharedSessions;
  readonly editor: TestClient;
  readonly notices: string[];
}

/** A process that shares the sessions of a scripted agent with servers, and its editor. */
async function sharing(env: ReturnType<typeof homeEnv>, player: ScriptedAgent): Promise<Sharing> {
  const notices: string[] = [];
  const bugs: unknown[] = [];
  const [hubEnd, editorEnd] = memoryPair();
  const shared = shareSessions({
    env,
    editor: hubEnd,
    onNotice: (sentence) => notices.push(sentence),
    onBug: (...bug) => bugs.push(bug),
  });
  player.start(shared.link);
  closing.push(async () => {
    await shared.close();
    assert.deepEqual(bugs, []);
  });
  return { shared, editor: await testClient(editorEnd), notices };
}

async function server(env: ReturnType<typeof homeEnv>): Promise<Served> {
  const page = await served({ startAgent: scriptedAgent().start });
  const stop = findShared({ env, join: (source) => page.server.hub.join(source) });
  closing.push(async () => {
    stop();
    await page.close();
    assert.deepEqual(page.bugs, []);
  });
  return page;
}

/** Asks until the answer fits; 20 seconds at most. */
async function until<T>(ask: () => Promise<T>, fits: (answer: T) => boolean): Promise<T> {
  for (const end = Date.now() + 20_000; ;) {
    const answer = await ask();
    if (fits(answer)) return answer;
    assert.ok(Date.now() < end, `it did not come true: ${JSON.stringify(answer)}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

const sessionsOf = async ({ call }: Served): Promise<readonly any[]> => (await call("GET", "/sessions")).json.sessions;

describe("bowline agent --share and bowline serve", () => {
  it("the page's API shows an editor's session, answers its question, and shows how the turn ended", async () => {
    const env = homeEnv();
    const player = scriptedAgent(async ({ ask, show }) => {
      await show(update.agentMessage(`${await ask({ toolCallId: "t1", title: "Edit" })}!`));
    });
    const { editor } = await sharing(env, player);
    const id = await open(editor);
    const page = await server(env);
    await until(
      () => sessionsOf(page),
      (sessions) => sessions.some((one) => one.id === id),
    );
    const events = await page.stream("GET", `/sessions/${id}/events`);
    const turn = editor.prompt(id, "edit it");
    await events.untilPacket("permission_request");
    const { questions } = (await page.call("GET", "/questions")).json;
    assert.deepEqual(
      questions.map((one: any) => one.sessionId),
      [id],
    );
    const answer = await page.call("POST", `/questions/${questions[0].id}`, { body: { optionId: "yes" } });
    assert.equal(answer.status, 204);
    assert.equal(await turn, "end_turn");
    assert.equal(editor.text(), "yes!");
    await events.untilPacket("prompt_response");
    assert.deepEqual(events.types.slice(0, 2), ["user_message_chunk", "permission_request"]);
    const [{ status, title }] = await sessionsOf(page);
    assert.deepEqual([status, title], ["idle", "edit it"]);
    const sent = await page.stream("POST", `/sessions/${id}/send-message`, { body: { content: "again" } });
    await sent.untilPacket("permission_request");
    editor.asked[1]?.choose("no");
    await sent.over();
    assert.equal(editor.text(), "yes!no!");
    events.leave();
  });

  it("an agent that shares joins a server that starts later, and two servers at once", async () => {
    const env = homeEnv();
    const { editor, notices } = await sharing(env, scriptedAgent());
    const id = await open(editor);
    assert.equal(await editor.prompt(id, "without a server"), "end_turn");
    const pages = [await server(env), await server(env)];
    for (const page of pages)
      await until(
        () => sessionsOf(page),
        (sessions) => sessions.some((one) => one.title === "without a server"),
      );
    assert.deepEqual(notices, []);
  });

  it("the sessions leave the page when the editor does", async () => {
    const env = homeEnv();
    const page = await server(env);
    const { shared, editor } = await sharing(env, scriptedAgent());
    await open(editor);
    await until(
      () => sessionsOf(page),
      (sessions) => sessions.length === 1,
    );
    editor.connection.close("the editor is closed");
    assert.equal(await shared.editorGone, 0);
    await shared.close();
    await until(
      () => sessionsOf(page),
      (sessions) => sessions.length === 0,
    );
    assert.deepEqual(readdirSync(announcementsIn(env)), []);
  });

  it("only the user can open the socket and the directories above it", { skip: isWindows }, async () => {
    const env = homeEnv();
    const { editor } = await sharing(env, scriptedAgent());
    assert.equal(existsSync(announcementsIn(env)), false, "nothing listens before there is a session");
    await open(editor);
    const [announcement] = new SharedDirectory(env).list();
    assert.ok(announcement !== undefined);
    const modeOf = (path: string): string => (statSync(path).mode & 0o777).toString(8);
    await until(
      async () => modeOf(announcement.address),
      (mode) => mode === "600",
    );
    assert.deepEqual([announcement.path, dirname(announcement.path), dirname(announcement.address)].map(modeOf), [
      "600",
      "700",
      "700",
    ]);
  });

  it(
    "a directory that others can open, or that is a link, is neither written nor read",
    { skip: isWindows },
    async () => {
      for (const make of [
        (path: string) => mkdirSync(path, { mode: 0o755 }),
        (path: string) => symlinkSync(mkdtempSync(join(tmpdir(), "share-")), path),
      ]) {
        const env = homeEnv();
        const directory = announcementsIn(env);
        mkdirSync(dirname(directory), { recursive: true });
        make(directory);
        const { editor, notices } = await sharing(env, scriptedAgent());
        const id = await open(editor);
        assert.equal(await editor.prompt(id, "the editor is served all the same"), "end_turn");
        assert.match(notices.join(), /^the sessions are not shared: .* only you can open/);
        writeFileSync(join(directory, `${hostname()}-1.json`), JSON.stringify({ address: "/nowhere" }));
        assert.deepEqual(new SharedDirectory(env).list(), []);
        chmodSync(directory, 0o700);
      }
    },
  );

  it("a server removes what a killed agent has left, and ignores files that are no announcement", async () => {
    const env = homeEnv();
    const directory = announcementsIn(env);
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    const host = hostname().replaceAll(/[^\w-]/g, "_");
    const [stale, damaged, foreign] = [`${host}-1.json`, `${host}-2.json`, "another_machine-3.json"];
    writeFileSync(
      join(directory, stale),
      JSON.stringify({ address: isWindows ? "\\\\.\\pipe\\none" : join(directory, "none") }),
    );
    writeFileSync(join(directory, damaged), "{");
    writeFileSync(join(directory, foreign), JSON.stringify({ address: "/nowhere" }));
    await server(env);
    await until(
      async () => readdirSync(directory),
      (names) => !names.includes(stale),
    );
    assert.deepEqual(readdirSync(directory).toSorted(), [foreign, damaged].toSorted());
  });

  it(
    "a pipe, a link or a large file that is named like an announcement is not read, and the server answers",
    { skip: isWindows },
    async () => {
      const env = homeEnv();
      const directory = announcementsIn(env);
      mkdirSync(directory, { recursive: true, mode: 0o700 });
      const named = (id: number) => join(directory, `${hostname().replaceAll(/[^\w-]/g, "_")}-${id}.json`);
      const text = JSON.stringify({ address: join(directory, "none") });
      writeFileSync(named(1), text);
      writeFileSync(join(directory, "other"), text);
      symlinkSync(join(directory, "other"), named(2));
      const pipe = named(3);
      // A reader of the pipe gets an announcement, so that this spec fails and does not hang.
      execFileSync("mkfifo", [pipe]);
      const writer = spawn("sh", ["-c", 'while :; do printf %s "$1" >"$0"; done', pipe, text], { stdio: "ignore" });
      closing.push(() => writer.kill("SIGKILL"));
      mkdirSync(named(4));
      writeFileSync(named(5), text.padEnd(5000));
      const listed = new SharedDirectory(env).list().map(({ path }) => path);
      assert.deepEqual(listed, [named(1)]);
      assert.deepEqual(await sessionsOf(await server(env)), []);
    },
  );

  it(
    "a connection that speaks no ACP disturbs neither the editor nor the next server",
    { skip: isWindows },
    async () => {
      const env = homeEnv();
      const { editor } = await sharing(
        env,
        scriptedAgent(({ show }) => show(update.agentMessage("well"))),
      );
      const id = await open(editor);
      const [announcement] = new SharedDirectory(env).list();
      const socket = connect(announcement?.address ?? "");
      socket.write("GET / HTTP/1.1\r\n\r\n\0\xff{]\n");
      await editor.prompt(id, "go on");
      assert.equal(editor.text(), "well");
      const page = await server(env);
      await until(
        () => sessionsOf(page),
        (sessions) => sessions.length === 1,
      );
      socket.destroy();
    },
  );

  it("a program that cannot write to the directory of announcements sees and answers nothing", async () => {
    const env = homeEnv();
    const { editor } = await sharing(
      env,
      scriptedAgent(({ show }) => show(update.agentMessage("well"))),
    );
    const id = await open(editor);
    const [announcement] = new SharedDirectory(env).list();
    const initialize = JSON.stringify({ jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } });
    const tries: readonly ((name: string) => string)[] = [
      (name) => `${name}\n${initialize}\n`,
      () => `${initialize}\n`,
      () => `proof-x\n${initialize}\n`,
      () => `${"x".repeat(5000)}\n${initialize}\n`,
    ];
    for (const answer of tries) {
      const socket = connect(announcement?.address ?? "");
      let heard = "";
      socket.on("error", () => {});
      socket.on("data", (chunk) => {
        if (heard === "") socket.write(answer(String(chunk).trim()));
        heard += String(chunk);
      });
      await once(socket, "close");
      assert.match(heard, /^proof-[\da-f-]{36}\n$/);
    }
    assert.equal(await editor.prompt(id, "go on"), "end_turn");
    const page = await server(env);
    await until(
      () => sessionsOf(page),
      (sessions) => sessions.length === 1,
    );
    assert.equal(readdirSync(announcementsIn(env)).filter((name) => name.startsWith("proof")).length, 0);
  });

  it(
    "a directory that is too long for a socket is said, and the editor is served as usual",
    { skip: isWindows },
    async () => {
      const home = homeEnv();
      const env = { ...home, XDG_STATE_HOME: join(home.HOME, "x".repeat(100)) };
      const { editor, notices } = await sharing(env, scriptedAgent());
      assert.equal(await editor.prompt(await open(editor), "go on"), "end_turn");
      assert.match(notices.join(), /^the sessions are not shared: .* too long for the path of a socket/);
    },
  );
});
