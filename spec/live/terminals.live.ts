/**
 * In the editor's terminals, live: output as it comes, ends of every kind, and
 * nothing that stays.
 */
import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { describe, it } from "node:test";
import { AcpClient, fullCapabilities } from "./support/acp-client.ts";
import { promptTexts, toolNames, toolResultTexts } from "./support/api-request.ts";
import { inSession, type PlayOptions, type Scene } from "./support/bowline.ts";
import { at } from "./support/json.ts";
import { waitForCommand } from "./support/processes.ts";
import { answer, call, say } from "./support/script.ts";
import { transcript } from "./support/transcript.ts";

const inTerminals: PlayOptions = { env: { BOWLINE_COMMANDS: "1" } };

const sly: readonly string[] = [
  "ls -la src",
  "git status",
  "cat hello.txt | head -1",
  "cd src && cat greet.ts",
  "node --version",
  "pwd",
  "date",
  "cd && cat .profile",
  "cd; cat .profile",
  "cd link && cat hostname",
  "cat link/hostname",
  "cat /etc/hostname",
  "cat hello.txt /etc/hostname",
  "head --bytes=3 /etc/hostname",
  "grep -f /etc/passwd hello.txt",
  "ls; rm x",
  "ls\nrm x",
  "ls && touch y",
  "ls || touch y",
  "(touch y)",
  "cat hello.txt | sh",
  "ls | xargs rm",
  "echo `touch y`",
  "echo $(touch y)",
  "echo hi > x.txt",
  "sort -o x hello.txt",
  "find . -delete",
  "find . -exec touch y",
  "tree -o x",
  "git log --output=x",
  "git -C /etc status",
  "git config --list",
  "git diff --no-index a b",
  "git branch new",
  "npm --version",
  "printf -v x y",
  "env",
  "env FOO=1 ls",
  "FOO=1 ls",
  "nohup ls",
  "nice ls",
  "exec ls",
  "eval ls",
  "bash -c ls",
  "node -e 1",
  "sed -i s/a/b/ hello.txt",
  "rg --pre sh x",
  "uniq hello.txt out",
  "date -s now",
  ". x",
];

function helper(prompt: string): ReturnType<typeof call> {
  return call("Agent", { description: "Help", prompt, subagent_type: "general-purpose", run_in_background: false });
}

function told({ api }: Scene, script: string): readonly string[] {
  return toolResultTexts(api.requestsOf(script).at(-1) ?? assert.fail("no request"));
}

function areReleased({ client }: Scene): void {
  for (const [id, { isReleased }] of client.editor.terminals.all) assert.ok(isReleased, `${id} is released`);
}

describe("a command in the editor's terminal", () => {
  it("is shown as that terminal; the model hears its output and how it ended", () =>
    inSession(
      {
        bash: [
          answer(call("Bash", { command: "echo out; echo err >&2", description: "Print" })),
          answer(call("Bash", { command: "touch a.txt && exit 3", description: "Fail" })),
          answer(say("Ran.")),
        ],
      },
      async (scene) => {
        const { client, place, tell, api, cwd } = scene;
        assert.deepEqual(await tell("[[bash]] go"), [
          "calls execute echo out; echo err >&2",
          "completed echo out; echo err >&2 · (terminal)",
          "calls execute touch a.txt && exit 3",
          'asks touch a.txt && exit 3 · Fail [Allow | Always allow "touch a.txt" and "exit 3" in this session | Reject]',
          "failed touch a.txt && exit 3 · (terminal)",
          "says Ran.",
          "answers end_turn",
        ]);
        assert.deepEqual(told(scene, "bash"), ["out\nerr", "Exit code 3"]);
        assert.equal(place.read("a.txt"), "");
        const { all } = client.editor.terminals;
        assert.deepEqual(
          [...all.values()].map(({ request }) => [request.command, request.cwd]),
          [
            ["echo out; echo err >&2", cwd],
            ["touch a.txt && exit 3", cwd],
          ],
        );
        areReleased(scene);
        const names = toolNames(api.requestsOf("bash")[0] ?? assert.fail("no request"));
        assert.ok(names.includes("Bash") && names.includes("KillShell"), "ours have the names of those they replace");
        assert.equal(new Set(names).size, names.length, "and stand alone");
      },
      inTerminals,
    ));

  it("is seen while it runs", () =>
    inSession(
      {
        slow: [
          answer(call("Bash", { command: "echo first; while [ ! -e go ]; do sleep 0.05; done; echo last" })),
          answer(say("Ran.")),
        ],
      },
      async (scene) => {
        const { client, place, tell } = scene;
        const running = tell("[[slow]] go");
        const shown = await client.waitFor((one) => at(one, "content.0.type") === "terminal");
        const id = String(at(shown, "update.content.0.terminalId"));
        const terminal = client.editor.terminals.all.get(id) ?? assert.fail("an unknown terminal");
        while (!terminal.output.includes("first")) await new Promise((go) => setTimeout(go, 20));
        assert.ok(!terminal.output.includes("last"));
        place.write("go", "");
        assert.equal((await running).at(-1), "answers end_turn");
        assert.deepEqual(told(scene, "slow"), ["first\nlast"]);
      },
      inTerminals,
    ));

  it("that says very much is cut for the model, and one past its time is killed and heard", () =>
    inSession(
      {
        much: [
          answer(call("Bash", { command: "seq 1 20000" })),
          answer(call("Bash", { command: "echo early; sleep 481", timeout: 1000 })),
          answer(say("Ran.")),
        ],
      },
      async (scene) => {
        await scene.tell("[[much]] go");
        const [much = "", late = ""] = told(scene, "much");
        assert.ok(much.startsWith("1\n2\n") && much.endsWith("\n20000") && much.length < 31_000);
        assert.match(much, /characters left out/);
        assert.equal(late, "Command timed out after 1s\nearly");
        areReleased(scene);
      },
      inTerminals,
    ));

  it("ends with the turn that is cancelled", () =>
    inSession(
      {
        slow: [answer(call("Bash", { command: "echo on; sleep 482" })), answer(say("Never."))],
        talk: [answer(say("Hi."))],
      },
      async (scene) => {
        const { client, sessionId, tell } = scene;
        client.editor.usual = "allow";
        const running = tell("[[slow]] go");
        await client.waitFor((one) => at(one, "content.0.type") === "terminal");
        await client.cancel(sessionId);
        assert.deepEqual((await running).slice(-2), ["failed echo on; sleep 482 · (terminal)", "answers cancelled"]);
        const [terminal] = client.editor.terminals.all.values();
        assert.equal((await terminal?.exited)?.signal, "SIGKILL");
        assert.deepEqual(await tell("[[talk]] hi"), ["says Hi.", "answers end_turn"]);
        areReleased(scene);
      },
      inTerminals,
    ));

  it("runs on in the background, is heard when asked, and is stopped", () =>
    inSession(
      {
        back: [
          answer(call("Bash", { command: "echo begun; sleep 483", run_in_background: true })),
          answer(call("BashOutput", { bash_id: "bash_1" })),
          answer(call("KillShell", { shell_id: "bash_1" })),
          answer(call("Bash", { command: "sleep 484", run_in_background: true })),
          answer(say("Done.")),
        ],
      },
      async (scene) => {
        const { client, tell, sessionId } = scene;
        const seen = await tell("[[back]] go");
        assert.ok(
          seen.includes("completed Stop background task bash_1 · ```console\nThe command was stopped.\n```"),
          seen.join("\n"),
        );
        const [begun = "", output = "", stopped = ""] = told(scene, "back");
        assert.match(begun, /background with ID: bash_1/);
        assert.match(output, /^<status>running<\/status>/);
        assert.equal(stopped, "The command was stopped.");
        await client.request("session/close", { sessionId });
        areReleased(scene);
      },
      inTerminals,
    ));

  it("is asked about as the CLI's own: once when allowed for good, and not in don't ask", () =>
    inSession(
      {
        twice: [
          answer(call("Bash", { command: "touch one.txt" })),
          answer(call("Bash", { command: "touch one.txt" })),
          answer(call("Bash", { command: "touch two.txt" })),
          answer(say("Done.")),
        ],
        never: [
          answer(call("Bash", { command: "echo hi" })),
          answer(call("Bash", { command: "touch three.txt" })),
          answer(say("Done.")),
        ],
      },
      async (scene) => {
        const { client, tell, sessionId } = scene;
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

  it("is asked about wherever the CLI's own would be: sly commands and plain ones", async () => {
    const asked: ReadonlySet<string>[] = [];
    for (const BOWLINE_COMMANDS of ["0", "1"]) {
      await inSession(
        {},
        async ({ client, api, sessionId, path }) => {
          symlinkSync("/etc", path("link"));
          client.editor.usual = "reject";
          const those = new Set<string>();
          for (const [i, command] of sly.entries()) {
            const before = client.editor.asked.length;
            api.script(`c${i}`, answer(call("Bash", { command })), answer(say("Very well.")));
            await client.prompt(sessionId, `[[c${i}]] go`);
            if (client.editor.asked.length > before) those.add(command);
          }
          asked.push(those);
        },
        // A CLI without its Read asks about more of its own commands.
        { env: { BOWLINE_COMMANDS, BOWLINE_EDITS: "0" } },
      );
    }
    const [theirs = new Set(), ours = new Set()] = asked;
    assert.deepEqual(
      [...theirs].filter((command) => !ours.has(command)),
      [],
    );
    assert.ok(theirs.size > 20 && !ours.has("ls -la src") && !ours.has("git status"));
  });

  it("needs no terminal of ours in an editor that shows those", () =>
    inSession(
      { bash: [answer(call("Bash", { command: "echo out" })), answer(say("Ran."))] },
      async ({ client, tell, sessionId }) => {
        assert.equal((await tell("[[bash]] go"))[1], "completed echo out · (terminal)");
        assert.doesNotMatch(JSON.stringify(client.updatesOf(sessionId)), /terminal_info|terminal_output/);
      },
      { ...inTerminals, capabilities: { ...fullCapabilities, _meta: { terminal_output: true } } },
    ));

  it("is the CLI's own without a terminal to run it in", () =>
    inSession(
      { bash: [answer(call("Bash", { command: "echo out" })), answer(say("Ran."))] },
      async ({ tell }) => {
        assert.equal((await tell("[[bash]] go"))[1], "completed echo out · ```console\nout\n```");
      },
      { ...inTerminals, capabilities: { ...fullCapabilities, terminal: false } },
    ));

  it("begins where the last one that went well had ended, as the CLI's own does", async () => {
    const told: (readonly string[])[] = [];
    // The CLI's own Read does not know where our commands are, so it is ours as well.
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

  it("that ends in the background wakes the model, which then may say something", () =>
    inSession(
      {
        wake: [
          answer(call("Bash", { command: "sleep 0.3; exit 5", description: "Doze", run_in_background: true })),
          answer(say("It runs.")),
          answer(call("BashOutput", { bash_id: "bash_1" })),
          answer(say("It ended.")),
        ],
      },
      async (scene) => {
        const { client, api, cwd, sessionId, tell, own, program } = scene;
        assert.deepEqual((await tell("[[wake]] go")).slice(-2), ["says It runs.", "answers end_turn"]);
        await client.waitFor((one) => JSON.stringify(one).includes("It ended."));
        const [, output = ""] = told(scene, "wake");
        assert.match(output, /<status>completed<\/status>\n<exit_code>5</);
        const woken = api.requestsOf("wake")[2] ?? assert.fail("it was not woken");
        assert.match(promptTexts(woken).at(-1) ?? "", /NOT USER INPUT[^]*"Doze" has ended \(exit code 5\)/);
        areReleased(scene);
        await client.hangUp();
        // What nobody said is not shown as if somebody had.
        const next = own(new AcpClient(program(inTerminals)));
        await next.initialize();
        await next.request("session/load", { sessionId, cwd, mcpServers: [] });
        const shown = transcript(next, cwd, sessionId);
        assert.deepEqual(
          shown.filter((line) => line.startsWith("heard ")),
          ["heard [[wake]] go"],
        );
        assert.equal(shown.at(-1), "says It ended.");
      },
      inTerminals,
    ));

  it("runs in an editor that has no shell, each line once", () =>
    inSession(
      {
        bash: [
          answer(call("Bash", { command: "echo one >> log.txt; echo said" })),
          answer(call("Bash", { command: "echo two >> log.txt; exit 3" })),
          answer(say("Ran.")),
        ],
      },
      async (scene) => {
        scene.client.editor.terminals.hasShell = false;
        await scene.tell("[[bash]] go");
        assert.deepEqual(told(scene, "bash"), ["said", "Exit code 3"]);
        assert.equal(scene.place.read("log.txt"), "one\ntwo\n");
        areReleased(scene);
      },
      inTerminals,
    ));

  it("is ended and released when the program is told to end, and the editor hears it", () =>
    inSession(
      {
        both: [
          answer(call("Bash", { command: "sleep 485", run_in_background: true })),
          answer(call("Bash", { command: "echo on; sleep 486" })),
        ],
      },
      async (scene) => {
        const { client, tell, place } = scene;
        const running = tell("[[both]] go");
        await waitForCommand(place.root, "sleep 486");
        await client.program.kill("SIGTERM");
        assert.deepEqual((await running).slice(-2), ["failed echo on; sleep 486 · (terminal)", "answers cancelled"]);
        areReleased(scene);
      },
      inTerminals,
    ));

  it("stays what it was in the turn in which somebody changes the option", () =>
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
});
