/**
 * Specs of the release: its archives, unpacked by tar, unzip and Python, and its
 * launchers.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import {
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, before, describe, it } from "node:test";
import { targets } from "../../../lib/program/zed/release-info.ts";
import { version } from "../../../lib/version.ts";
import { type Entry, tarGz, zip } from "./archive.ts";
import { windowsLauncher } from "./launchers.ts";
import { defaultTimeSeconds, sumsBelow, writeRelease } from "./release.ts";
import { builtProgram } from "../../support/built-program.ts";

const scratch = mkdtempSync(join(realpathSync(tmpdir()), "bowline-release-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** Sizes around a tar's block size, and bytes that are not text. */
const entries: readonly Entry[] = [0, 1, 511, 512, 513, 70_000].map((size) => ({
  name: `file-${size}`,
  data: Buffer.from(Array.from({ length: size }, (_, i) => (i * 7) % 256)),
  isExecutable: size === 1,
}));

function installed(program: string): { readonly skip: string | false } {
  const { error } = spawnSync(program, ["--version"]);
  return { skip: error === undefined ? false : `${program} is not installed` };
}

function sh(command: string, ...args: readonly string[]): string {
  const { status, stdout, stderr } = spawnSync(command, args, { encoding: "utf8", timeout: 60_000 });
  assert.equal(status, 0, stderr);
  return stdout;
}

function assertUnpacked(directory: string): void {
  for (const { name, data, isExecutable } of entries) {
    assert.deepEqual(readFileSync(join(directory, name)), data, name);
    assert.equal(statSync(join(directory, name)).mode & 0o111, isExecutable ? 0o111 : 0, name);
    assert.equal(statSync(join(directory, name)).mtimeMs, defaultTimeSeconds * 1000, name);
  }
}

function fresh(name: string): string {
  const directory = join(scratch, name);
  mkdirSync(directory);
  return directory;
}

describe("tarGz", () => {
  it("tarGz makes an archive that tar unpacks, with contents, modes and times", installed("tar"), () => {
    const file = join(scratch, "a.tar.gz");
    writeFileSync(file, tarGz(entries, defaultTimeSeconds));
    const directory = fresh("tar");
    sh("tar", "xzf", file, "-C", directory);
    assertUnpacked(directory);
    const [owner] = new Set(
      sh("tar", "tvzf", file, "--numeric-owner")
        .trim()
        .split("\n")
        .map((line) => line.split(/\s+/)[1]),
    );
    assert.equal(owner, "0/0");
  });

  it("tarGz writes neither the time nor the system into its header", () => {
    const bytes = tarGz(entries, defaultTimeSeconds);
    assert.deepEqual([...bytes.subarray(0, 10)], [0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 2, 255]);
    assert.deepEqual(tarGz(entries, defaultTimeSeconds), bytes);
  });

  it("tarGz refuses a name that does not fit", () => {
    const [entry] = entries;
    assert.ok(entry);
    assert.throws(() => tarGz([{ ...entry, name: "x".repeat(101) }], 0), RangeError);
  });
});

describe("zip", () => {
  const file = join(scratch, "a.zip");
  writeFileSync(file, zip(entries, defaultTimeSeconds));

  it("zip makes an archive that unzip unpacks, with contents, modes and times", installed("unzip"), () => {
    const directory = fresh("unzip");
    process.env["TZ"] = "UTC";
    sh("unzip", "-q", file, "-d", directory);
    assertUnpacked(directory);
  });

  it("zip makes an archive that Python's zipfile finds intact", installed("python3"), () => {
    const look = "import sys, zipfile; z = zipfile.ZipFile(sys.argv[1]); print(z.testzip(), len(z.infolist()))";
    assert.equal(sh("python3", "-c", look, file).trim(), `None ${entries.length}`);
  });

  it("zip makes the same bytes each time, and writes no time before 1980", () => {
    assert.deepEqual(zip(entries, defaultTimeSeconds), readFileSync(file));
    assert.notDeepEqual(zip(entries, defaultTimeSeconds + 2), readFileSync(file));
    assert.throws(() => zip(entries, 0), RangeError);
  });
});

describe("writeRelease", () => {
  const directory = join(scratch, "release");
  const unpacked = join(scratch, "unpacked");
  const launcher = join(unpacked, "bowline");

  before(() => {
    const [licence, readme] = [Buffer.from("licence"), Buffer.from("readme")];
    const parts = { program: readFileSync(builtProgram), licence, readme, timeSeconds: defaultTimeSeconds };
    writeRelease(directory, parts);
    const first = sumsBelow(directory);
    rmSync(directory, { recursive: true });
    writeRelease(directory, parts);
    assert.deepEqual(sumsBelow(directory), first, "made again, it is the same");
    mkdirSync(unpacked);
    sh("tar", "xzf", join(directory, `bowline-${version}-linux-x86_64.tar.gz`), "-C", unpacked);
  });

  it("writeRelease writes an archive for each system, with correct checksums", installed("sha256sum"), () => {
    const names = [...targets.map(({ archive }) => archive), "bowline.mjs"].sort();
    const sums = readFileSync(join(directory, "SHA256SUMS"), "utf8");
    assert.deepEqual(
      [...sums.matchAll(/ {2}(.*)$/gm)].map(([, name]) => name),
      names,
    );
    const { status, stdout } = spawnSync("sha256sum", ["-c", "SHA256SUMS"], { cwd: directory, encoding: "utf8" });
    assert.equal(status, 0, stdout);
  });

  it("writeRelease writes entries for the registry and for Zed with the version and the checksums of these archives", () => {
    const sums = sumsBelow(directory);
    const agent = JSON.parse(readFileSync(join(directory, "registry/bowline/agent.json"), "utf8"));
    const toml = readFileSync(join(directory, "extension/extension.toml"), "utf8");
    assert.equal(agent.version, version);
    for (const { name, archive } of targets) {
      const { sha256, archive: url } = agent.distribution.binary[name];
      assert.ok(url.endsWith(`/v${version}/${archive}`));
      assert.equal(sha256, sums.get(archive));
      assert.ok(toml.includes(`${archive}"`) && toml.includes(`sha256 = "${sha256}"`));
    }
  });

  it("the released program starts by its launcher and answers initialize, also through a symbolic link", () => {
    const link = join(scratch, "a link");
    symlinkSync(join("unpacked", "bowline"), link);
    const request = { jsonrpc: "2.0", id: 1, method: "initialize", params: { protocolVersion: 1 } };
    for (const path of [launcher, link]) {
      const { status, stdout } = spawnSync(path, [], {
        input: `${JSON.stringify(request)}\n`,
        env: usual(),
        encoding: "utf8",
      });
      assert.equal(status, 0);
      assert.equal(JSON.parse(stdout).result.agentInfo.version, version);
    }
  });

  it("the launcher passes its arguments on unchanged, and the exit code back", () => {
    const wrong = spawnSync(launcher, ["a 'b' \"c\" $HOME"], { env: usual(), encoding: "utf8" });
    assert.equal(wrong.status, 2);
    assert.ok(wrong.stderr.includes(JSON.stringify("a 'b' \"c\" $HOME")));
  });

  it("the launcher is replaced by the program once it runs, so that signals reach it", async () => {
    const agent = spawn(launcher, [], { env: usual(), stdio: ["pipe", "pipe", "inherit"] });
    agent.stdin.write('{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"protocolVersion":1}}\n');
    await new Promise((resolve) => agent.stdout.once("data", resolve));
    agent.kill("SIGTERM");
    assert.deepEqual(await new Promise((resolve) => agent.once("exit", (code) => resolve(code))), 143);
  });

  it("the launcher skips a Node that is too old, but not one that the user named", () => {
    const home = fresh("home");
    const bin = join(home, ".local", "bin");
    mkdirSync(bin, { recursive: true });
    symlinkSync(process.execPath, join(bin, "node"));
    const old = join(home, "old");
    mkdirSync(old);
    writeFileSync(join(old, "node"), "#!/bin/sh\necho v18.20.0\n", { mode: 0o755 });
    const env = { HOME: home, PATH: [old, "/usr/bin", "/bin"].join(delimiter) };
    assert.equal(spawnSync(launcher, ["--version"], { env, encoding: "utf8" }).stdout, `${version}\n`);
    for (const named of [join(old, "node"), "/nowhere/node"]) {
      const refused = spawnSync(launcher, ["--version"], { env: { ...env, BOWLINE_NODE: named }, encoding: "utf8" });
      assert.deepEqual([refused.status, refused.stdout], [1, ""]);
      assert.match(
        refused.stderr,
        /^bowline: Node 20 or newer was not found; install it .*, or set BOWLINE_NODE .*\n$/,
      );
    }
  });

  it("the launcher for Windows has CRLF line endings", () => {
    assert.ok(!/[^\r]\n/.test(windowsLauncher) && windowsLauncher.startsWith("@echo off\r\n"));
  });

  function usual(): NodeJS.ProcessEnv {
    const path = [dirname(process.execPath), "/usr/bin", "/bin"].join(delimiter);
    return { HOME: scratch, PATH: path, BOWLINE_PREWARM: "0" };
  }
});
