/**
 * Completion scripts, tested by what the real shells offer.
 *
 * The tests of a shell that is not installed are skipped.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { commands } from "../../../lib/program/program.ts";
import { bowline } from "../../support/program/fake-terminal.ts";

const scratch = mkdtempSync(join(realpathSync(tmpdir()), "bowline-completion-"));
after(() => rmSync(scratch, { recursive: true, force: true }));
mkdirSync(join(scratch, "a directory"));
writeFileSync(join(scratch, "a file.json"), "");

const names = commands.map(({ name }) => name);

/** A line as typed so far, and what the shell offers for its last word. */
interface Case {
  readonly typed: string;
  readonly offers: readonly string[];
}

const cases: readonly Case[] = [
  { typed: "bowline doc", offers: ["doctor"] },
  { typed: "bowline help doc", offers: ["doctor"] },
  { typed: "bowline check --no", offers: ["--no-prompt"] },
  { typed: "bowline completion f", offers: ["fish"] },
  { typed: "bowline zed --settings a\\ f", offers: ["a file.json"] },
  { typed: "bowline zed --registry a\\ ", offers: ["a directory/"] },
  { typed: "bowline check --only ini", offers: ["initialize"] },
  { typed: "bowline --leg", offers: ["--legacy"] },
  { typed: "bowline check --prompt ", offers: [] },
];

function installed(shell: string): { readonly skip: string | false } {
  const { error } = spawnSync(shell, ["-c", "true"]);
  return { skip: error === undefined ? false : `${shell} is not installed` };
}

async function script(shell: string): Promise<string> {
  const { code, stdout } = await bowline(["completion", shell]);
  assert.equal(code, 0);
  const path = join(scratch, `bowline.${shell}`);
  writeFileSync(path, stdout);
  return path;
}

function run(shell: string, args: readonly string[], input?: string): string {
  const env = { PATH: process.env["PATH"], HOME: scratch, TERM: "dumb", LANG: "C.UTF-8" };
  const result = spawnSync(shell, args, { cwd: scratch, env, input, encoding: "utf8", timeout: 30_000 });
  assert.equal(result.stderr, "", shell);
  return result.stdout;
}

describe("bowline completion bash", installed("bash"), () => {
  const words = async (typed: readonly string[]): Promise<readonly string[]> => {
    const list = typed.map((word) => `'${word}'`).join(" ");
    const ask = `source '${await script("bash")}'; COMP_WORDS=(${list}); COMP_CWORD=${typed.length - 1}; _bowline; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return run("bash", ["--norc", "-c", ask])
      .split("\n")
      .filter((word) => word !== "");
  };

  it("bash offers commands, options and their values", async () => {
    for (const { typed, offers } of cases) {
      const split = typed
        .replaceAll("\\ ", "\0")
        .split(" ")
        .map((word) => word.replaceAll("\0", " "));
      // Bash itself adds the slash to a directory.
      assert.deepEqual(
        await words(split),
        offers.map((word) => word.replace(/\/$/, "")),
        typed,
      );
    }
  });

  it("bash offers every command, and every option of each", async () => {
    assert.deepEqual(await words(["bowline", ""]), [...names, "help", "--help", "--version"]);
    for (const one of commands) {
      assert.deepEqual(await words(["bowline", one.name, "--"]), [...Object.keys(one.options), "--help"]);
    }
  });

  it("bash completes --option=value, and completes a program after -- as that program", async () => {
    assert.ok((await words(["bowline", "zed", "--settings", "="])).includes("a file.json"));
    assert.deepEqual(await words(["bowline", "zed", "--settings", "=", "a f"]), ["a file.json"]);
    assert.ok((await words(["bowline", "check", "--", "bas"])).includes("bash"));
    assert.deepEqual(await words(["bowline", "check", "--", "node", "a f"]), ["a file.json"]);
  });
});

describe("bowline completion fish", installed("fish"), () => {
  it("fish offers commands, options and their values", async () => {
    const path = await script("fish");
    for (const { typed, offers } of cases) {
      const ask = `source ${path}; complete -C ${JSON.stringify(typed)}`;
      const told = run("fish", ["--no-config", "-c", ask])
        .split("\n")
        .filter((line) => line !== "");
      assert.deepEqual(
        told.map((line) => line.split("\t")[0]),
        offers,
        typed,
      );
    }
  });

  it("fish shows the summary of each command", async () => {
    const told = run("fish", ["--no-config", "-c", `source ${await script("fish")}; complete -C "bowline "`]);
    for (const { name, summary } of commands) assert.ok(told.includes(`${name}\t${summary}\n`), name);
  });
});

describe("bowline completion zsh", installed("zsh"), () => {
  /** Types into a real zsh, presses Tab and reads the completed line. */
  async function completed(typed: string): Promise<string> {
    const path = await script("zsh");
    const play = `
      zmodload zsh/zpty
      zpty -b shell zsh -f -i
      zpty -w shell "PS1= RPS1= TERM=dumb; unsetopt zle_bracketed_paste; autoload -Uz compinit; compinit -D -u"
      zpty -w shell "source ${path}; zle -N tell; tell() { print -r -- \\"<\\$BUFFER>\\"; BUFFER=; }; bindkey '^T' tell; print -r -- REA\\DY"
      zpty -r -m shell said "*READY*" || print -u2 no start
      zpty -w -n shell $'${typed.replaceAll("\\", "\\\\")}\\t\\x14'
      zpty -r -m shell said "*<*>*" || print -u2 no answer
      print -r -- "$said"
      zpty -d shell`;
    return /<(.*?) ?>/s.exec(run("zsh", ["-f", "-c", play]))?.[1] ?? "";
  }

  it("zsh completes commands, options and their values", async () => {
    for (const { typed, offers } of cases.filter((one) => one.offers.length === 1)) {
      const [offer = ""] = offers;
      const start = typed.slice(0, typed.replaceAll("\\ ", "__").lastIndexOf(" ") + 1);
      assert.equal(await completed(typed), start + offer.replaceAll(" ", "\\ "), typed);
    }
  });
});

describe("bowline completion", () => {
  it("bowline completion knows bash, zsh and fish, and refuses other shells", async () => {
    for (const words of [["completion"], ["completion", "powershell"], ["completion", "bash", "zsh"]]) {
      assert.equal((await bowline(words)).code, 2, words.join(" "));
    }
  });
});
