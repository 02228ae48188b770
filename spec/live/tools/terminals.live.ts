/**
 * Live specs of the option `commands`: commands run in the editor's terminals, with live
 * output, every kind of end, and no leftover processes.
 */
import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import { describe, it } from "node:test";
import { AcpClient, fullCapabilities } from "../../support/live/client/acp-client.ts";
import { promptTexts, toolResultTexts } from "../../support/live/api/api-request.ts";
import { inSession, type PlayOptions, type SessionDriver } from "../../support/live/with-agent.ts";
import { at } from "../../support/json.ts";
import { mcpCommand } from "../../support/live/mcp-server.ts";
import { waitUntil } from "../../support/processes.ts";
import { answer, call, say } from "../../support/live/api/model-script.ts";
import { withEnvironment } from "../../support/live/live-environment.ts";
import { transcript } from "../../support/live/client/shown-transcript.ts";

const inTerminals: PlayOptions = { env: { BOWLINE_COMMANDS: "1" } };

function helper(prompt: string): ReturnType<typeof call> {
  return call("Agent", { description: "Help", prompt, subagent_type: "general-purpose", run_in_background: false });
}

function told({ api }: SessionDriver, script: string): readonly string[] {
  return toolResultTexts(api.requestsOf(script).at(-1) ?? assert.fail("no request"));
}

/** The user's own settings of the CLI. */
function writeSettings({ home }: SessionDriver["place"], settings: object): void {
  mkdirSync(join(home, ".claude"), { recursive: true });
  writeFileSync(join(home, ".claude", "settings.json"), JSON.stringify(settings));
}

async function isGone({ place }: SessionDriver, command: string): Promise<void> {
  const isIt = (entry: { readonly command: string }): boolean => entry.command.includes(command);
  const alive = await waitUntil(place.root, (all) => !all.some(isIt));
  assert.deepEqual(alive.filter(isIt), []);
}

function areReleased({ client }: SessionDriver): void {
  for (const [id, { isReleased }] of client.editor.terminals.all) assert.ok(isReleased, `${id} is released`);
}

describe("a command in the editor's terminal", () => {
  it("a command in the editor's terminal is shown as that terminal; the model gets its output and how it ended", () =>
    inSession(
      {
        bash: [
          answer(call("Bash", { command: "echo out; echo err >&2", description: "Print" })),
          answer(call("Bash", { command: "touch a.txt && exit 3", description: "Fail" })),
          answer(say("Ran.")),
        ],
      },
      async (driver) => {
        const { client, place, tell, cwd } = driver;
        assert.deepEqual(await tell("[[bash]] go"), [
          "calls execute echo out; echo err >&2",
          "completed echo out; echo err >&2 · (terminal)",
          "calls execute touch a.txt && exit 3",
          'asks touch a.txt && exit 3 · Fail [Allow | Always allow "touch a.txt" and "exit 3" in this session | Reject | Never allow this command in this session | Reject and tell Claude why]',
          "failed touch a.txt && exit 3 · (terminal)",
          "says Ran.",
          "answers end_turn",
        ]);
        assert.deepEqual(told(driver, "bash"), ["out\nerr", "Exit code 3"]);
        assert.equal(place.read("a.txt"), "");
        const { all } = client.editor.terminals;
        assert.deepEqual(
          [...all.values()].map(({ request }) => [basename(request.command).replace(/-\w{8}$/, ""), request.cwd]),
          [
            ["echo-out-echo-err-2", cwd],
            ["touch-a-txt-exit-3", cwd],
          ],
        );
        assert.deepEqual(
          [...all.values()].map(({ output, exitStatus }) => [output, exitStatus?.exitCode]),
          [
            ["out\nerr\n", 0],
            ["", 3],
          ],
        );
        areReleased(driver);
      },
      inTerminals,
    ));

  it("a command in the editor's terminal is visible while it runs", () =>
    inSession(
      {
        slow: [
          answer(call("Bash", { command: "echo first; while [ ! -e go ]; do sleep 0.05; done; echo last" })),
          answer(say("Ran.")),
        ],
      },
      async (driver) => {
        const { client, place, tell } = driver;
        const running = tell("[[slow]] go");
        const shown = await client.waitFor((one) => at(one, "content.0.type") === "terminal");
        const id = String(at(shown, "update.content.0.terminalId"));
        const terminal = client.editor.terminals.all.get(id) ?? assert.fail("an unknown terminal");
        while (!terminal.output.includes("first")) await new Promise((go) => setTimeout(go, 20));
        assert.ok(!terminal.output.includes("last"));
        place.write("go", "");
        assert.equal((await running).at(-1), "answers end_turn");
        assert.deepEqual(told(driver, "slow"), ["first\nlast"]);
      },
      inTerminals,
    ));

  it("a command in the editor's terminal has the CLI's own limits of output and time", () =>
    inSession(
      {
        much: [
          answer(call("Bash", { command: "seq 1 20000" })),
          answer(call("Bash", { command: "echo early; sleep 481", timeout: 1000 })),
          answer(say("Ran.")),
        ],
      },
      async (driver) => {
        await driver.tell("[[much]] go");
        const [much = "", late = ""] = told(driver, "much");
        assert.match(much, /Output too large/);
        assert.match(late, /timeout|timed out|background/i);
        const [first] = driver.client.editor.terminals.all.values();
        assert.ok(first?.output.endsWith("\n20000\n"), "the terminal shows all of it");
        await driver.client.request("session/close", { sessionId: driver.sessionId });
        areReleased(driver);
      },
      inTerminals,
    ));

  it("a command in the editor's terminal ends with the turn that is cancelled", () =>
    inSession(
      {
        slow: [answer(call("Bash", { command: "echo on; sleep 482" })), answer(say("Never."))],
        talk: [answer(say("Hi."))],
      },
      async (driver) => {
        const { client, sessionId, tell } = driver;
        client.editor.usual = "allow";
        const running = tell("[[slow]] go");
        await client.waitFor((one) => at(one, "content.0.type") === "terminal");
        await client.cancel(sessionId);
        assert.deepEqual((await running).slice(-2), ["failed echo on; sleep 482 · (terminal)", "answers cancelled"]);
        const [terminal] = client.editor.terminals.all.values();
        await terminal?.exited;
        assert.deepEqual(await tell("[[talk]] hi"), ["says Hi.", "answers end_turn"]);
        await isGone(driver, "sleep 482");
        areReleased(driver);
      },
      inTerminals,
    ));

  it("a command goes on in the background in a terminal of its call, and is stopped by the CLI's own tool", () =>
    inSession(
      {
        back: [
          answer(call("Bash", { command: "echo begun; sleep 483", run_in_background: true })),
          (request) => {
            const [, id = ""] = /ID: (\w+)/.exec(toolResultTexts(request).at(-1) ?? "") ?? [];
            return answer(call("TaskStop", { task_id: id }));
          },
          answer(call("Bash", { command: "sleep 484", run_in_background: true })),
          answer(say("Done.")),
        ],
      },
      async (driver) => {
        const { client, tell, sessionId } = driver;
        await tell("[[back]] go");
        assert.match(told(driver, "back")[1] ?? "", /stopped/i);
        await client.waitFor((one) => at(one, "content.0.type") === "terminal");
        await client.request("session/close", { sessionId });
        await isGone(driver, "sleep 483");
        await isGone(driver, "sleep 484");
        areReleased(driver);
      },
      inTerminals,
    ));

  it("a command in the editor's terminal needs the same permissions as the CLI's own: once when allowed for good, and none in don't ask", () =>
    inSession(
      {
        twice: [
          answer(call("Bash", { command: "node one.js" })),
          answer(call("Bash", { command: "node one.js" })),
          answer(call("Bash", { command: "node two.js" })),
          answer(say("Done.")),
        ],
        never: [
          answer(call("Bash", { command: "echo hi" })),
          answer(call("Bash", { command: "touch three.txt" })),
          answer(say("Done.")),
        ],
      },
      async (driver) => {
        const { client, tell, sessionId } = driver;
        client.editor.permissionAnswers.push("always", "reject");
        const seen = await tell("[[twice]] go");
        assert.equal(seen.filter((line) => line.startsWith("asks")).length, 2);
        assert.equal(client.editor.terminals.all.size, 2);
        await client.request("session/set_mode", { sessionId, modeId: "dontAsk" });
        const quiet = await tell("[[never]] go");
        assert.equal(quiet.filter((line) => line.startsWith("asks")).length, 0);
        assert.equal(client.editor.terminals.all.size, 3, "only the one that looks has run");
      },
      inTerminals,
    ));

  it("a command needs no terminal of ours in an editor that shows those of the CLI", () =>
    inSession(
      { bash: [answer(call("Bash", { command: "echo out" })), answer(say("Ran."))] },
      async ({ client, tell, sessionId }) => {
        assert.equal((await tell("[[bash]] go"))[1], "completed echo out · (terminal)");
        assert.doesNotMatch(JSON.stringify(client.updatesOf(sessionId)), /terminal_info|terminal_output/);
      },
      { ...inTerminals, capabilities: { ...fullCapabilities, _meta: { terminal_output: true } } },
    ));

  it("a command is the CLI's own without a terminal to run it in", () =>
    inSession(
      { bash: [answer(call("Bash", { command: "echo out" })), answer(say("Ran."))] },
      async ({ tell }) => {
        assert.equal((await tell("[[bash]] go"))[1], "completed echo out · ```console\nout\n```");
      },
      { ...inTerminals, capabilities: { ...fullCapabilities, terminal: false } },
    ));

  it("a command begins in the directory where the last successful one ended, as the CLI's own does", async () => {
    const told: (readonly string[])[] = [];
    for (const isOn of ["0", "1"]) {
      await inSession(
        {
          sub: [
            answer(call("Bash", { command: "pwd; cd deep" })),
            answer(call("Bash", { command: "pwd" })),
            answer(say("Report.")),
          ],
          move: [
            answer(call("Bash", { command: "mkdir -p sub/deep && cd sub" })),
            answer(call("Bash", { command: "pwd" })),
            answer(call("Bash", { command: "cd deep; false" })),
            answer(call("Bash", { command: "cd deep; exit 3" })),
            answer(call("Bash", { command: "pwd; (cd deep)" })),
            answer(helper("[[sub]] go")),
            answer(call("Bash", { command: "pwd; cd /" })),
            answer(call("Bash", { command: "pwd" })),
            answer(call("Bash", { command: "cd sub/deep" })),
            answer(call("Read", { file_path: "nowhere.txt" })),
            answer(say("Moved.")),
          ],
          later: [answer(call("Bash", { command: "pwd" })), answer(say("Still there."))],
        },
        async ({ api, tell, cwd }) => {
          await tell("[[move]] go");
          await tell("[[later]] go");
          const texts = ["move", "sub", "later"].flatMap((name) =>
            toolResultTexts(api.requestsOf(name).at(-1) ?? assert.fail("no request")),
          );
          told.push(texts.filter((text) => !text.includes("Subagent")).map((text) => text.replaceAll(cwd, "~")));
        },
        { env: { BOWLINE_COMMANDS: isOn, BOWLINE_EDITS: isOn } },
      );
    }
    assert.deepEqual(told[1], told[0]);
    assert.ok(told[1]?.includes("~/sub\nShell cwd was reset to ~"), told[1]?.join("\n"));
    assert.equal(told[1]?.at(-1), "~/sub/deep");
  });

  it("a command that ends in the background wakes the model, which then may answer", () =>
    inSession(
      {
        wake: [
          answer(call("Bash", { command: "sleep 0.3; exit 5", description: "Doze", run_in_background: true })),
          answer(say("It runs.")),
          answer(say("It ended.")),
        ],
      },
      async (driver) => {
        const { client, api, cwd, sessionId, tell, own, program } = driver;
        assert.deepEqual((await tell("[[wake]] go")).slice(-2), ["says It runs.", "answers end_turn"]);
        await client.waitFor((one) => JSON.stringify(one).includes("It ended."));
        const woken = api.requestsOf("wake")[2] ?? assert.fail("it was not woken");
        assert.match(promptTexts(woken).at(-1) ?? "", /"Doze" failed with exit code 5/);
        areReleased(driver);
        await client.hangUp();
        // A turn without a prompt is not shown as a user message.
        const next = own(new AcpClient(program(inTerminals)));
        await next.initialize();
        await next.request("session/load", { sessionId, cwd, mcpServers: [] });
        const shown = transcript(next, cwd, sessionId);
        assert.deepEqual(
          shown.filter((line) => line.startsWith("heard ")),
          ["heard [[wake]] go"],
        );
        assert.match(shown.at(-1) ?? "", /^says .*It ended\.$/);
      },
      inTerminals,
    ));

  it("a command runs in an editor that has no shell, each line once", () =>
    inSession(
      {
        bash: [
          answer(call("Bash", { command: "echo one >> log.txt; echo said" })),
          answer(call("Bash", { command: "echo two >> log.txt; exit 3" })),
          answer(say("Ran.")),
        ],
      },
      async (driver) => {
        driver.client.editor.terminals.hasShell = false;
        await driver.tell("[[bash]] go");
        assert.deepEqual(told(driver, "bash"), ["said", "Exit code 3"]);
        assert.equal(driver.place.read("log.txt"), "one\ntwo\n");
        areReleased(driver);
      },
      inTerminals,
    ));

  it("a command in the editor's terminal is ended and released when the program is told to exit, and the editor is notified", () =>
    inSession(
      {
        both: [
          answer(call("Bash", { command: "sleep 485", run_in_background: true })),
          answer(call("Bash", { command: "echo on; sleep 486" })),
        ],
      },
      async (driver) => {
        const { client, tell } = driver;
        const running = tell("[[both]] go");
        await client.waitFor((one) => at(one, "content.0.type") === "terminal" && at(one, "status") === "in_progress");
        await client.program.kill("SIGTERM");
        assert.deepEqual((await running).slice(-2), ["failed echo on; sleep 486 · (terminal)", "answers cancelled"]);
        areReleased(driver);
      },
      inTerminals,
    ));

  it("commands stay the same in the turn in which the user changes the option", () =>
    inSession(
      {
        bash: [
          answer(call("Bash", { command: "touch a.txt" })),
          answer(call("Bash", { command: "echo here" })),
          answer(say("Ran.")),
        ],
        next: [answer(call("Bash", { command: "echo there" })), answer(say("Ran."))],
      },
      async ({ client, tell, sessionId }) => {
        client.editor.permissionAnswers.push(async () => {
          const change = { sessionId, configId: "commands", value: "false" };
          await client.request("session/set_config_option", change);
          return "allow" as const;
        });
        const seen = await tell("[[bash]] go");
        assert.ok(seen.includes("completed echo here · (terminal)"), seen.join("\n"));
        const after = await tell("[[next]] go");
        assert.ok(after.includes("completed echo there · ```console\nthere\n```"), after.join("\n"));
      },
      inTerminals,
    ));

  it("commands in the editor's terminal are not offered, with a reason, where a sandbox or another shell prefix is set", async () => {
    const cases = [
      { settings: { sandbox: { enabled: true } }, why: /have a sandbox/ },
      { settings: { env: { CLAUDE_CODE_SHELL_PREFIX: "/usr/bin/env" } }, why: /CLAUDE_CODE_SHELL_PREFIX is set/ },
      { settings: {}, env: { CLAUDE_CODE_SHELL_PREFIX: "/usr/bin/env" }, why: /CLAUDE_CODE_SHELL_PREFIX is set/ },
    ];
    for (const { settings, env = {}, why } of cases) {
      await withEnvironment(
        { bash: [answer(call("Bash", { command: "echo out" })), answer(say("Ran."))] },
        async ({ client: start, place }) => {
          writeSettings(place, settings);
          const client = start({ env: { ...inTerminals.env, ...env } });
          await client.initialize();
          const opened = await client.request("session/new", { cwd: place.cwd, mcpServers: [] });
          const option = opened.configOptions?.find(({ id }) => id === "commands");
          assert.match(option?.description ?? "", why);
          assert.equal(option?.currentValue, "false");
          const { sessionId } = opened;
          const change = { sessionId, configId: "commands", value: "true" };
          await assert.rejects(client.request("session/set_config_option", change));
          await client.prompt(sessionId, "[[bash]] go");
          assert.equal(client.editor.terminals.all.size, 0);
        },
      );
    }
  });

  it("commands stay with the CLI once a sandbox is set in the middle of a session", () =>
    inSession(
      {
        bash: [answer(call("Bash", { command: "echo one" })), answer(say("Ran."))],
        next: [answer(call("Bash", { command: "echo two" })), answer(say("Ran."))],
      },
      async (driver) => {
        const { client, tell, place } = driver;
        await tell("[[bash]] go");
        assert.equal(client.editor.terminals.all.size, 1);
        writeSettings(place, { sandbox: { enabled: true } });
        // The CLI watches its settings; the command reaches the relay only after the CLI has read them.
        await new Promise((go) => setTimeout(go, 1500));
        await tell("[[next]] go");
        assert.equal(client.editor.terminals.all.size, 1, "nothing more ran outside of the sandbox");
      },
      inTerminals,
    ));

  for (const [what, permissions, mode] of [
    ["a rule allows all edits", { allow: ["Read", "Edit", "Write"] }, "default"],
    ["a rule allows edits below the home directory", { allow: ["Read(~/**)", "Edit(~/**)"] }, "default"],
    ["edits are accepted, and the settings then add the home directory", { allow: ["Read"] }, "acceptEdits"],
  ] as const)
    it(`no tool and no command replaces the program in the place of the shell unasked when ${what}`, () =>
      inSession(
        { first: [answer(call("Bash", { command: "ls" })), answer(say("ok"))] },
        async (driver) => {
          const { client, api, place, tell, sessionId } = driver;
          await tell("[[first]] go");
          if (mode !== "default") {
            await client.request("session/set_mode", { sessionId, modeId: mode });
            writeSettings(place, { permissions: { ...permissions, additionalDirectories: [place.home] } });
          }
          const program = readdirSync(place.home, { recursive: true, encoding: "utf8" })
            .map((name) => join(place.home, name))
            .find((path) => basename(path) === "shell-prefix");
          assert.ok(program !== undefined, "the program is there");
          place.write("evil", "#!/bin/sh\ntouch $HOME/replaced\n");
          client.editor.usual = "reject";
          for (const [i, one] of [
            call("Read", { file_path: program }),
            call("Write", { file_path: program, content: "#!/bin/sh\ntouch $HOME/replaced\n" }),
            call("Bash", { command: `cp evil ${program}` }),
            call("Bash", { command: `mv ${dirname(program)} ${place.home}/moved` }),
            call("Bash", { command: `mv ${dirname(dirname(program))} ${place.home}/moved` }),
          ].entries()) {
            api.script(`step${i}`, answer(one), answer(call("Bash", { command: "ls" })), answer(say("ok")));
            await tell(`[[step${i}]] go`);
            assert.ok(!existsSync(join(place.home, "replaced")), `step ${i}`);
            assert.ok(existsSync(program), `step ${i}`);
          }
        },
        {
          ...inTerminals,
          prepare: (place) => writeSettings(place, { permissions }),
        },
      ));

  it("hooks and MCP servers are not started in the editor's terminal", () =>
    withEnvironment(
      {
        bash: [
          answer(call("Bash", { command: "echo out" })),
          answer(call("mcp__fake__echo", { text: "said" })),
          answer(say("Ran.")),
        ],
      },
      async ({ client: start, place, api }) => {
        const hook = {
          type: "command",
          command: "cat > hook-input.json; env | grep -E ^BOWLINE_TERMINAL > secret.txt",
        };
        writeSettings(place, { hooks: { PreToolUse: [{ matcher: "Bash", hooks: [hook] }] } });
        const client = start(inTerminals);
        await client.initialize();
        const server = { name: "fake", ...mcpCommand(), env: [] };
        const { sessionId } = await client.request("session/new", { cwd: place.cwd, mcpServers: [server] });
        await client.prompt(sessionId, "[[bash]] go");
        assert.equal(at(JSON.parse(place.read("hook-input.json")), "tool_input.command"), "echo out");
        assert.equal(place.read("secret.txt"), "");
        assert.match(toolResultTexts(api.requestsOf("bash").at(-1) ?? assert.fail("no request"))[1] ?? "", /said/);
        assert.equal(client.editor.terminals.all.size, 1);
      },
    ));
});
