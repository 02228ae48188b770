/**
 * Live specs of `bowline chat`: the built program with the real CLI, in pipes and in a
 * terminal.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { setTimeout as pause } from "node:timers/promises";
import { describe, it } from "node:test";
import { noPane, Pane } from "../../support/program/chat/tmux-pane.ts";
import { type Run, runPlain } from "../../support/program/chat/run-piped.ts";
import { toolResultTexts } from "../../support/live/api/api-request.ts";
import { type ProcessEntry, waitUntil, waitUntilGone } from "../../support/processes.ts";
import { answer, answering, call, hold, say, type Script, think } from "../../support/live/api/model-script.ts";
import { withEnvironment, type LiveEnvironment } from "../../support/live/live-environment.ts";

/** Longer than it takes until a permission request can be answered. */
const readMs = 450;
/** Longer than it takes until a list takes keys. */
const quietMs = 1200;
/** The line below a question that takes keys, shown after a second without a key. */
const takesKeys = /choose with/;
const skip = noPane() ?? false;

function chat(
  environment: LiveEnvironment,
  words: readonly string[],
  input: string,
  env: Readonly<Record<string, string>> = {},
): Promise<Run> {
  const { command, args = [], env: own, cwd } = environment.program({ env });
  return runPlain([command, ...args, "chat", ...words], { input, env: own, isAlone: true, ...(cwd && { cwd }) });
}

function pane(environment: LiveEnvironment, ...words: readonly string[]): Pane {
  const { command, args = [], env, cwd } = environment.program();
  return new Pane([command, ...args, "chat", ...words], { columns: 90, rows: 40, env, ...(cwd && { cwd }) });
}

const work: Script = [
  answer(
    think("A thought."),
    say("I will **write** it.\n"),
    call("Write", { file_path: "FILE", content: "one\ntwo\n" }),
  ),
  answer(say("Done.\n")),
];

function writing(environment: LiveEnvironment): void {
  const path = environment.place.path("new.txt");
  const [first, second] = JSON.parse(JSON.stringify(work).replaceAll("FILE", path));
  environment.api.script("write", first, second);
}

describe("bowline chat with the real CLI", () => {
  it("bowline chat answers a prompt from a pipe, denies permissions where it cannot ask the user, and leaves no process running", () =>
    withEnvironment({ hello: [answer(say("Hello **there**.\n"))] }, async (environment) => {
      writing(environment);
      const { code, stdout, stderr } = await chat(environment, [], "[[hello]] hi\n[[write]] it\n");
      assert.match(
        stdout,
        /^Bowline \d+\.\d+\.\d+ · Claude Code \d+\.\d+\.\d+ · .*\n\n❯ \[\[hello\]\] hi\n\nHello \*\*there\*\*\.\n\n\d+s · \d+ of \S+ tokens · \$\d/,
      );
      assert.match(
        stdout,
        /✻ A thought\.\n\nI will \*\*write\*\* it\.\n\n\? Write new\.txt\n {9}1 \+ one\n {9}2 \+ two\n {2}↳ Reject\n\n✗ Write new\.txt\n {2}Not applied\.\n/,
      );
      assert.match(stdout, /Done\.\n/);
      assert.equal(code, 1, "a permission was refused");
      assert.match(
        stderr,
        /^bowline: a permission was refused, because stdin is not a terminal: Write new\.txt; [^\n]*\n$/,
      );
      assert.ok(!existsSync(environment.place.path("new.txt")));
      assert.deepEqual(await waitUntilGone(environment.place.root), []);
    }));

  it("bowline chat runs without permission requests in a mode that needs none, and prints the answer alone", () =>
    withEnvironment({}, async (environment) => {
      writing(environment);
      const { code, stdout } = await chat(environment, ["-q", "--mode", "acceptEdits"], "[[write]] it\n");
      assert.equal(stdout, "I will **write** it.\nDone.\n");
      assert.equal(code, 0);
      assert.equal(environment.place.read("new.txt"), "one\ntwo\n");
    }));

  it("bowline chat continues the last conversation", () =>
    withEnvironment(
      { first: [answer(say("The first.\n"))], second: [answer(say("The second.\n"))] },
      async (environment) => {
        await chat(environment, [], "[[first]] x\n");
        const { stdout, code } = await chat(environment, ["--continue"], "[[second]] y\n");
        assert.match(stdout, /❯ \[\[first\]\] x\n\nThe first\.\n[^]*❯ \[\[second\]\] y\n\nThe second\.\n/);
        assert.equal(code, 0);
      },
    ));

  it("bowline chat says in one sentence what to do when the user is not signed in", () =>
    withEnvironment({}, async (environment) => {
      const { code, stderr } = await chat(environment, [], "hi\n", { ANTHROPIC_API_KEY: "" });
      assert.equal(
        stderr,
        "bowline: Claude is not signed in: sign in with bowline login, or set ANTHROPIC_API_KEY; bowline demo shows a recorded session\n",
      );
      assert.equal(code, 1);
    }));

  it("bowline chat asks the user, shows the diff, and writes what was allowed", { skip }, () =>
    withEnvironment({}, async (environment) => {
      writing(environment);
      using screen = pane(environment);
      await screen.until(/Ask · .* · shift-tab mode/);
      screen.type("[[write]] it");
      screen.press("Enter");
      await screen.until(
        /\? Write new\.txt\n {9}1 \+ one\n {9}2 \+ two\n\nAllow this edit\?\n {2}y {2}Allow\n {5}Always allow all edits in this session/,
      );
      await screen.until(takesKeys);
      screen.press("y");
      await screen.until(/↳ Allow\n✓ Write new\.txt\n\nDone\.\n\n\d+s · /);
      assert.equal(environment.place.read("new.txt"), "one\ntwo\n");
      screen.press("BTab");
      await screen.until(/Accept edits · /);
      screen.type("/comp");
      await screen.until(/\/compact +\S/);
      screen.press("C-u");
      await pause(readMs);
      screen.press("C-c");
      assert.equal(await screen.exit(), 0);
    }),
  );

  it(
    "bowline chat tells the model why a call was refused, and Esc twice takes a prompt back with its file",
    { skip },
    () =>
      withEnvironment({}, async (environment) => {
        writing(environment);
        const file_path = environment.place.path("no.txt");
        environment.api.script("no", answer(call("Write", { file_path, content: "one\n" })), answer(say("I see.\n")));
        using screen = pane(environment);
        await screen.until(/shift-tab mode/);
        screen.type("[[write]] it");
        screen.press("Enter");
        await screen.until(takesKeys);
        screen.press("y");
        await screen.until(/Done\.\n\n\d+s · /);
        screen.type("[[no]] it");
        screen.press("Enter");
        await screen.until(/\? Write no\.txt[^]*tab says no and what to do instead/);
        assert.doesNotMatch(screen.text(), /tell Claude why/, "Tab is the field for the reason");
        screen.press("Tab");
        await screen.until(/say what to do instead/);
        screen.type("Use PERSIMMON.");
        screen.press("Enter");
        await screen.until(/↳ Reject: Use PERSIMMON\.\n[^]*Not applied\.[^]*I see\.\n\n\d+s · /);
        const told = JSON.stringify(environment.api.requestsOf("no").at(-1)?.body.messages);
        assert.match(told, /rejected this tool call and said: Use PERSIMMON\./);
        await pause(readMs);
        screen.press("Escape");
        screen.press("Escape");
        await screen.until(
          /Rewind to before which prompt\?\n {2}\[\[no\]\] it\n {2}\[\[write\]\] it\n[^]*enter confirms/,
        );
        await pause(quietMs);
        screen.press("Down", "Down", "Enter");
        await screen.until(/What should be restored\? Files: 1 file, 0 lines added, 2 lines removed: new\.txt/);
        await pause(quietMs);
        screen.press("Down", "Enter");
        await screen.until(/Files restored: 1 file[^]*Taken back: 2 prompts[^]*❯ \[\[write\]\] it\n[^❯]*$/);
        assert.ok(!existsSync(environment.place.path("new.txt")));
      }),
  );

  it("bowline chat shows the model's question as options, with a key for each", { skip }, () =>
    withEnvironment(
      {
        colour: [
          answer(
            call("AskUserQuestion", {
              questions: [
                {
                  question: "Which colour?",
                  header: "Colour",
                  multiSelect: false,
                  options: [
                    { label: "Red", description: "like a buoy" },
                    { label: "Blue", description: "like the sea" },
                  ],
                },
              ],
            }),
          ),
          (request) => answer(say(toolResultTexts(request).join(" "))),
        ],
      },
      async (environment) => {
        using screen = pane(environment);
        await screen.until(/shift-tab mode/);
        screen.type("[[colour]] ask me");
        screen.press("Enter");
        await screen.until(/\? Which colour\?[^]*Red {3}like a buoy\n[^]*Blue {2}like the sea[^]*enter confirms/);
        screen.press("Down");
        screen.press("Down");
        screen.press("Enter");
        const text = await screen.until(/tokens/);
        assert.match(text, /Which colour\?"="Blue"/);
      },
    ),
  );

  it("bowline chat stops a running command, and exits at once at the second Ctrl-C", { skip }, () =>
    withEnvironment(
      {
        slow: [answer(call("Bash", { command: "touch begun; sleep 301", description: "Wait" })), answer(say("After."))],
        words: [answering({ everyMs: 20 }, say("One ", "two ", hold("more"), "three."))],
      },
      async (environment) => {
        using screen = pane(environment);
        await screen.until(/shift-tab mode/);
        screen.type("[[slow]] go");
        screen.press("Enter");
        await screen.until(/\? touch begun; sleep 301/);
        await screen.until(takesKeys);
        screen.press("y");
        await screen.until(/[⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏] touch begun; sleep 301 \ds/);
        screen.press("C-c");
        await screen.until(/cancelled · \d+s/);
        screen.type("[[words]] go");
        screen.press("Enter");
        await screen.until(/One two/);
        screen.press("C-c", "C-c");
        assert.equal(await screen.exit(), 0);
        // The terminal names the CLI in its own command line.
        const isOurs = ({ command }: ProcessEntry): boolean =>
          /claude|sleep 301/.test(command) && !command.startsWith("tmux");
        const left = await waitUntil(environment.place.root, (alive) => !alive.some(isOurs));
        assert.deepEqual(left.filter(isOurs), []);
      },
    ),
  );
});
