/**
 * `bowline install`: entries in the settings of clients, dry runs, backups and undo.
 */
import assert from "node:assert/strict";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, describe, it } from "node:test";
import { bowline } from "../../support/program/fake-terminal.ts";

const scratch = mkdtempSync(join(realpathSync(tmpdir()), "bowline-install-spec-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
let count = 0;

function home(): string {
  const directory = join(scratch, `home-${++count}`);
  mkdirSync(directory);
  return directory;
}

const files = { zed: ".config/zed/settings.json", jetbrains: ".jetbrains/acp.json", acpx: ".acpx/config.json" };
const mine = '// mine\n{\n  "theme": "One Dark", // the best\n}\n';

describe("bowline install", () => {
  for (const [editor, name] of Object.entries(files)) {
    it(`bowline install ${editor} writes the entry, keeps the rest of the file, and undo restores every byte`, async () => {
      const HOME = home();
      const file = join(HOME, name);
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, mine);
      const { code } = await bowline(["install", editor, "--yes"], { env: { HOME } });
      assert.equal(code, 0);
      const text = readFileSync(file, "utf8");
      assert.ok(text.startsWith('// mine\n{\n  "theme": "One Dark", // the best\n'));
      assert.ok(text.includes(JSON.stringify(process.execPath)));
      assert.equal(readFileSync(`${file}.before-bowline`, "utf8"), mine);
      const again = await bowline(["install", editor, "--yes"], { env: { HOME } });
      assert.match(again.stdout, /has it already/);
      await bowline(["install", editor, "--undo"], { env: { HOME } });
      assert.equal(readFileSync(file, "utf8"), mine);
      assert.deepEqual(readdirSync(dirname(file)), [name.split("/").at(-1)]);
    });
  }

  it("bowline install creates a missing file, and undo removes it", async () => {
    const HOME = home();
    await bowline(["install", "jetbrains", "--yes"], { env: { HOME } });
    const file = join(HOME, files.jetbrains);
    const { agent_servers } = JSON.parse(readFileSync(file, "utf8"));
    assert.equal(agent_servers["Claude Agent (Bowline)"].command, process.execPath);
    await bowline(["install", "jetbrains", "--undo"], { env: { HOME } });
    assert.ok(!existsSync(file) && !existsSync(`${file}.before-bowline`));
  });

  it("bowline install --dry-run shows the change and writes nothing; without a terminal nothing is written either", async () => {
    const HOME = home();
    const { code, stdout } = await bowline(["install", "acpx", "--dry-run"], { env: { HOME } });
    assert.equal(code, 0);
    assert.match(stdout, /\+ .*"argv"/);
    assert.equal((await bowline(["install", "acpx"], { env: { HOME } })).code, 1);
    assert.deepEqual(readdirSync(HOME), []);
  });

  it("bowline install --undo refuses when the file has changed since, and when nothing was installed", async () => {
    const HOME = home();
    const file = join(HOME, files.jetbrains);
    assert.equal((await bowline(["install", "jetbrains", "--undo"], { env: { HOME } })).code, 1);
    await bowline(["install", "jetbrains", "--yes"], { env: { HOME } });
    const changed = readFileSync(file, "utf8").replace("{", '{ "more": 1,');
    writeFileSync(file, changed);
    const { code, stderr } = await bowline(["install", "jetbrains", "--undo"], { env: { HOME } });
    assert.equal(code, 1);
    assert.match(stderr, /has changed since/);
    assert.equal(readFileSync(file, "utf8"), changed);
  });

  it("bowline install prints lines for Neovim and Emacs, with the program's path in quotes", async () => {
    const nvim = await bowline(["install", "nvim"]);
    for (const plugin of ["codecompanion", "agentic", "avante"]) assert.ok(nvim.stdout.includes(plugin));
    assert.ok(nvim.stdout.includes(JSON.stringify(process.execPath)));
    const emacs = await bowline(["install", "emacs"]);
    assert.match(emacs.stdout, /\(setq agent-shell-anthropic-claude-acp-command '\("/);
    assert.equal((await bowline(["install", "emacs", "--undo"])).code, 1);
  });

  it("bowline install names the clients it knows", async () => {
    const { code, stderr } = await bowline(["install", "vim"]);
    assert.equal(code, 2);
    assert.match(stderr, /install needs one of zed, jetbrains, acpx, nvim, emacs/);
  });
});
