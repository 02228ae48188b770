/**
 * Every check of the doctor, passing and failing, on machines set up for it.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, mkdtempSync, realpathSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { after, describe, it } from "node:test";
import { verdict } from "../../../lib/program/commands/doctor.ts";
import type { CheckResult } from "../../../lib/program/doctor/check-outcome.ts";
import { runChecks, type DoctorContext } from "../../../lib/program/doctor/doctor.ts";
import { programArgs } from "../../support/built-program.ts";

const scratch = mkdtempSync(join(realpathSync(tmpdir()), "bowline-doctor-spec-"));
after(() => rmSync(scratch, { recursive: true, force: true }));

/** An agent that answers `initialize` only. */
const answering = `process.stdin.once("data", (line) => console.log(JSON.stringify({ jsonrpc: "2.0", id: JSON.parse(line).id,
  result: { protocolVersion: 1, agentInfo: { name: "bowline", version: "9.9.9" } } })))`;

/** Checks whose result depends on the load and the processes of the machine. */
const machineWide = new Set(["processes", "initialize"]);
let count = 0;

/** A machine on which every check passes, with changes. */
function machine(
  claude: string | null = cli("2.1.325 (Claude Code)", '{"loggedIn": true, "authMethod": "api_key"}'),
): DoctorContext {
  const home = join(scratch, `home-${++count}`);
  const [bin, temporary] = [join(home, "bin"), join(home, "tmp")];
  for (const directory of [bin, temporary, join(home, ".claude")]) mkdirSync(directory, { recursive: true });
  if (claude !== null) writeFileSync(join(bin, "claude"), claude, { mode: 0o755 });
  return {
    env: { HOME: home, PATH: [bin, "/usr/bin", "/bin"].join(delimiter), ANTHROPIC_API_KEY: "sk-secret" },
    nodeVersion: "20.1.0",
    program: [process.execPath, "-e", answering],
    variables: ["BOWLINE_CLAUDE", "BOWLINE_PREWARM", "BOWLINE_ROUTE"],
    temporary,
    limitMs: 5000,
  };
}

function cli(version: string, status: string, code = 0): string {
  return `#!/bin/sh\ncase "$1" in --version) echo '${version}';; *) echo '${status}'; exit ${code};; esac\n`;
}

/** What the CLI of a user of a plan prints, with a key in its environment and without. */
const keyOrPlan = `'"{\\"loggedIn\\": true, \\"authMethod\\": \\"$([ "$ANTHROPIC_API_KEY" ] && echo api_key || echo claude.ai)\\"}"'`;

/** The machine with a Codex on PATH, by default one that is signed in. */
function withCodex(context: DoctorContext, codex = signedInCodex): DoctorContext {
  writeFileSync(join(context.env["HOME"] ?? "", "bin", "codex"), codex, { mode: 0o755 });
  return context;
}

const signedInCodex =
  "#!/bin/sh\ncase \"$1\" in --version) echo codex-cli 0.166.0;; *) echo 'Logged in using an API key - sk-proj***1234' >&2;; esac\n";

async function sign(environment: DoctorContext, name: string): Promise<CheckResult | undefined> {
  return (await runChecks(environment)).find((one) => one.name === name);
}

describe("runChecks", () => {
  it("every check passes on a machine with nothing wrong", async () => {
    const environment = machine();
    const signs = await runChecks(environment);
    assert.deepEqual(
      signs.filter(({ status, name }) => status !== "ok" && !machineWide.has(name)),
      [],
    );
    const says = new Map(signs.map((one) => [one.name, one.says]));
    assert.equal(says.get("claude"), `${environment.env["HOME"]}/bin/claude (found by PATH)`);
    assert.match(says.get("version") ?? "", /^2\.1\.325; Bowline is tested with this version$/);
    assert.equal(says.get("sign-in"), "signed in (api_key)");
    assert.match(says.get("initialize") ?? "", /^bowline 9\.9\.9 answered after \d+ ms/);
  });

  it("a CLI that is newer or older than the tested one is described and passes", async () => {
    const newer = await sign(machine(cli("9.9.9", '{"loggedIn":true}')), "version");
    assert.deepEqual(newer, {
      name: "version",
      status: "ok",
      says: "9.9.9; the newest version that Bowline was tested with is 2.1.325",
    });
    const older = await sign(machine(cli("2.1.250", '{"loggedIn":true}')), "version");
    assert.equal(older?.says, "2.1.250; supported, as is every version from 2.1.197 on");
  });

  it("the last line of the report says how many checks fail and what to do next", () => {
    const told = (...statuses: CheckResult["status"][]): string => verdict(statuses.map((status) => ({ status })));
    assert.equal(told("ok", "ok"), "No problems were found.");
    assert.equal(told("ok", "warn"), "1 warning, no failures: Bowline can be used.");
    assert.match(told("fail", "ok"), /^1 check fails\. .*run bowline doctor again\.$/);
    assert.match(told("fail", "fail", "warn", "warn"), /^2 checks fail, 2 warnings\. /);
  });

  it("every failed check says what to do", async () => {
    const failing: readonly (readonly [name: string, environment: DoctorContext, says: RegExp])[] = [
      ["node", { ...machine(), nodeVersion: "18.20.0" }, /^18\.20\.0 is too old$/],
      ["claude", withEnv({ BOWLINE_CLAUDE: "/nowhere/claude" }), /^BOWLINE_CLAUDE names a file that does not exist/],
      ["version", machine(cli("2.0.1", "{}")), /is 2\.0\.1$/],
      ["version", machine(cli("hello", "{}")), /is not the Claude CLI$/],
      ["version", machine("#!/bin/sh\nexit 3\n"), /--version failed \(exit code 3\)$/],
      ["sign-in", machine(cli("2.1.325", '{"loggedIn":false,"authMethod":"none"}', 1)), /^not signed in$/],
      ["temporary", { ...machine(), temporary: join(scratch, "none") }, /none does not exist$/],
      ["initialize", { ...machine(), program: [process.execPath, "-e", ""] }, /^the agent did not answer: .*code 0$/],
      ["initialize", { ...machine(), program: ["cat"], limitMs: 100 }, /^the agent did not answer: /],
      ["initialize", { ...machine(), program: ["/nowhere"] }, /^the agent did not answer: .*could not start/],
    ];
    for (const [name, environment, says] of failing) {
      const found = await sign(environment, name);
      assert.equal(found?.status, "fail", name);
      assert.match(found.says, says);
      assert.match(found.advice ?? "", /^[a-z0-9].{5,}[^.]$/, name);
    }
  });

  it("Codex has a section of its own: place, version, configuration, home and sign-in", async () => {
    const environment = withCodex(machine());
    const signs = await runChecks(environment);
    const home = join(environment.env["HOME"] ?? "", ".codex");
    const found = signs.filter(({ name }) => name.startsWith("codex"));
    assert.deepEqual(
      found.map(({ name, status, says }) => [name, status, says]),
      [
        ["codex", "ok", `${environment.env["HOME"]}/bin/codex (found by PATH)`],
        ["codex version", "ok", "0.166.0"],
        ["codex config", "ok", `${home}/config.toml does not exist; Codex uses its defaults`],
        ["codex home", "ok", `${home}: Codex makes it when it is first used`],
        ["codex sign-in", "ok", "signed in (an API key)"],
      ],
    );
    assert.ok(!JSON.stringify(signs).includes("sk-"), "no part of a key");
  });

  it("with only one CLI installed, bowline doctor names the other in a remark, also when neither route is named", async () => {
    const noCodex = await sign(machine(), "codex");
    assert.deepEqual([noCodex?.status, noCodex?.advice], ["ok", undefined]);
    assert.match(noCodex?.says ?? "", /^not installed; to use it, install it with `npm install -g @openai\/codex`/);
    const noClaude = await runChecks(withCodex(machine(null)));
    assert.equal(noClaude.find(({ name }) => name === "claude")?.status, "ok");
    assert.match(noClaude.find(({ name }) => name === "claude")?.says ?? "", /^not installed; to use it, /);
    assert.deepEqual(
      noClaude.filter(({ status }) => status === "fail"),
      [],
    );
    const neither = await sign(machine(null), "claude");
    assert.equal(neither?.status, "fail");
  });

  it("a Codex that is needed fails its checks, and one that is not needed warns", async () => {
    const signedOut =
      "#!/bin/sh\ncase \"$1\" in --version) echo codex-cli 0.166.0;; *) echo 'Not logged in' >&2; exit 1;; esac\n";
    const both = withCodex(machine(), signedOut);
    const needed = { ...both, env: { ...both.env, BOWLINE_ROUTE: "codex" } };
    assert.equal((await sign(both, "codex sign-in"))?.status, "warn");
    const failing = await sign(needed, "codex sign-in");
    assert.equal(failing?.status, "fail");
    assert.match(failing.advice ?? "", /^run bowline login --route codex/);
    const config = join(both.env["HOME"] ?? "", ".codex");
    mkdirSync(config);
    writeFileSync(join(config, "config.toml"), 'model_provider = "mine"\n[model_providers.mine]\nname = "Mine"\n');
    const own = await sign(needed, "codex sign-in");
    assert.deepEqual([own?.status, own?.says], ["ok", "not signed in; config.toml names the provider mine"]);
    const missing = await sign(withEnv({ BOWLINE_ROUTE: "codex" }), "codex");
    assert.deepEqual([missing?.status, missing?.says], ["fail", "the Codex CLI was not found"]);
    const wrong = await sign(withEnv({ CODEX_EXECUTABLE: "/nowhere/codex" }), "codex");
    assert.equal(wrong?.status, "fail");
    const broken = await sign(withCodex(machine(), "#!/bin/sh\nexit 3\n"), "codex version");
    assert.match(broken?.says ?? "", /--version failed \(exit code 3\)$/);
  });

  it("without a CLI the version and the sign-in are not checked", async () => {
    const names = (await runChecks(withEnv({ BOWLINE_CLAUDE: "/nowhere/claude" }))).map((one) => one.name);
    assert.ok(!names.includes("version") && !names.includes("sign-in") && names.includes("initialize"));
  });

  it("settings that may be intended give a warning instead of a failure", async () => {
    const two = machine();
    const other = join(two.env["HOME"] ?? "", "other");
    mkdirSync(other);
    writeFileSync(join(other, "claude"), cli("2.1.300", "{}"), { mode: 0o755 });
    const warned: readonly (readonly [name: string, environment: DoctorContext, says: RegExp, advice: RegExp])[] = [
      ["sign-in", machine(cli("2.1.325", "who knows")), /does not say/, /claude auth status/],
      [
        "sign-in",
        machine(cli("2.1.325", keyOrPlan)),
        /ANTHROPIC_API_KEY pays, not the plan/,
        /unset ANTHROPIC_API_KEY/,
      ],
      [
        "variables",
        withEnv({ BOWLINE_PREWRAM: "0" }),
        /^BOWLINE_PREWRAM is not a variable of Bowline$/,
        /^did you mean BOWLINE_PREWARM\?$/,
      ],
      [
        "variables",
        withEnv({ BOWLINE_COLOUR_OF_SKY: "0" }),
        /^BOWLINE_COLOUR_OF_SKY is not a variable of Bowline$/,
        /--help/,
      ],
      ["PATH", withEnv({ PATH: "bin::/usr/bin:/bin" }), /^2 entries are empty or relative/, /absolute/],
      [
        "PATH",
        { ...two, env: { ...two.env, PATH: `${two.env["PATH"]}:${other}` } },
        /other\/claude: hidden by/,
        /BOWLINE_CLAUDE/,
      ],
    ];
    for (const [name, environment, says, advice] of warned) {
      const found = await sign(environment, name);
      assert.equal(found?.status, "warn", name);
      assert.match(found.says, says);
      assert.match(found.advice ?? "", advice);
    }
  });

  it("directories that only the login shell has are named, with the variable that adds them", async () => {
    const environment = machine();
    const shell = join(environment.env["HOME"] ?? "", "bin", "shell");
    writeFileSync(shell, '#!/bin/sh\nexport PATH=/opt/only-here/bin:$PATH\neval "$4"\n', { mode: 0o755 });
    const env = { ...environment.env, SHELL: shell };
    const missing = await sign({ ...environment, env }, "PATH");
    assert.equal(missing?.status, "warn");
    assert.match(missing?.says ?? "", /^your login shell has \/opt\/only-here\/bin, and PATH here lacks it/);
    assert.match(missing?.advice ?? "", /BOWLINE_SHELL_ENV=1/);
    const added = await sign({ ...environment, env: { ...env, BOWLINE_SHELL_ENV: "1" } }, "PATH");
    assert.equal(added?.status, "ok");
  });

  it("a symbolic link to the same CLI on PATH is no second CLI", async () => {
    const environment = machine();
    const again = `${environment.env["PATH"]}:${environment.env["HOME"]}/bin`;
    assert.equal((await sign({ ...environment, env: { ...environment.env, PATH: again } }, "PATH"))?.status, "ok");
  });

  it("a missing config directory passes, and one that is not writable fails", async (t) => {
    const environment = machine();
    const config = join(environment.env["HOME"] ?? "", ".claude");
    rmSync(config, { recursive: true });
    assert.equal((await sign(environment, "config"))?.status, "ok");
    mkdirSync(config);
    chmodSync(config, 0o500);
    if (process.getuid?.() === 0) return t.skip("root may write everywhere");
    assert.equal((await sign(environment, "config"))?.status, "fail");
  });

  it("private files of earlier runs are reported, but not those of a run that has just started", async () => {
    const environment = machine();
    const run = join(environment.env["HOME"] ?? "", ".local", "state", "bowline", "run");
    mkdirSync(run, { recursive: true });
    const [old, fresh, others, used] = ["bowline-aB3_x9", "bowline-Zz0000", "bowline-notes", "bowline-rElay1"].map(
      (name) => {
        const path = join(run, name);
        mkdirSync(path);
        return path;
      },
    );
    writeFileSync(join(used ?? "", "socket"), "");
    const older = join(environment.temporary ?? "", "bowline-check-aB3_x9");
    mkdirSync(older);
    for (const path of [old, others, used, older]) utimesSync(path ?? "", 1, 1);
    const found = await sign(environment, "files");
    assert.equal(found?.status, "warn");
    assert.equal(found.advice, `remove them: rm -r ${older} ${old}`);
    assert.ok(!found.advice.includes(fresh ?? "?"));
  });

  it(
    "processes left by earlier runs are named without their arguments",
    { skip: process.platform !== "linux" },
    async () => {
      const left = spawn("sleep", ["61"], { env: { ...process.env, BOWLINE_RUN: "of-a-spec" }, stdio: "ignore" });
      await new Promise((resolve) => left.once("spawn", resolve));
      const found = await sign(machine(), "processes");
      left.kill("SIGKILL");
      assert.equal(found?.status, "warn");
      assert.match(found.says, new RegExp(`sleep \\(${left.pid}\\)`));
      assert.ok(!found.says.includes("61 ") && found.advice?.includes(String(left.pid)));
    },
  );

  it("no check reports the value of a variable", async () => {
    const env = { BOWLINE_PREWRAM: "hunter2", BOWLINE_CLAUDE: "/hunter2x/claude", BOWLINE_PREWARM: "hunter2" };
    const told = JSON.stringify(await runChecks(withEnv(env)));
    assert.ok(!told.includes("sk-secret") && !told.includes("hunter2"));
  });
});

function withEnv(env: Readonly<Record<string, string>>): DoctorContext {
  const environment = machine();
  return { ...environment, env: { ...environment.env, ...env } };
}

describe("bowline doctor", () => {
  it("bowline doctor prints a table or JSON with the home directory as ~, and exits with 1 when a check fails", () => {
    const { env } = machine();
    const run = (environment: NodeJS.ProcessEnv, ...words: readonly string[]) => {
      const args = [...programArgs, "doctor", ...words];
      return spawnSync(process.execPath, args, { env: environment, encoding: "utf8", timeout: 60_000 });
    };
    const well = run(env, "--json");
    const report = JSON.parse(well.stdout);
    assert.deepEqual([well.status, well.stderr, report.isWell], [0, "", true]);
    assert.ok(!well.stdout.includes(env["HOME"] ?? "?") && well.stdout.includes("~/bin/claude"));
    const unwell = run({ ...env, BOWLINE_CLAUDE: "/nowhere" });
    assert.equal(unwell.status, 1);
    assert.match(unwell.stdout, /^bowline \S+ on \S+ \S+\n\nok {4}bowline {8}\d.*\nok {4}node {11}\d/);
    assert.match(unwell.stdout, /^fail {2}claude .*\n {21}set it to the path of the Claude CLI.*\n/m);
  });
});
