/**
 * `bowline zed`: the entry in Zed's settings, and the files of registry and extension.
 */
import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { readSums } from "../../../lib/program/zed/registry-entry.ts";
import { releaseInfo, targets } from "../../../lib/program/zed/release-info.ts";
import { settingsFile, writeSettings } from "../../../lib/program/zed/settings.ts";
import { readText } from "../../support/files.ts";
import { bowline } from "../../support/program/fake-terminal.ts";

const scratch = mkdtempSync(join(realpathSync(tmpdir()), "bowline-zed-spec-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
const mine = '// mine\n{\n  "theme": "One Dark", // the best\n}\n';
const isWindows = process.platform === "win32";
let count = 0;

function file(text?: string): string {
  const path = join(scratch, `zed-${++count}`, "settings.json");
  if (text === undefined) return path;
  mkdirSync(join(path, ".."));
  writeFileSync(path, text, { mode: 0o640 });
  return path;
}

describe("settingsFile", () => {
  it("the settings file is where Zed looks on each system", () => {
    const posix: readonly (readonly [NodeJS.Platform, Readonly<Record<string, string>>, string])[] = [
      ["linux", {}, "/home/dev/.config/zed/settings.json"],
      ["linux", { XDG_CONFIG_HOME: "/xdg" }, "/xdg/zed/settings.json"],
      ["linux", { XDG_CONFIG_HOME: "relative" }, "/home/dev/.config/zed/settings.json"],
      ["linux", { XDG_CONFIG_HOME: "/xdg", FLATPAK_XDG_CONFIG_HOME: "/flat" }, "/flat/zed/settings.json"],
      ["darwin", { XDG_CONFIG_HOME: "/xdg" }, "/home/dev/.config/zed/settings.json"],
      ["win32", { APPDATA: "/roaming" }, "/roaming/Zed/settings.json"],
      ["win32", {}, "/home/dev/AppData/Roaming/Zed/settings.json"],
    ];
    for (const [platform, env, path] of posix) assert.equal(settingsFile(env, platform, "/home/dev"), path);
  });
});

describe("bowline zed", () => {
  it("bowline zed prints the entry on stdout, and on stderr where it belongs", async () => {
    const { code, stdout, stderr } = await bowline(["zed"], { env: { HOME: "/home/dev" } });
    assert.equal(code, 0);
    const { "Claude Agent (Bowline)": entry } = JSON.parse(stdout).agent_servers;
    assert.deepEqual(Object.keys(entry), ["type", "command", "args"]);
    assert.deepEqual([entry.type, entry.command], ["custom", process.execPath]);
    assert.match(stderr, /^bowline: this belongs in .*settings\.json; bowline zed --write puts it there\n$/);
  });

  it("bowline zed --write creates a missing file with its directories, readable by its owner alone", async () => {
    const path = file();
    const { code } = await bowline(["zed", "--write", "--yes", "--name", "Mine", "--settings", path]);
    assert.equal(code, 0);
    assert.equal(JSON.parse(readFileSync(path, "utf8")).agent_servers.Mine.type, "custom");
    assert.equal(statSync(path).mode & 0o777, 0o600);
  });

  it("bowline zed --write shows the change, keeps the rest of the file and its mode, and changes nothing the next time", async () => {
    const path = file(mine);
    const words = ["zed", "--write", "--yes", "--settings", path];
    const { code, stdout } = await bowline(words);
    assert.equal(code, 0);
    assert.match(stdout, /^ {4}"theme": "One Dark", \/\/ the best$/m);
    assert.match(stdout, /^\+ {3}"agent_servers": \{$/m);
    assert.doesNotMatch(stdout, /^-/m);
    const written = readFileSync(path, "utf8");
    assert.ok(written.startsWith(mine.slice(0, mine.indexOf("\n}"))));
    assert.equal(statSync(path).mode & 0o777, 0o640);
    assert.deepEqual(readdirSync(join(path, "..")), ["settings.json"]);
    const again = await bowline(words);
    assert.deepEqual([again.code, again.stdout], [0, `${path} has it already\n`]);
    assert.equal(readFileSync(path, "utf8"), written);
  });

  it("bowline zed --write keeps fields that the user added to the entry", async () => {
    const old =
      '{ "agent_servers": { "Mine": { "command": "old", "args": [ "x" ], "env": { "A": "1" } /* mine */ } } }';
    const path = file(old);
    const words = ["zed", "--write", "--yes", "--name", "Mine", "--settings", path];
    assert.equal((await bowline(words)).code, 0);
    const written = readFileSync(path, "utf8");
    const { command, env, type } = JSON.parse(written.replace("/* mine */", "")).agent_servers.Mine;
    assert.deepEqual([command, env, type], [process.execPath, { A: "1" }, "custom"]);
    assert.ok(written.includes('"env": { "A": "1" }') && written.includes("/* mine */"));
  });

  it("bowline zed --write asks at a terminal, and writes only when the answer is y or yes", async () => {
    for (const [input, isWritten] of [
      ["y\n", true],
      ["YES\n", true],
      ["n\n", false],
      ["\n", false],
      ["", false],
    ] as const) {
      const path = file(mine);
      const { code, stderr } = await bowline(["zed", "--write", "--settings", path], { input, isTTY: true });
      assert.equal(code, isWritten ? 0 : 1, JSON.stringify(input));
      assert.equal(readFileSync(path, "utf8") === mine, !isWritten);
      assert.ok(stderr.includes("write this? [y/N] "));
    }
  });

  it("bowline zed --write writes nothing without --yes where the user cannot be asked", async () => {
    const path = file(mine);
    const { code, stderr } = await bowline(["zed", "--write", "--settings", path]);
    assert.deepEqual([code, readFileSync(path, "utf8")], [1, mine]);
    assert.match(stderr, /nothing was written: add --yes/);
  });

  it("bowline zed --write leaves an invalid file alone, and says which line is wrong", async () => {
    for (const [text, why] of [
      ['{\n  "a": 1\n  "b": 2\n}\n', /line 3: a comma or } is missing/],
      ["[]", /the file is not an object/],
      ['{"agent_servers": true}', /agent_servers is not an object/],
    ] as const) {
      const path = file(text);
      const { code, stdout, stderr } = await bowline(["zed", "--write", "--yes", "--settings", path]);
      assert.deepEqual([code, stdout, readFileSync(path, "utf8")], [1, "", text]);
      assert.match(stderr, why);
    }
  });

  it("bowline zed --write changes the target of a symbolic link and keeps the link", async () => {
    const target = file(mine);
    const link = join(scratch, "link.json");
    symlinkSync(target, link);
    assert.equal((await bowline(["zed", "--write", "--yes", "--settings", link])).code, 0);
    assert.ok(lstatSync(link).isSymbolicLink());
    assert.match(readFileSync(target, "utf8"), /"agent_servers"/);
  });

  it("bowline zed --write refuses a pipe or a large file as the settings", { skip: isWindows }, async () => {
    const pipe = join(scratch, "pipe.json");
    execFileSync("mkfifo", [pipe]);
    // A reader of the pipe gets settings, so that this spec fails and does not hang.
    const writer = spawn("sh", ["-c", 'while :; do echo "{}" >"$0"; done', pipe], { stdio: "ignore" });
    const link = join(scratch, "link-to-pipe.json");
    symlinkSync(pipe, link);
    try {
      for (const path of [pipe, link]) {
        const { code, stderr } = await bowline(["zed", "--write", "--settings", path]);
        assert.deepEqual([code, stderr], [1, `bowline: ${path} cannot be read: it is not a regular file\n`]);
      }
    } finally {
      writer.kill("SIGKILL");
    }
    const large = file(" ".repeat(4 * 1024 * 1024 + 1));
    const { stderr } = await bowline(["zed", "--write", "--settings", large]);
    assert.equal(stderr, `bowline: ${large} cannot be read: it is over 4194304 bytes\n`);
  });

  it("bowline zed says in one sentence what failed", async () => {
    const blocked = file(mine);
    for (const words of [
      ["zed", "--write", "--yes", "--settings", join(blocked, "below", "settings.json")],
      ["zed", "--write", "--yes", "--settings", scratch],
      ["zed", "--registry", join(blocked, "below")],
      ["zed", "--registry", scratch, "--sums", join(scratch, "none")],
    ]) {
      const { code, stderr } = await bowline(words);
      assert.equal(code, 1, words.join(" "));
      assert.match(stderr, /^bowline: .* cannot be (?:read|written).*\n$/);
    }
  });
});

describe("writeSettings", () => {
  it("writeSettings refuses when the file has changed since it was read", () => {
    const path = file(mine);
    assert.throws(() => writeSettings(path, "something else", "new"), /has changed meanwhile; run it again/);
    assert.equal(readFileSync(path, "utf8"), mine);
  });
});

describe("releaseInfo", () => {
  it("the release info equals package.json", () => {
    const { name, version, description, license } = JSON.parse(readText("package.json"));
    assert.deepEqual(
      [releaseInfo.id, releaseInfo.version, releaseInfo.description, releaseInfo.license],
      [name, version, description, license],
    );
  });
});

describe("bowline zed --registry", () => {
  const sums = join(scratch, "SHA256SUMS");
  const sum = (name: string): string => createHash("sha256").update(name).digest("hex");
  writeFileSync(sums, targets.map(({ archive }) => `${sum(archive)}  ${archive}\n`).join(""));

  it("bowline zed --registry writes an entry that passes the registry's checks", async () => {
    const directory = join(scratch, "registry");
    const words = ["zed", "--registry", directory, "--sums", sums, "--repository", "https://git.example.org/bowline/"];
    const { code, stdout, stderr } = await bowline(words);
    assert.deepEqual([code, stderr], [0, ""]);
    assert.equal(stdout, ["agent.json", "icon.svg"].map((name) => `${join(directory, "bowline", name)}\n`).join(""));
    const agent = JSON.parse(readFileSync(join(directory, "bowline", "agent.json"), "utf8"));
    assert.match(agent.id, /^[a-z][a-z0-9-]*$/);
    assert.match(agent.version, /^\d+\.\d+\.\d+$/);
    for (const key of ["name", "description", "license"]) assert.ok(agent[key].length > 0);
    for (const key of ["repository", "license_url"])
      assert.ok(new URL(agent[key]).href.startsWith("https://git.example"));
    const { binary } = agent.distribution;
    assert.deepEqual(Object.keys(binary), systems);
    for (const { archive, sha256, cmd, args } of Object.values<any>(binary)) {
      const name = new URL(archive).pathname.split("/").at(-1) ?? "";
      assert.ok(archive.includes(`/releases/download/v${agent.version}/`) && !archive.includes("latest"));
      assert.match(name, /\.(?:tar\.gz|zip)$/);
      assert.equal(sha256, sum(name));
      assert.match(cmd, /^\.\/bowline(?:\.cmd)?$/);
      assert.deepEqual(args, []);
    }
  });

  it("bowline zed --registry leaves out unknown checksums, and says that the repository is a placeholder", async () => {
    const directory = join(scratch, "unknown");
    const { stderr } = await bowline(["zed", "--registry", directory]);
    assert.match(stderr, /placeholder; give the real one with --repository\n$/);
    assert.ok(!readFileSync(join(directory, "bowline", "agent.json"), "utf8").includes("sha256"));
  });

  it("the icon is 16 by 16 and uses currentColor", () => {
    const svg = readFileSync(join(scratch, "registry", "bowline", "icon.svg"), "utf8");
    assert.match(svg, /^<svg [^>]*width="16" height="16" viewBox="0 0 16 16"/);
    const colours = [...svg.matchAll(/(?:fill|stroke)="([^"]*)"/g)].map(([, colour]) => colour);
    assert.deepEqual(new Set(colours), new Set(["none", "currentColor"]));
    assert.ok(!svg.includes("<!--") && !svg.includes("style="));
  });
});

describe("bowline zed --extension", () => {
  it("bowline zed --extension writes extension.toml with a target for each system, and its icon", async () => {
    const directory = join(scratch, "extension");
    assert.equal((await bowline(["zed", "--extension", directory, "--sums", join(scratch, "SHA256SUMS")])).code, 0);
    const tables = readToml(readFileSync(join(directory, "extension.toml"), "utf8"));
    const { id, version, repository } = tables.get("") ?? {};
    assert.deepEqual([id, version, repository], ["bowline-acp", releaseInfo.version, "https://example.com/bowline"]);
    const { icon = "" } = tables.get("agent_servers.bowline") ?? {};
    assert.ok(existsSync(join(directory, String(icon))));
    for (const system of systems) {
      const { archive, cmd, args, sha256 } = tables.get(`agent_servers.bowline.targets.${system}`) ?? {};
      assert.ok(String(archive).includes(system) && String(cmd).startsWith("./bowline"));
      assert.deepEqual(args, []);
      assert.match(String(sha256), /^[0-9a-f]{64}$/);
    }
  });
});

describe("readSums", () => {
  it("readSums reads the lines of sha256sum, in text and binary mode, and nothing else", () => {
    const sum = "a".repeat(64);
    assert.deepEqual(
      [...readSums(`${sum}  a b.zip\n${sum} *c.zip\nnonsense\n${sum}\n`)],
      [
        ["a b.zip", sum],
        ["c.zip", sum],
      ],
    );
  });
});

const systems = ["darwin", "linux", "windows"].flatMap((system) => [`${system}-aarch64`, `${system}-x86_64`]);

/** Parses the part of TOML that the file uses: tables, and values that are also JSON. */
function readToml(text: string): ReadonlyMap<string, Readonly<Record<string, unknown>>> {
  const tables = new Map<string, Record<string, unknown>>();
  let table = "";
  for (const line of text.split("\n").filter((one) => one !== "")) {
    const [, name] = /^\[([\w.-]+)\]$/.exec(line) ?? [];
    if (name !== undefined) table = name;
    else {
      const [, key, value] = /^(\w+) = (.+)$/.exec(line) ?? assert.fail(line);
      tables.set(table, { ...tables.get(table), [String(key)]: JSON.parse(String(value)) });
    }
  }
  return tables;
}
