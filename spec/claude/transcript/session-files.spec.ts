/**
 * The names of the CLI's project directories and session files, and which ids may become paths.
 */
import assert from "node:assert/strict";
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import {
  configDirectory,
  findSession,
  isSessionId,
  projectDirectory,
  projectsDirectory,
  projectSlug,
  removeSession,
  sessionFiles,
} from "../../../lib/claude/index.ts";

const id = "0b9a3d3e-1c55-4a52-9c7b-0d4f6a7b8c9d";

describe("configDirectory", () => {
  it("configDirectory is CLAUDE_CONFIG_DIR, or .claude in the home directory", () => {
    assert.equal(configDirectory({ CLAUDE_CONFIG_DIR: "/etc/claude", HOME: "/home/dev" }), "/etc/claude");
    assert.equal(configDirectory({ CLAUDE_CONFIG_DIR: "", HOME: "/home/dev" }), join("/home/dev", ".claude"));
    assert.equal(configDirectory({ USERPROFILE: "/Users/dev" }), join("/Users/dev", ".claude"));
    assert.equal(configDirectory({}), join(homedir(), ".claude"));
    assert.equal(projectsDirectory({ HOME: "/home/dev" }), join("/home/dev", ".claude", "projects"));
  });
});

describe("projectSlug", () => {
  it("projectSlug names a directory as the CLI does", () => {
    assert.equal(projectSlug("/home/dev/my_project.js"), "-home-dev-my-project-js");
    assert.equal(projectSlug("C:\\Users\\dev"), "C--Users-dev");
    assert.equal(projectSlug("/tmp/é"), "-tmp--");
    assert.equal(projectSlug("/tmp/e\u0301"), "-tmp-e-");
  });

  // Both names come from the real CLI, 2.1.325.
  it("projectSlug truncates a long path and appends the CLI's hash", () => {
    const plain = `/tmp/bowline-live-GvMIpQ/project/${["x", "x", "x"].map((char) => char.repeat(100)).join("/")}`;
    assert.match(projectSlug(plain), /^-tmp-.{195}-b3fuj6$/);
    const accents = `/tmp/bowline-live-YMO7se/project/${[1, 2, 3].map(() => "é_ü".repeat(30)).join("/")}`;
    assert.match(projectSlug(accents), /^-tmp-.{195}-mo0bpo$/);
    assert.equal(projectSlug("x".repeat(200)).length, 200);
  });
});

describe("sessionFiles", () => {
  it("sessionFiles accepts a UUID and nothing else", () => {
    assert.deepEqual(sessionFiles("/p", id), {
      sessionId: id,
      transcript: join("/p", `${id}.jsonl`),
      directory: join("/p", id),
    });
    const hostile = [
      "",
      "..",
      "../x",
      `../${id}`,
      `${id}/..`,
      `${id}\0`,
      `${id}\n`,
      `${id}.jsonl`,
      "a".repeat(36),
      id.slice(1),
    ];
    for (const bad of hostile) {
      assert.equal(isSessionId(bad), false, JSON.stringify(bad));
      assert.equal(sessionFiles("/p", bad), undefined);
    }
  });
});

describe("removeSession", () => {
  it("removeSession deletes the transcript and its directory, and nothing behind a symbolic link", async () => {
    const root = mkdtempSync(join(tmpdir(), "bowline-spec-"));
    try {
      const files = sessionFiles(join(root, "p"), id) ?? assert.fail("no session id");
      for (const directory of [join(files.directory, "subagents"), join(root, "kept")])
        mkdirSync(directory, { recursive: true });
      writeFileSync(files.transcript, "{}");
      writeFileSync(join(root, "kept", "file"), "");
      symlinkSync(join(root, "kept"), join(files.directory, "link"));
      await removeSession(files);
      await removeSession(files);
      assert.deepEqual([readdirSync(join(root, "p")), readdirSync(join(root, "kept"))], [[], ["file"]]);
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});

describe("findSession", () => {
  it("findSession searches all projects, returns the newest file and follows no symbolic link", async () => {
    const root = realpathSync(mkdtempSync(join(tmpdir(), "bowline-spec-")));
    try {
      const projects = join(root, "projects");
      const [older, newer, outside] = [join(projects, "-a"), join(projects, "-b"), join(root, "outside")];
      for (const directory of [older, newer, outside]) mkdirSync(directory, { recursive: true });
      assert.equal(await findSession(projects, id), undefined);
      writeFileSync(join(outside, `${id}.jsonl`), "{}");
      symlinkSync(outside, join(projects, "-linked"));
      symlinkSync(join(outside, `${id}.jsonl`), join(older, `${id}.jsonl`));
      assert.equal(await findSession(projects, id), undefined);
      rmSync(join(older, `${id}.jsonl`));
      for (const [directory, age] of [
        [older, 100],
        [newer, 200],
      ] as const) {
        writeFileSync(join(directory, `${id}.jsonl`), "{}");
        utimesSync(join(directory, `${id}.jsonl`), age, age);
      }
      assert.equal((await findSession(projects, id))?.transcript, join(newer, `${id}.jsonl`));
      assert.equal(await findSession(projects, `../-a/${id}`), undefined);
      assert.equal(await findSession(join(root, "nowhere"), id), undefined);
      symlinkSync(newer, join(root, "link-to-newer"));
      assert.equal(await projectDirectory(projects, join(root, "link-to-newer")), join(projects, projectSlug(newer)));
    } finally {
      rmSync(root, { recursive: true, force: true });
    }
  });
});
