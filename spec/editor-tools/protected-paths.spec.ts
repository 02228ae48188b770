/**
 * File names that may not be written without asking the user.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isBelow, isBelowAndUnprotected } from "../../lib/editor-tools/protected-paths.ts";

/** The CLI's own list (2.1.325): files, and directories with all that is in them. */
const protectedByCli = [
  ".gitconfig .gitmodules .bashrc .bash_profile .zshrc .zprofile .profile .zshenv .zlogin .zlogout .bash_login",
  ".bash_aliases .bash_logout .envrc .ripgreprc .mcp.json .claude.json .npmrc .yarnrc .yarnrc.yml .pnp.cjs",
  ".pnp.loader.mjs .pnpmfile.cjs bunfig.toml .bunfig.toml .bazelrc .bazelversion .bazeliskrc",
  ".pre-commit-config.yaml lefthook.yml .lefthook.yml lefthook.yaml .lefthook.yaml gradle-wrapper.properties",
  "maven-wrapper.properties .devcontainer.json pyrightconfig.json",
  ".git/config .vscode/x .idea/x .claude/x .husky/x .cargo/x .devcontainer/x .yarn/x .mvn/x .config/git/x",
].flatMap((line) => line.split(" "));

const spellings: readonly ((name: string) => string)[] = [
  (name) => name,
  (name) => name.toUpperCase(),
  (name) => `${name}.`,
  (name) => `${name} `,
  (name) => `${name}...`,
  (name) => `${name}::$DATA`,
  (name) => `\u200d${name}`,
  (name) => name.replace("i", "\u0131"),
  (name) => name.replace("s", "\u017f"),
  (name) => name.replace("k", "\u212a"),
  (name) => name.replaceAll(/[a-z]/g, (letter) => String.fromCodePoint(letter.charCodeAt(0) + 0xfee0)),
];

describe("isBelowAndUnprotected", () => {
  it("every name that the CLI protects is protected, at any depth and in any spelling", () => {
    for (const name of protectedByCli) {
      for (const spell of spellings) {
        for (const place of ["/p/", "/p/src/deep/"]) {
          const path = place + name.split("/").map(spell).join("/");
          assert.equal(isBelowAndUnprotected(path, "/p"), false, JSON.stringify(path));
        }
      }
    }
  });

  it("short names of git directories, bare repositories and unusual names are protected", () => {
    for (const name of [
      "git~1/config",
      "GIT~1/hooks/x",
      "assets/HEAD",
      "a:b",
      "x.PRN",
      "aux",
      "nul.txt",
      "COM1",
      "-rf",
      "a\u0000b",
      "a\nb",
      "a\u202eb",
      "a b",
    ]) {
      assert.equal(isBelowAndUnprotected(`/p/${name}`, "/p"), false, JSON.stringify(name));
    }
  });

  it("ordinary files of a project are not protected", () => {
    for (const name of [
      "a.txt",
      "src/greet.ts",
      "docs/Grüße.md",
      "test/日本.txt",
      "[id]/page.tsx",
      "a(1).txt",
      "(group)/@modal/x",
    ]) {
      assert.equal(isBelowAndUnprotected(`/p/${name}`, "/p"), true, name);
    }
  });

  it("isBelowAndUnprotected is false for a path outside the directory", () => {
    for (const path of ["/p", "/", "/px/a", "/p/../q/a", "/q/a"]) assert.equal(isBelow(path, "/p"), false, path);
    assert.equal(isBelow("/p/a", "/p"), true);
    assert.equal(isBelow("/p/..a", "/p"), true);
    assert.equal(isBelow("/a", "/"), true);
  });

  it("isBelowAndUnprotected protects everything below a session directory that itself lies in a protected directory", () => {
    const roots = [
      "/h/.claude",
      "/p/.git",
      "/p/.git/hooks",
      "/p/.GIT.",
      "/p/.vscode",
      "/p/.husky",
      "/h/.config/git",
      "/p/.claude/agents",
    ];
    for (const root of roots) assert.equal(isBelowAndUnprotected(`${root}/a.json`, root), false, root);
    for (const root of ["/h/.ssh-work", "/p/.claude/worktrees/w", "/h/.config/nvim"]) {
      assert.equal(isBelowAndUnprotected(`${root}/a.json`, root), true, root);
    }
  });
});
