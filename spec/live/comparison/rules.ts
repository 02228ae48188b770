/**
 * Permission rules and hooks to compare, each with calls that match it and calls that try to evade it.
 *
 * A text in `calls` is a shell command; a pair is a tool and a path. The same safety holds as for the
 * commands: every call may run for real.
 */
import type { JsonObject } from "../../support/json.ts";
import type { ComparedCall, Kind, SettingsFile, ToolInput, ToolName } from "./call.ts";

interface RuleSet {
  readonly permissions?: JsonObject;
  readonly hooks?: JsonObject;
  /** Where the settings are written. Default: the user's settings if they grant something, else the project's. */
  readonly at?: SettingsFile["path"];
  readonly calls: readonly (string | readonly [tool: ToolName, path: string])[];
  /** A subagent makes the calls. */
  readonly isFromSubagent?: boolean;
}

const teeSpellings: readonly string[] = [
  "tee out.txt",
  "tee\tout.txt",
  "tee  out.txt",
  " tee out.txt",
  "'tee' out.txt",
  "t'e'e out.txt",
  "\\tee out.txt",
  "t\\ee out.txt",
  '"tee" out.txt',
  "$'tee' out.txt",
  "FOO=1 tee out.txt",
  "FOO=1 BAR=2 tee out.txt",
  "(tee out.txt)",
  "$(tee out.txt)",
  "`tee out.txt`",
  "echo $(tee out.txt)",
  "if true; then tee out.txt; fi",
  "for i in 1; do tee out.txt; done",
  "{ tee out.txt; }",
  "! tee out.txt",
  "time tee out.txt",
  "env tee out.txt",
  "env FOO=1 tee out.txt",
  "nohup tee out.txt",
  "nice tee out.txt",
  "nice -n 5 tee out.txt",
  "timeout 5 tee out.txt",
  "timeout -k 1 5 tee out.txt",
  "stdbuf -o0 tee out.txt",
  "setsid tee out.txt",
  "command tee out.txt",
  "exec tee out.txt",
  "builtin tee out.txt",
  "eval tee out.txt",
  "bash -c 'tee out.txt'",
  "sh -c 'tee out.txt'",
  "/usr/bin/tee out.txt",
  "../../../../../../usr/bin/tee out.txt",
  "tee<in.txt out.txt",
  "<in.txt tee out.txt",
  ">out2.txt tee out.txt",
  "tee>out2.txt out.txt",
  "ls | tee out.txt",
  "ls|tee out.txt",
  "ls && tee out.txt",
  "ls; tee out.txt",
  "ls\ntee out.txt",
  "ls & tee out.txt",
  "true || tee out.txt",
  "tee out.txt &",
  "echo out.txt | xargs tee",
  "xargs tee < in.txt",
  "find a.txt -exec tee out.txt \\;",
  "f() { tee out.txt; }; f",
  "a=tee; $a out.txt",
  "{tee,out.txt}",
  "te? out.txt",
  "tee",
  "teehee out.txt",
  "echo tee",
  "echo 'tee out.txt'",
  "# tee out.txt",
  "cat <(tee out.txt)",
  "tee\\\n out.txt",
  "tee out.txt # x",
  "case x in x) tee out.txt;; esac",
  "while tee out.txt; do break; done",
  "coproc tee out.txt",
  "trap 'tee out.txt < in.txt' EXIT",
];

const envReaders: readonly string[] = [
  "cat .env",
  "cat ./.env",
  "cat .//.env",
  "cat '.env'",
  'cat ".env"',
  'cat .e"nv"',
  "cat .en?",
  "cat .e*",
  "cat .{env,x}",
  "cat {project}/.env",
  "cat src/../.env",
  "cat envlink",
  "head .env",
  "tail .env",
  "grep K .env",
  "grep -r KEY .",
  "base64 .env",
  "od -c .env",
  "sort .env",
  "cat < .env",
  "cat 0<.env",
  "cat a.txt .env",
  "cp .env out.txt",
  "diff a.txt .env",
  "wc .env",
  "sed -n p .env",
  "awk 1 .env",
  "while read l; do echo $l; done < .env",
  'echo "$(<.env)"',
  "cat .ENV",
  "cat .env.local",
  "git diff --no-index a.txt .env",
  "cd src && cat ../.env",
  "find . -name .env",
  "stat .env",
  "ls .env",
  "mv .env out.txt",
  "tar cf - .env",
  "xxd .env",
  "strings .env",
  "nl .env",
  "cat $'.env'",
  "cat $HOME/../project/.env",
  "source .env",
  ". ./.env",
  "python3 -c 'print(open(\".env\").read())'",
];

const reads = (...paths: readonly string[]): readonly (readonly [ToolName, string])[] =>
  paths.map((path) => ["Read", path] as const);
const writes = (...paths: readonly string[]): readonly (readonly [ToolName, string])[] =>
  paths.map((path) => ["Write", path] as const);

const ruleSets: Readonly<Record<string, RuleSet>> = {
  "deny Bash(tee:*)": { permissions: { deny: ["Bash(tee:*)"] }, calls: teeSpellings },
  "deny Bash(tee *)": { permissions: { deny: ["Bash(tee *)"] }, calls: teeSpellings.slice(0, 20) },
  "deny Bash(tee out.txt)": {
    permissions: { deny: ["Bash(tee out.txt)"] },
    calls: ["tee out.txt", "tee  out.txt", "tee out.txt ", "tee 'out.txt'", "tee ./out.txt", "tee out.txt; ls"],
  },
  "deny Bash(*tee*)": {
    permissions: { deny: ["Bash(*tee*)"] },
    calls: ["tee out.txt", "echo tee", "te'e' out.txt", "ls | tee out.txt", "ls"],
  },
  "deny Bash": { permissions: { deny: ["Bash"] }, calls: ["ls", "echo x", "touch out.txt"] },
  "deny Bash(*)": { permissions: { deny: ["Bash(*)"] }, calls: ["ls", "echo x"] },
  "deny Bash(ls:*)": {
    permissions: { deny: ["Bash(ls:*)"] },
    calls: [
      "ls",
      "ls -la",
      "'ls'",
      "l''s",
      "ls|cat",
      "cat a.txt; ls",
      "lsblk",
      "echo $(ls)",
      "time ls",
      "FOO=1 ls",
      "/bin/ls",
      "env ls",
      "cd src && ls",
    ],
  },
  "deny Bash(cat .env)": {
    permissions: { deny: ["Bash(cat .env)"] },
    calls: ["cat .env", "cat ./.env", "cat  .env", "cat '.env'", "cat .env | head", "head .env"],
  },
  "deny Bash(git push:*)": {
    permissions: { deny: ["Bash(git push:*)"] },
    calls: [
      "git push",
      "git push x",
      "git  push",
      "git 'push'",
      "git pu'sh'",
      "git -C . push",
      "git -c a.b=c push",
      "git --no-pager push",
      "GIT_DIR=.git git push",
      "ls && git push",
      "git pushx",
      "git status",
    ],
  },
  "ask Bash(git push:*) beside allow Bash(git:*)": {
    permissions: { ask: ["Bash(git push:*)"], allow: ["Bash(git:*)"] },
    calls: [
      "git push",
      "git  push",
      "git 'push'",
      "git pu'sh'",
      "git push x",
      "git -C . push",
      "git commit -m x --allow-empty",
      "git status",
      "gitk",
      "git; ./x.sh",
      "git add . && ./x.sh",
      "FOO=1 git push",
      "time git push",
      "(git push)",
    ],
  },
  "ask Bash(ls:*)": {
    permissions: { ask: ["Bash(ls:*)"] },
    calls: [
      "ls",
      "ls -la",
      "'ls'",
      "ls | cat",
      "cat a.txt; ls",
      "time ls",
      "FOO=1 ls",
      "lsblk",
      "(ls)",
      "echo $(ls)",
      "l''s",
    ],
  },
  "ask Bash": { permissions: { ask: ["Bash"] }, calls: ["ls", "echo x"] },
  "ask Bash(*)": { permissions: { ask: ["Bash(*)"] }, calls: ["ls", "echo x"] },
  "allow Bash(ls *)": {
    permissions: { allow: ["Bash(ls *)"] },
    calls: [
      "ls -la",
      "ls",
      "lsblk",
      "lsns",
      "ls; ./x.sh",
      "ls && ./x.sh",
      "ls $(./x.sh)",
      "ls > out.txt",
      "ls {outside}",
      "ls link",
      "ls -la\n./x.sh",
      "ls\t-la",
    ],
  },
  "allow Bash(ls:*)": {
    permissions: { allow: ["Bash(ls:*)"] },
    calls: ["ls -la", "lsblk", "lsns", "ls; ./x.sh", "ls | ./x.sh", "ls `./x.sh`", "ls {outside}", "ls > out.txt"],
  },
  "allow Bash(./foo *)": {
    permissions: { allow: ["Bash(./foo *)"] },
    calls: ["./foo", "./foo x", "./foo-evil", "./foo-evil x", "./foo; ./x.sh"],
  },
  "allow Bash(./foo:*)": {
    permissions: { allow: ["Bash(./foo:*)"] },
    calls: ["./foo", "./foo x", "./foo-evil", "./foo-evil x"],
  },
  "allow Bash(./foo*)": {
    permissions: { allow: ["Bash(./foo*)"] },
    calls: ["./foo", "./foo-evil", "./foo-evil x; ./x.sh"],
  },
  "allow Bash(./x.sh)": {
    permissions: { allow: ["Bash(./x.sh)"] },
    calls: [
      "./x.sh",
      "./x.sh a",
      "./x.sh; ls",
      "./x.sh; ./evil.sh",
      "./x.sh && ./evil.sh",
      "./x.sh\n./evil.sh",
      " ./x.sh",
      "./x.sh > out.txt",
      "FOO=1 ./x.sh",
      "PATH=4 ./x.sh",
      "LD_PRELOAD=x ./x.sh",
      "time ./x.sh",
      "./x.sh &",
      "(./x.sh)",
      "$(./x.sh)",
      "cd src && ./x.sh",
      "./x.sh # y",
      "./evil.sh # ./x.sh",
    ],
  },
  "allow Bash(./x.sh:*)": {
    permissions: { allow: ["Bash(./x.sh:*)"] },
    calls: [
      "./x.sh a",
      "./x.sh; ./evil.sh",
      "./x.sh a | ./evil.sh",
      "./x.sh a & ./evil.sh",
      "./x.sh a || ./evil.sh",
      "./x.sh $(./evil.sh)",
      "./x.sh <(./evil.sh)",
      "./x.sh a > .git/hooks/x",
      "./x.sh\n./evil.sh",
      "./x.sh\\\n; ./evil.sh",
      "timeout 5 ./x.sh",
      "nohup ./x.sh",
      "env ./x.sh",
      "xargs ./x.sh < a.txt",
      "./x.shx",
    ],
  },
  "allow Bash(npm run test:*)": {
    permissions: { allow: ["Bash(npm run test:*)"] },
    calls: [
      "npm run test",
      "npm run test -- x",
      "npm run test:x",
      "npm run testx",
      "npm test",
      "npm run  test",
      "npm run test; ./x.sh",
    ],
  },
  "allow Bash(* --version)": {
    permissions: { allow: ["Bash(* --version)"] },
    calls: [
      "./x.sh --version",
      "node --version",
      "./x.sh; ls --version",
      "./x.sh && ls --version",
      "touch out.txt --version",
    ],
  },
  "allow Bash(git * main)": {
    permissions: { allow: ["Bash(git * main)"] },
    calls: [
      "git checkout main",
      "git branch x main",
      "git -c core.fsmonitor=./x.sh status main",
      "git status; ./x.sh main",
      "git push origin main",
    ],
  },
  "allow Bash(find . -name '*.tmp' -delete)": {
    permissions: { allow: ["Bash(find . -name '*.tmp' -delete)"] },
    calls: [
      "find . -name '*.tmp' -delete",
      "find . -name '' -exec ./x.sh '.tmp' -delete",
      "find . -name 'a.tmp' -delete",
      "find . -delete",
    ],
  },
  "allow Bash(node -e '1*2')": {
    permissions: { allow: ["Bash(node -e '1*2')"] },
    calls: ["node -e '1*2'", "node -e '1;2'", "node -e '1+1;2'"],
  },
  "allow Bash(echo:*)": {
    permissions: { allow: ["Bash(echo:*)"] },
    calls: [
      "echo x > out.txt",
      "echo x > {outside}/out.txt",
      "echo x > .git/hooks/x",
      "echo $(./x.sh)",
      "echo x | sh",
      "echo x > link/out.txt",
      "echo x >> homelink",
    ],
  },
  "allow Bash(cat:*)": {
    permissions: { allow: ["Bash(cat:*)"] },
    calls: [
      "cat link/secret.txt",
      "cat {outside}/secret.txt",
      "cat .env",
      "cat a.txt > out.txt",
      "cat a.txt | tee out.txt",
      "cat ~/.ssh/id_rsa",
    ],
  },
  "allow Bash(cd:*) and Bash(git status:*)": {
    permissions: { allow: ["Bash(cd:*)", "Bash(git status:*)"] },
    calls: [
      "cd assets && git status",
      "cd src && git status",
      "cd {outside}/repo && git status",
      "git status",
      "cd link",
    ],
  },
  "allow Bash": {
    permissions: { allow: ["Bash"] },
    calls: ["./x.sh", "touch out.txt", "rm -rf src", "echo x > {outside}/out.txt", "cp a.txt .git/hooks/x", "rm -rf ~"],
  },
  "allow Bash, Read and Edit in the project's settings": {
    at: "project/.claude/settings.json",
    permissions: { allow: ["Bash", "Read", "Edit"], additionalDirectories: ["{outside}/added"] },
    calls: [
      "./x.sh",
      "touch out.txt",
      ...reads("{outside}/secret.txt", "{outside}/added/file.txt"),
      ...writes("{project}/new.txt", "{outside}/added/new.txt"),
    ],
  },
  "allow Bash, Read and Edit in the project's local settings": {
    at: "project/.claude/settings.local.json",
    permissions: { allow: ["Bash", "Read", "Edit"], additionalDirectories: ["{outside}/added"] },
    calls: [
      "./x.sh",
      "touch out.txt",
      ...reads("{outside}/secret.txt", "{outside}/added/file.txt"),
      ...writes("{project}/new.txt", "{outside}/added/new.txt"),
    ],
  },
  "allow Bash(*)": {
    permissions: { allow: ["Bash(*)"] },
    calls: ["./x.sh", "touch out.txt", "echo x > {outside}/out.txt"],
  },
  "allow Bash deny Bash(./x.sh:*)": {
    permissions: { allow: ["Bash"], deny: ["Bash(./x.sh:*)"] },
    calls: [
      "./x.sh",
      "./x.sh a",
      "'./x.sh'",
      ".//x.sh",
      "{project}/x.sh",
      "sh ./x.sh",
      "FOO=1 ./x.sh",
      "ls; ./x.sh",
      "(./x.sh)",
      "time ./x.sh",
      "env ./x.sh",
      "./evil.sh",
      "$(./x.sh)",
      "if ./x.sh; then ls; fi",
      "./x.sh<a.txt",
      "a=./x.sh; $a",
      "./x.s?",
      "xargs ./x.sh < a.txt",
      "find a.txt -exec ./x.sh \\;",
    ],
  },
  "allow Bash(rm:*)": {
    permissions: { allow: ["Bash(rm:*)"] },
    calls: [
      "rm a.txt",
      "rm -rf .git",
      "rm -rf ~",
      "rm -rf $HOME",
      "rm -rf {project}",
      "rm {outside}/secret.txt",
      "rm link/secret.txt",
      "rm -rf *",
    ],
  },
  "deny Read(./.env)": {
    permissions: { deny: ["Read(./.env)"] },
    calls: [
      ...envReaders,
      ...reads(
        "{project}/.env",
        ".env",
        "./.env",
        "{project}//.env",
        "{project}/src/../.env",
        "{project}/envlink",
        "{project}/.ENV",
        "{project}/.env.local",
        "{project}/.env/",
      ),
      ...writes("{project}/.env"),
    ],
  },
  "deny Read(.env)": {
    permissions: { deny: ["Read(.env)"] },
    calls: ["cat .env", "cat envlink", ...reads("{project}/.env", "{project}/envlink", "{project}/src/.env")],
  },
  "deny Read(**/.env*)": {
    permissions: { deny: ["Read(**/.env*)"] },
    calls: [
      "cat .env",
      "cat .env.local",
      "grep K .env.local",
      "cat .env?local",
      "cp .env.local x",
      ...reads("{project}/.env", "{project}/.env.local", "{project}/envlink"),
    ],
  },
  "deny Read(./secret/**)": {
    permissions: { deny: ["Read(./secret/**)"] },
    calls: [
      "cat secret/key",
      "cat secret/deep/er/key",
      "cd secret && cat key",
      "cd secret; cat key",
      "cat secretlink/key",
      "cat secret/*",
      "cat s*/key",
      "grep -r S secret",
      "grep -r SECRET .",
      "find secret",
      "ls secret",
      "head -c 99 secret/key",
      "cat ./secret//key",
      "cat SECRET/key",
      "tar cf - secret",
      "cp -r secret out",
      "wc -c secret/key",
      "cat < secret/key",
      ...reads(
        "{project}/secret/key",
        "{project}/secret/deep/er/key",
        "{project}/secretlink/key",
        "{project}/Secret/key",
        "{project}/src/../secret/key",
        "{project}/secret",
      ),
      ...writes("{project}/secret/new"),
    ],
  },
  "deny Read(secret)": {
    permissions: { deny: ["Read(secret)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key", "{project}/secretlink/key")],
  },
  "deny Read(/secret/**)": {
    permissions: { deny: ["Read(/secret/**)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key", "{project}/secret/deep/er/key")],
  },
  "deny Read(//{project}/secret/**)": {
    permissions: { deny: ["Read(/{project}/secret/**)"] },
    calls: [
      "cat secret/key",
      "cat secretlink/key",
      ...reads("{project}/secret/key", "{project}/secretlink/key", "{project}/secret/deep/er/key"),
    ],
  },
  "deny Read(///{project}/secret/**)": {
    permissions: { deny: ["Read(//{project}/secret/**)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key")],
  },
  "deny Read(./secret/[k]ey)": {
    permissions: { deny: ["Read(./secret/[k]ey)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key")],
  },
  "deny Read(.//secret/key)": {
    permissions: { deny: ["Read(.//secret/key)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key")],
  },
  "deny Read(secret\\/key)": {
    permissions: { deny: ["Read(secret\\/key)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key")],
  },
  "deny Read(./SECRET/**)": {
    permissions: { deny: ["Read(./SECRET/**)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key")],
  },
  "deny Read(./secret/ke?)": {
    permissions: { deny: ["Read(./secret/ke?)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key")],
  },
  "deny Read(./secret/)": {
    permissions: { deny: ["Read(./secret/)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key", "{project}/secret/deep/er/key")],
  },
  "deny Read(./secret/*)": {
    permissions: { deny: ["Read(./secret/*)"] },
    calls: ["cat secret/key", ...reads("{project}/secret/key", "{project}/secret/deep/er/key")],
  },
  "deny Read(key)": {
    permissions: { deny: ["Read(key)"] },
    calls: [
      "cat secret/key",
      "cat secret/deep/er/key",
      ...reads("{project}/secret/key", "{project}/secret/deep/er/key"),
    ],
  },
  "deny Read(!key)": {
    permissions: { deny: ["Read(!key)"] },
    calls: [...reads("{project}/secret/key", "{project}/hello.txt")],
  },
  "deny Read(*)": {
    permissions: { deny: ["Read(*)"] },
    calls: ["cat hello.txt", "ls", ...reads("{project}/hello.txt")],
  },
  "deny Read(**)": {
    permissions: { deny: ["Read(**)"] },
    calls: ["cat hello.txt", ...reads("{project}/hello.txt", "{project}/src/main.ts")],
  },
  "deny Read": {
    permissions: { deny: ["Read"] },
    calls: ["cat hello.txt", "ls", ...reads("{project}/hello.txt"), ...writes("{project}/new.txt")],
  },
  "deny Read(~/.ssh/**)": {
    permissions: { deny: ["Read(~/.ssh/**)"] },
    calls: [
      "cat ~/.ssh/id_rsa",
      "cat {home}/.ssh/id_rsa",
      "cat homedir/.ssh/id_rsa",
      "cd homedir && cat .ssh/id_rsa",
      ...reads("{home}/.ssh/id_rsa", "~/.ssh/id_rsa", "{project}/homedir/.ssh/id_rsa"),
    ],
  },
  "deny Read(~/.ssh/**) in the user's settings": {
    at: "home/.claude/settings.json",
    permissions: { deny: ["Read(~/.ssh/**)", "Read(./.env)"] },
    calls: ["cat ~/.ssh/id_rsa", "cat .env", ...reads("{home}/.ssh/id_rsa", "{project}/.env")],
  },
  "deny Read(//etc/**)": {
    permissions: { deny: ["Read(//etc/**)"] },
    calls: [
      "cat /etc/hostname",
      "cat etclink/hostname",
      ...reads("/etc/hostname", "{project}/etclink/hostname", "/etc/../etc/hostname", "/proc/self/root/etc/hostname"),
    ],
  },
  "deny Read(./link/**)": {
    permissions: { deny: ["Read(./link/**)"] },
    calls: [
      "cat link/secret.txt",
      "cat filelink",
      ...reads("{project}/link/secret.txt", "{project}/filelink", "{outside}/secret.txt"),
    ],
  },
  "deny Read of the link's target": {
    permissions: { deny: ["Read(/{outside}/**)"] },
    calls: [
      "cat link/secret.txt",
      "cat filelink",
      ...reads("{project}/link/secret.txt", "{project}/filelink", "{outside}/secret.txt", "{project}/chain/secret.txt"),
    ],
  },
  "ask Read(./.env)": {
    permissions: { ask: ["Read(./.env)"] },
    calls: [
      "cat .env",
      "head .env",
      "cat envlink",
      ...reads("{project}/.env", "{project}/envlink", "{project}/src/../.env"),
    ],
  },
  "ask Read(./secret/**)": {
    permissions: { ask: ["Read(./secret/**)"] },
    calls: ["cat secret/key", "cd secret && cat key", ...reads("{project}/secret/key", "{project}/secretlink/key")],
  },
  "ask Read": { permissions: { ask: ["Read"] }, calls: ["cat hello.txt", ...reads("{project}/hello.txt")] },
  "allow Read(//{outside}/**)": {
    permissions: { allow: ["Read(/{outside}/**)"] },
    calls: [
      "cat link/secret.txt",
      "cat {outside}/secret.txt",
      ...reads("{outside}/secret.txt", "{project}/link/secret.txt", "{home}/.profile"),
      ...writes("{outside}/new.txt"),
    ],
  },
  "allow Read(~/notes.md)": {
    permissions: { allow: ["Read(~/notes.md)"] },
    calls: [
      "cat ~/notes.md",
      "cat ~/.profile",
      ...reads("{home}/notes.md", "{home}/.profile", "~/notes.md", "{home}/notes.md/../.profile"),
    ],
  },
  "allow Read": {
    permissions: { allow: ["Read"] },
    calls: ["cat {outside}/secret.txt", ...reads("{outside}/secret.txt", "{home}/.ssh/id_rsa", "/etc/hostname")],
  },
  "allow Read deny Read(./.env)": {
    permissions: { allow: ["Read"], deny: ["Read(./.env)"] },
    calls: ["cat .env", ...reads("{project}/.env", "{project}/envlink", "{outside}/secret.txt")],
  },
  "allow Read ask Read(./.env)": {
    permissions: { allow: ["Read", "Bash(cat:*)"], ask: ["Read(./.env)"] },
    calls: ["cat .env", "cat envlink", ...reads("{project}/.env", "{project}/envlink")],
  },
  "deny Edit(./src/**)": {
    permissions: { deny: ["Edit(./src/**)"] },
    calls: [
      "touch src/new.ts",
      "echo x > src/new.ts",
      "cp a.txt src/new.ts",
      "rm src/main.ts",
      "cd src && touch new.ts",
      "sed -i s/a/b/ src/main.ts",
      "touch inlink/new.ts",
      ...writes(
        "{project}/src/new.ts",
        "{project}/inlink/new.ts",
        "{project}/Src/new.ts",
        "{project}/src/../src/new.ts",
        "{project}/new.txt",
      ),
      ...reads("{project}/src/main.ts"),
    ],
  },
  "deny Write(./src/**)": {
    permissions: { deny: ["Write(./src/**)"] },
    calls: ["touch src/new.ts", ...writes("{project}/src/new.ts", "{project}/new.txt")],
  },
  "deny Edit": {
    permissions: { deny: ["Edit"] },
    calls: ["touch new.txt", "sed -i s/a/b/ a.txt", ...writes("{project}/new.txt")],
  },
  "deny Write": { permissions: { deny: ["Write"] }, calls: ["touch new.txt", ...writes("{project}/new.txt")] },
  "deny Edit(*.ts)": {
    permissions: { deny: ["Edit(*.ts)"] },
    calls: [
      "touch src/new.ts",
      ...writes("{project}/src/new.ts", "{project}/new.ts", "{project}/new.txt", "{project}/new.TS"),
    ],
  },
  "deny Edit(.env*)": {
    permissions: { deny: ["Edit(.env*)"] },
    calls: ["echo x > .env.new", ...writes("{project}/.env.new", "{project}/src/.env.new")],
  },
  "deny Edit(app/(auth)/**)": {
    permissions: { deny: ["Edit(app/(auth)/**)"] },
    calls: writes("{project}/app/(auth)/page.tsx", "{project}/app/page.tsx"),
  },
  "deny Edit(app/\\(auth\\)/**)": {
    permissions: { deny: ["Edit(app/\\(auth\\)/**)"] },
    calls: writes("{project}/app/(auth)/page.tsx"),
  },
  "deny Edit((auth).txt)": {
    permissions: { deny: ["Edit((auth).txt)"] },
    calls: writes("{project}/(auth).txt"),
  },
  "deny Edit(app/[slug]/**)": {
    permissions: { deny: ["Edit(app/[slug]/**)"] },
    calls: writes("{project}/app/[slug]/page.tsx", "{project}/app/s/page.tsx"),
  },
  "deny Edit(n\\.txt)": {
    permissions: { deny: ["Edit(n\\.txt)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Edit(src\\/new.ts)": {
    permissions: { deny: ["Edit(src\\/new.ts)"] },
    calls: writes("{project}/src/new.ts"),
  },
  "deny Edit(n.txt )": {
    permissions: { deny: ["Edit(n.txt )"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Edit( n.txt)": {
    permissions: { deny: ["Edit( n.txt)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Edit(n.txt\t)": {
    permissions: { deny: ["Edit(n.txt\t)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Edit(inlink/**)": {
    permissions: { deny: ["Edit(inlink/**)"] },
    calls: writes("{project}/src/new.ts", "{project}/inlink/new.ts"),
  },
  "deny Edit(/{project}/inlink/**)": {
    permissions: { deny: ["Edit(/{project}/inlink/**)"] },
    calls: writes("{project}/src/new.ts", "{project}/inlink/new.ts"),
  },
  "deny Write(content:w*)": {
    permissions: { deny: ["Write(content:w*)"] },
    calls: writes("{project}/new.txt"),
  },
  "deny Edit(file_path:n.txt)": {
    permissions: { deny: ["Edit(file_path:n.txt)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Edit(!m.txt)": {
    permissions: { deny: ["Edit(!m.txt)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Edit({n,m}.txt)": {
    permissions: { deny: ["Edit({n,m}.txt)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Edit(../project/**)": {
    permissions: { deny: ["Edit(../project/**)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny MultiEdit(n.txt)": {
    permissions: { deny: ["MultiEdit(n.txt)"] },
    calls: writes("{project}/n.txt"),
  },
  "deny Wri*": {
    permissions: { deny: ["Wri*"] },
    calls: writes("{project}/n.txt"),
  },
  "deny mcp__*": {
    permissions: { deny: ["mcp__*"] },
    calls: writes("{project}/n.txt"),
  },
  "a subagent": { calls: writes("{project}/new.txt", "{project}/.git/hooks/x"), isFromSubagent: true },
  "a subagent, deny Edit(app/(auth)/**)": {
    permissions: { deny: ["Edit(app/(auth)/**)"] },
    calls: writes("{project}/app/(auth)/page.tsx"),
    isFromSubagent: true,
  },
  "ask Edit(./src/**)": {
    permissions: { ask: ["Edit(./src/**)"] },
    calls: ["touch src/new.ts", ...writes("{project}/src/new.ts", "{project}/inlink/new.ts", "{project}/new.txt")],
  },
  "ask Write": { permissions: { ask: ["Write"] }, calls: [...writes("{project}/new.txt", "{project}/src/new.ts")] },
  "allow Edit(./src/**)": {
    permissions: { allow: ["Edit(./src/**)"] },
    calls: [
      "touch src/new.ts",
      "touch new.txt",
      "cp a.txt src/new.ts",
      "touch src/up/new.txt",
      ...writes(
        "{project}/src/new.ts",
        "{project}/new.txt",
        "{project}/src/up/new.txt",
        "{project}/src/../new.txt",
        "{project}/src/.git/hooks/x",
        "{project}/src/.claude/settings.json",
        "{project}/src/.bashrc",
        "{project}/src/.mcp.json",
        "{project}/Src/new.ts",
      ),
    ],
  },
  "allow Write(./src/**)": {
    permissions: { allow: ["Write(./src/**)"] },
    calls: [...writes("{project}/src/new.ts", "{project}/new.txt")],
  },
  "allow Edit": {
    permissions: { allow: ["Edit"] },
    calls: [
      "touch new.txt",
      "cp a.txt .git/hooks/x",
      ...writes(
        "{project}/new.txt",
        "{project}/.git/hooks/x",
        "{project}/.claude/settings.json",
        "{project}/.mcp.json",
        "{project}/.bashrc",
        "{outside}/new.txt",
        "{project}/link/new.txt",
        "{project}/dangling",
        "{home}/.zshenv",
        "{project}/.npmrc",
        "{project}/.vscode/tasks.json",
      ),
    ],
  },
  "allow Write": {
    permissions: { allow: ["Write"] },
    calls: [
      ...writes("{project}/new.txt", "{project}/.git/hooks/x", "{outside}/new.txt", "{project}/.claude/settings.json"),
    ],
  },
  "allow Edit(~/**)": {
    permissions: { allow: ["Edit(~/**)"] },
    calls: [...writes("{home}/new.txt", "{home}/.zshenv", "{home}/.claude/settings.json", "{project}/new.txt")],
  },
  "allow Edit(//{outside}/**)": {
    permissions: { allow: ["Edit(/{outside}/**)"] },
    calls: [
      "touch {outside}/new.txt",
      "touch link/new.txt",
      ...writes("{outside}/new.txt", "{project}/link/new.txt", "{outside}/back/new.txt", "{outside}/../home/new.txt"),
    ],
  },
  "allow Edit(.claude/**)": {
    permissions: { allow: ["Edit(.claude/**)"] },
    calls: [
      ...writes(
        "{project}/.claude/settings.local.json",
        "{project}/.claude/commands/x.md",
        "{project}/.claude/new.txt",
      ),
    ],
  },
  "an added directory": {
    permissions: { additionalDirectories: ["{outside}/added"] },
    calls: [
      "cat {outside}/added/file.txt",
      "cat link/added/file.txt",
      "cat {outside}/secret.txt",
      "touch {outside}/added/new.txt",
      "ls {outside}/added",
      "cd {outside}/added && ls",
      "cd {outside}/added && cat ../secret.txt",
      "cat {outside}/added/../secret.txt",
      ...reads(
        "{outside}/added/file.txt",
        "{outside}/secret.txt",
        "{project}/link/added/file.txt",
        "{outside}/added/../secret.txt",
      ),
      ...writes(
        "{outside}/added/new.txt",
        "{outside}/new.txt",
        "{outside}/added/.git/hooks/x",
        "{outside}/added/.claude/settings.json",
      ),
    ],
  },
  "the default mode acceptEdits in the settings": {
    permissions: { defaultMode: "acceptEdits" },
    calls: ["touch new.txt", ...writes("{project}/new.txt")],
  },
  "the default mode bypassPermissions in the settings": {
    permissions: { defaultMode: "bypassPermissions" },
    calls: ["touch new.txt", ...writes("{project}/new.txt", "{outside}/new.txt")],
  },
  "a hook denies by JSON": {
    hooks: hook("*", { permissionDecision: "deny", permissionDecisionReason: "no" }),
    calls: sampleCalls(),
  },
  "a hook asks by JSON": {
    hooks: hook("*", { permissionDecision: "ask", permissionDecisionReason: "really" }),
    calls: sampleCalls(),
  },
  "a hook allows by JSON": { hooks: hook("*", { permissionDecision: "allow" }), calls: sampleCalls() },
  "a hook asks about Bash": { hooks: hook("Bash", { permissionDecision: "ask" }), calls: sampleCalls() },
  "a hook asks about Read": { hooks: hook("Read", { permissionDecision: "ask" }), calls: sampleCalls() },
  "a hook asks about Write": { hooks: hook("Write|Edit", { permissionDecision: "ask" }), calls: sampleCalls() },
  "a hook denies Bash": { hooks: hook("Bash", { permissionDecision: "deny" }), calls: sampleCalls() },
  "a hook denies Read": { hooks: hook("Read", { permissionDecision: "deny" }), calls: sampleCalls() },
  "a hook denies Write": { hooks: hook("Write|Edit", { permissionDecision: "deny" }), calls: sampleCalls() },
  "a hook ends with 2": { hooks: commandHook("*", "echo no >&2; exit 2"), calls: sampleCalls() },
  "a hook ends with 1": { hooks: commandHook("*", "echo no >&2; exit 1"), calls: sampleCalls() },
  "a hook stops the turn": {
    hooks: commandHook("*", `echo '${JSON.stringify({ continue: false, stopReason: "stop" })}'`),
    calls: sampleCalls(),
  },
  "a hook blocks the old way": {
    hooks: commandHook("*", `echo '${JSON.stringify({ decision: "block", reason: "no" })}'`),
    calls: sampleCalls(),
  },
  "a hook changes the command": {
    hooks: hook("Bash", { permissionDecision: "allow", updatedInput: { command: "echo changed" } }),
    calls: ["ls", "touch out.txt"],
  },
  "a hook allows what a rule denies": {
    permissions: { deny: ["Bash(touch:*)", "Read(./.env)", "Edit(./src/**)"] },
    hooks: hook("*", { permissionDecision: "allow" }),
    calls: ["touch out.txt", "cat .env", ...reads("{project}/.env"), ...writes("{project}/src/new.ts")],
  },
  "a hook asks about what a rule allows": {
    permissions: { allow: ["Bash", "Read", "Edit"] },
    hooks: hook("*", { permissionDecision: "ask" }),
    calls: sampleCalls(),
  },
  "a hook denies what a rule allows": {
    permissions: { allow: ["Bash", "Read", "Edit"] },
    hooks: hook("*", { permissionDecision: "deny" }),
    calls: sampleCalls(),
  },
};

const kind: Kind = "rules";

export function ruleCalls(): readonly ComparedCall[] {
  return Object.entries(ruleSets).flatMap(([name, { permissions, hooks, at, calls, isFromSubagent }]) => {
    const content = { ...(permissions && { permissions }), ...(hooks && { hooks }) };
    const settings: readonly SettingsFile[] = [{ path: at ?? usualPlace(permissions), content }];
    return calls.map((one): ComparedCall => {
      const called = toolInput(one);
      const target = called.input["command"] ?? called.input["file_path"] ?? "";
      const id = `${name}: ${called.tool} ${target}`;
      return { kind, group: name, id, ...called, before: [], settings, isFromSubagent };
    });
  });
}

/** The CLI does not trust a project that the user has not trusted: what its settings allow is still asked about. */
function usualPlace(permissions: JsonObject = {}): SettingsFile["path"] {
  const isGrant = "allow" in permissions || "additionalDirectories" in permissions;
  return isGrant ? "home/.claude/settings.json" : "project/.claude/settings.json";
}

function toolInput(one: string | readonly [tool: ToolName, path: string]): ToolInput {
  if (typeof one === "string") return { tool: "Bash", input: { command: one } };
  const [tool, file_path] = one;
  return { tool, input: tool === "Write" ? { file_path, content: "written\n" } : { file_path } };
}

/** One call that would run without asking and one that would not, for each tool. */
function sampleCalls(): RuleSet["calls"] {
  return [
    "ls",
    "touch out.txt",
    ["Read", "{project}/hello.txt"],
    ["Read", "{outside}/secret.txt"],
    ["Write", "{project}/new.txt"],
    ["Write", "{project}/.git/hooks/x"],
  ];
}

function hook(matcher: string, decision: JsonObject): JsonObject {
  const output = JSON.stringify({ hookSpecificOutput: { hookEventName: "PreToolUse", ...decision } });
  return commandHook(matcher, `echo '${output}'`);
}

function commandHook(matcher: string, command: string): JsonObject {
  return { PreToolUse: [{ matcher, hooks: [{ type: "command", command }] }] };
}
