/**
 * Which sessions `listTranscripts` finds, in which order and with which titles.
 */
import assert from "node:assert/strict";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import { type ListedSessions, listTranscripts, type ListOptions, projectSlug } from "../../../lib/claude/index.ts";
import { uuidOf } from "../../tooling/bench/transcript-files.ts";
import { answered, type Line, said } from "../../support/claude/transcript-file.ts";

type Page = Extract<ListedSessions, { kind: "page" }>;

interface Disk {
  readonly root: string;
  readonly projects: string;
  write(number: number, lines: readonly (Line | string)[], cwd?: string): string;
  list(options?: Partial<ListOptions>): Promise<Page>;
}

async function onDisk(play: (disk: Disk) => Promise<void>): Promise<void> {
  const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-spec-")));
  const projects = join(root, "projects");
  mkdirSync(projects);
  const write = (number: number, lines: readonly (Line | string)[], cwd = "/home/dev/project"): string => {
    const project = join(projects, projectSlug(cwd));
    mkdirSync(project, { recursive: true });
    const path = join(project, `${uuidOf(number)}.jsonl`);
    const stamped = (line: Line): Line => ("cwd" in line ? { ...line, cwd } : line);
    writeFileSync(
      path,
      lines.map((line) => (typeof line === "string" ? line : `${JSON.stringify(stamped(line))}\n`)).join(""),
    );
    utimesSync(path, 1_700_000_000 + number, 1_700_000_000 + number);
    return path;
  };
  const list = async (options: Partial<ListOptions> = {}): Promise<Page> => {
    const listed = await listTranscripts({ projects, ...options });
    assert.ok(listed.kind === "page");
    return listed;
  };
  try {
    await play({ root, projects, write, list });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}

const talk = (text: string): readonly Line[] => [said("u1", null, text), answered("a1", "u1", "Hello.")];
const numbers = ({ sessions }: Page): readonly number[] =>
  sessions.map(({ sessionId }) => Number(sessionId.slice(-12)));

describe("listTranscripts", () => {
  it("listTranscripts returns an empty page when there are no projects", async () => {
    const listed = await listTranscripts({ projects: "/nowhere/at/all" });
    assert.deepEqual(listed, { kind: "page", sessions: [], nextCursor: undefined, unreadableCount: 0 });
  });

  it("listTranscripts lists the sessions of all projects or of one directory, newest first", () =>
    onDisk(async ({ write, list }) => {
      write(1, talk("one"), "/home/dev/a");
      write(3, talk("three"), "/home/dev/b");
      write(2, talk("two"), "/home/dev/a");
      // Another directory with the same slug.
      write(4, talk("four"), "/home/dev-a");
      const page = await list();
      assert.deepEqual(numbers(page), [4, 3, 2, 1]);
      assert.deepEqual(page.sessions[2], {
        sessionId: uuidOf(2),
        cwd: "/home/dev/a",
        title: "two",
        updatedAt: "2023-11-14T22:13:22.000Z",
      });
      assert.deepEqual(numbers(await list({ cwd: "/home/dev/a" })), [2, 1]);
      assert.deepEqual(numbers(await list({ cwd: "/home/dev/none" })), []);
    }));

  it("listTranscripts lists no session twice when files change between two pages", () =>
    onDisk(async ({ write, list }) => {
      for (let i = 1; i <= 7; i++) write(i, talk(`${i}`));
      const first = await list({ pageSize: 3 });
      assert.deepEqual(numbers(first), [7, 6, 5]);
      const touched = write(5, talk("5, again"));
      utimesSync(touched, 1_800_000_000, 1_800_000_000);
      write(8, talk("8"));
      const second = await list({ pageSize: 3, cursor: first.nextCursor });
      assert.deepEqual(numbers(second), [4, 3, 2]);
      const third = await list({ pageSize: 3, cursor: second.nextCursor });
      assert.deepEqual(numbers(third), [1]);
      assert.equal(third.nextCursor, undefined);
    }));

  it("listTranscripts orders sessions with the same time by id and loses none", () =>
    onDisk(async ({ write, list }) => {
      for (let i = 1; i <= 5; i++) utimesSync(write(i, talk(`${i}`)), 1_700_000_000, 1_700_000_000);
      const seen: number[] = [];
      let cursor: string | undefined;
      do {
        const page = await list({ pageSize: 2, cursor });
        seen.push(...numbers(page));
        cursor = page.nextCursor;
      } while (cursor !== undefined);
      assert.deepEqual(seen, [1, 2, 3, 4, 5]);
    }));

  it("listTranscripts returns bad-cursor for a cursor it did not create", async () => {
    const forged = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString("base64url");
    const bad = ["", "x", "%%%", forged(null), forged({ v: 2 }), forged({ v: 1, mtimeMs: "1", sessionId: uuidOf(1) })];
    for (const cursor of [...bad, forged({ v: 1, mtimeMs: 1, sessionId: "../x" })]) {
      assert.deepEqual(await listTranscripts({ projects: "/nowhere", cursor }), { kind: "bad-cursor" });
    }
  });

  it("a session is named in one line by its title, the CLI's title, the last prompt, a summary or the first prompt", () =>
    onDisk(async ({ write, list }) => {
      const all = [
        { type: "summary", summary: "Summary" },
        { type: "last-prompt", lastPrompt: "Last prompt" },
        { type: "ai-title", aiTitle: "Its own title" },
        { type: "custom-title", customTitle: "Old title" },
        { type: "custom-title", customTitle: "Given title" },
      ];
      const command = said("c1", null, "<command-name>/usage</command-name>");
      for (let i = 0; i < 5; i++) write(i + 1, [command, ...talk("First\n\tprompt"), ...all.slice(0, i === 4 ? 5 : i)]);
      write(6, talk(`${"👍".repeat(100)}`));
      const titles = (await list()).sessions.map(({ title }) => title);
      assert.deepEqual(titles.slice(1), ["Given title", "Its own title", "Last prompt", "Summary", "First prompt"]);
      assert.equal(titles[0], `${"👍".repeat(63)}…`);
    }));

  it("the title is found between megabytes of other lines, and after a prompt longer than what is read", () =>
    onDisk(async ({ write, list }) => {
      const filler = { type: "attachment", attachment: { type: "prompt_snapshot", text: "x".repeat(300_000) } };
      write(1, [...talk("first"), filler, { type: "custom-title", customTitle: "At the end" }]);
      write(2, [{ type: "custom-title", customTitle: "At the start" }, ...talk("first"), filler]);
      write(3, [
        said("u1", null, "y".repeat(300_000)),
        answered("a1", "u1", "Hello."),
        filler,
        answered("a2", "a1", "There."),
      ]);
      assert.deepEqual(
        (await list()).sessions.map(({ title }) => title),
        [undefined, "At the start", "At the end"],
      );
    }));

  it("listTranscripts leaves out files without a conversation and subagents' files, and counts unreadable files", () =>
    onDisk(async ({ root, projects, write, list }) => {
      write(1, talk("one"));
      write(2, []);
      write(3, ["garbage\n"]);
      write(4, [said("c1", null, "<command-name>/clear</command-name>")]);
      write(5, [{ ...said("u1", null, "a subagent's"), isSidechain: true }]);
      write(6, [{ type: "custom-title", customTitle: "Nothing but a title" }]);
      const project = join(projects, projectSlug("/home/dev/project"));
      writeFileSync(join(project, "not-a-session.jsonl"), JSON.stringify(talk("x")[0]));
      mkdirSync(join(project, `${uuidOf(7)}.jsonl`));
      const outside = join(root, "outside");
      mkdirSync(outside);
      writeFileSync(join(outside, `${uuidOf(8)}.jsonl`), `${JSON.stringify(talk("secret")[0])}\n`);
      symlinkSync(join(outside, `${uuidOf(8)}.jsonl`), join(project, `${uuidOf(8)}.jsonl`));
      symlinkSync(outside, join(projects, "-outside"));
      chmodSync(write(9, talk("nine")), 0o000);
      const isRoot = process.getuid?.() === 0;
      const page = await list();
      assert.deepEqual(numbers(page), isRoot ? [9, 1] : [1]);
      assert.equal(page.unreadableCount, isRoot ? 2 : 3);
    }));

  it("a session that exists in two projects is listed once, with the newer file", () =>
    onDisk(async ({ write, list }) => {
      utimesSync(write(1, talk("older"), "/home/dev/a"), 1_600_000_000, 1_600_000_000);
      write(1, talk("newer"), "/home/dev/b");
      assert.deepEqual(
        (await list()).sessions.map(({ title }) => title),
        ["newer"],
      );
    }));

  it("listTranscripts reads one page of 2,000 sessions without reading all files", () =>
    onDisk(async ({ write, list }) => {
      for (let i = 0; i < 2000; i++) write(i, talk(`prompt ${i}`), `/home/dev/${i % 20}`);
      const before = process.cpuUsage();
      const page = await list();
      const { user, system } = process.cpuUsage(before);
      assert.equal(page.sessions.length, 50);
      // Usually 50 ms. The limit allows for busy machines.
      assert.ok((user + system) / 1000 < 1000, `took ${(user + system) / 1000} ms of CPU`);
    }));
});
