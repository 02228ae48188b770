/**
 * Permit: what runs without a question, and what never does.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { permitOf } from "../../lib/tools/permit.ts";
import { fileVerdict, readRules } from "../../lib/tools/rules.ts";
import { isReadOnly, plainCommands } from "../../lib/tools/shell.ts";

const cwd = "/project";
const isInside = (path: string): boolean => path === cwd || path.startsWith(`${cwd}/`) || !path.startsWith("/");

function permit(
  tool: string,
  subject: string,
  mode = "default",
  rules: readonly string[] = [],
  realPath = subject,
): string {
  const listed = rules.map((one) => {
    const [behavior = "", rule = ""] = one.split(/ (.*)/s);
    return { behavior, rule };
  });
  const path = tool === "Bash" ? undefined : subject;
  const { kind } = permitOf({
    tool,
    input: tool === "Bash" ? { command: subject } : { file_path: subject },
    mode,
    rules: readRules(listed),
    cwd,
    path,
    realPath: path && realPath,
    isInside,
    isPrivate: (one) => one.startsWith("/home/.claude/"),
  });
  return kind;
}

describe("permitOf a file", () => {
  it("lets the model read below the session's directories and asks elsewhere", () => {
    assert.equal(permit("Read", "/project/a"), "allow");
    assert.equal(permit("Read", "/etc/passwd"), "ask");
    assert.equal(permit("Read", "/project/link", "default", [], "/etc/passwd"), "ask", "a link leads out");
    assert.equal(permit("Read", "/project/a", "dontAsk"), "allow");
    assert.equal(permit("Read", "/project/a", "plan"), "allow");
  });

  it("asks before a change, unless edits are accepted", () => {
    for (const tool of ["Write", "Edit", "MultiEdit", "NotebookEdit"]) {
      assert.equal(permit(tool, "/project/a"), "ask");
      assert.equal(permit(tool, "/project/a", "acceptEdits"), "allow");
      assert.equal(permit(tool, "/elsewhere/a", "acceptEdits"), "ask");
      assert.equal(permit(tool, "/project/link", "acceptEdits", [], "/etc/a"), "ask");
      assert.equal(permit(tool, "/project/a", "plan"), "ask");
      assert.equal(permit(tool, "/project/a", "bypassPermissions"), "allow");
      assert.equal(permit(tool, "/project/.git/config", "acceptEdits"), "ask");
      assert.equal(permit(tool, "/project/.claude/settings.json", "acceptEdits"), "ask");
    }
    assert.equal(permit("Write", "/home/.claude/plans/p.md", "plan"), "allow");
    assert.equal(permit("Write", "/home/.claude/projects/p.md", "plan"), "ask");
  });

  it("knows the files that decide what programs do by Windows' paths too", () => {
    const path = "C:\\project\\.git\\config";
    assert.equal(permit("Edit", path, "acceptEdits"), "ask");
    assert.equal(permit("Edit", "C:\\project\\a\\.bashrc", "acceptEdits"), "ask");
    assert.equal(permit("Edit", "C:\\project\\a.git", "acceptEdits"), "allow");
  });

  it("heeds rules for files whose paths are Windows' own", () => {
    const home = "C:\\project";
    const path = "C:\\project\\secrets\\key";
    const denied = (rule: string): string => fileVerdict(readRules([{ behavior: "deny", rule }]), "Read", path, home);
    assert.equal(denied("Read(./secrets/**)"), "deny");
    assert.equal(denied("Read(secrets/*)"), "deny");
    assert.equal(denied("Read(key)"), "deny");
    assert.equal(denied("Read(other/*)"), "silent");
  });

  it("heeds the user's rules, denials first", () => {
    assert.equal(permit("Read", "/project/.env", "default", ["deny Read(.env)"]), "deny");
    assert.equal(permit("Read", "/project/deep/.env", "bypassPermissions", ["deny Read(.env)"]), "deny");
    assert.equal(permit("Read", "/project/secrets/key", "default", ["deny Read(./secrets/**)"]), "deny");
    assert.equal(permit("Read", "/project/link", "default", ["deny Read(./.env)"], "/project/.env"), "deny");
    assert.equal(permit("Edit", "/project/src/a.ts", "default", ["allow Edit(src/**)"]), "allow");
    assert.equal(permit("Write", "/project/src/a.ts", "default", ["allow Edit(/src/**)", "deny Edit(*.ts)"]), "deny");
    assert.equal(permit("Edit", "/project/src/a.ts", "acceptEdits", ["ask Edit(src/*.ts)"]), "ask");
    assert.equal(permit("Read", "/data/x", "default", ["allow Read(//data/**)"]), "allow");
    assert.equal(permit("Edit", "/project/a", "default", ["allow Edit"]), "allow");
    assert.equal(permit("Edit", "/project/a", "plan", ["allow Edit"]), "ask");
  });
});

describe("permitOf a command", () => {
  it("lets look and asks for the rest", () => {
    for (const command of [
      "ls -la src",
      "echo out; echo err >&2",
      "cat a | grep b | wc -l",
      "git status",
      "node --version",
      "ls 2>/dev/null",
      "sleep 1 && pwd",
      "cd src && cat a.ts",
      "find . -name '*.ts'",
      "date -u +%s",
      "basename /a/b",
      "hostname",
      "grep -rn -A3 -fwords.txt src",
    ]) {
      assert.equal(permit("Bash", command), "allow", command);
      assert.equal(permit("Bash", command, "plan"), "allow", command);
    }
    for (const command of [
      "touch a",
      "echo x > a",
      "echo x >> a",
      "ls > a",
      "cat /etc/passwd",
      "cat ../x",
      "echo $(rm a)",
      "echo `rm a`",
      'echo "$(rm a)"',
      "ls & rm a",
      "ls; rm a",
      "ls\nrm a",
      "ls || rm a",
      "cat <(rm a)",
      "sort -o a b",
      "sort -oa b",
      "git log --output=a",
      "rg --pre ./evil x",
      "FOO=1 ls",
      "git -c core.pager=evil log",
      "./evil --version",
      "npm --version",
      "cd && cat .profile",
      "cd; cat .profile",
      "cd - && ls",
      "cd /etc && ls",
      "find . -delete",
      "find . -name a -exec rm b",
      "date -s now",
      "hostname other",
      "printf -v x y",
      "ls ~",
      "grep -f/etc/passwd a",
      "grep -rf/etc/passwd a",
      "grep -f../x a",
      "",
    ]) {
      assert.equal(permit("Bash", command), "ask", JSON.stringify(command));
    }
  });

  it("lets files be made and moved where edits are accepted, and only there", () => {
    assert.equal(permit("Bash", "mkdir -p a && touch a/b", "acceptEdits"), "allow");
    assert.equal(permit("Bash", "rm /etc/x", "acceptEdits"), "ask");
    assert.equal(permit("Bash", "rm ../x", "acceptEdits"), "ask");
    assert.equal(permit("Bash", "npm test", "acceptEdits"), "ask");
  });

  it("heeds the user's rules: all parts have to be allowed, none may be denied", () => {
    const rules = ["allow Bash(npm test:*)", "allow Bash(make)"];
    assert.equal(permit("Bash", "npm test", "default", rules), "allow");
    assert.equal(permit("Bash", "npm test -- a", "default", rules), "allow");
    assert.equal(permit("Bash", "npm tester", "default", rules), "ask");
    assert.equal(permit("Bash", "npm test && make", "default", rules), "allow");
    assert.equal(permit("Bash", "npm test && ls", "default", rules), "allow");
    assert.equal(permit("Bash", "npm test && rm a", "default", rules), "ask");
    assert.equal(permit("Bash", "npm test $(rm a)", "default", rules), "ask");
    assert.equal(permit("Bash", "ls; curl x", "bypassPermissions", ["deny Bash(curl:*)"]), "deny");
    assert.equal(permit("Bash", "echo $(x); curl y", "default", ["deny Bash(curl *)"]), "deny");
    assert.equal(permit("Bash", "anything at all", "default", ["allow Bash"]), "allow");
    assert.equal(permit("Bash", "ls", "default", ["ask Bash(ls:*)"]), "ask");
  });
});

describe("plainCommands", () => {
  it("splits what is plain and gives up on the rest", () => {
    assert.deepEqual(plainCommands("a 'b; c' && d | e"), ["a 'b; c'", "d", "e"]);
    assert.equal(plainCommands("a 'b"), undefined);
    assert.equal(plainCommands("a $B"), undefined);
    for (const line of ["for i in a; do rm x; done", "if true; then rm x; fi", "while true; do ls; done"]) {
      assert.equal(plainCommands(line), undefined, line);
    }
    assert.ok(!isReadOnly("   ", () => true));
  });
});
