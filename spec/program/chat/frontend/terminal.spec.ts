/**
 * `bowline chat` in a real terminal (tmux): keys are pressed and the screen is read.
 *
 * Starting a program is most of the time of a test, so a chat that a test has left idle is
 * used by the next one, in a new session and with an empty screen.
 */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { after, describe, it } from "node:test";
import { type ProcessEntry, waitUntil } from "../../../support/processes.ts";
import { noPane, Pane, type PaneOptions } from "../../../support/program/chat/tmux-pane.ts";
import { bowline, specAgent } from "../../../support/program/chat/chat-program.ts";

const skip = noPane() ?? false;
const claudeless = { BOWLINE_CLAUDE: "", PATH: "/usr/bin:/bin" };

interface ChatOptions extends PaneOptions {
  readonly words?: readonly string[];
  /** No chat that another test has used: the test looks at prompts, processes or the start. */
  readonly isNew?: boolean;
}

/** Chats without options that wait for the next test. */
const idle: Pane[] = [];
after(() => {
  for (const pane of idle.splice(0)) pane[Symbol.dispose]();
});

/** Runs a test in a chat with the scripted agent. */
async function inChat(play: (pane: Pane) => Promise<void>, options: ChatOptions = {}): Promise<void> {
  const { words = [], isNew = false, ...look } = options;
  const isShared = !isNew && words.length === 0 && Object.keys(look).length === 0;
  const start = (): Pane => new Pane(bowline("chat", ...words, "--", ...specAgent("scripted")), look);
  const pane = (isShared ? idle.pop() : undefined) ?? start();
  let isIdle = false;
  try {
    await pane.until(/shift-tab mode/);
    await play(pane);
    isIdle = isShared && (await emptied(pane));
  } finally {
    if (isIdle) idle.push(pane);
    else pane[Symbol.dispose]();
  }
}

/** The same in a chat that no other test has used: two Ctrl-C within 2 s, one of them of another test, leave it. */
function inNewChat(play: (pane: Pane) => Promise<void>): Promise<void> {
  return inChat(play, { isNew: true });
}

/** Begins a new session and clears the screen; false for a chat that is over or busy. */
async function emptied(pane: Pane): Promise<boolean> {
  const isOver = (): boolean => /\[exit \d+\]/.test(pane.text());
  const isEmpty = (text: string): boolean => /^❯\n.*shift-tab mode/.test(bottom(text).join("\n"));
  if (isOver()) return false;
  pane.press("C-u");
  await pause(100);
  // A turn or a question that the test has left is cheaper to end with its program.
  if (!isEmpty(pane.text()) || /esc stops/.test(pane.text())) return false;
  pane.type("/new");
  pane.press("Enter");
  await pane.until((text) => isOver() || /a new conversation\n[^]*shift-tab mode/.test(text), "a new session");
  if (isOver()) return false;
  await pane.clear();
  return true;
}

/** The bottom of the screen: the input line and what is below it. */
function bottom(text: string): readonly string[] {
  const lines = text.split("\n");
  return lines.slice(lines.findLastIndex((line) => line.startsWith("❯")));
}

/** Our processes with this home directory; waits until there are `count`, or a time limit. */
async function running(home: string, count: number): Promise<readonly string[]> {
  const ours = (all: readonly ProcessEntry[]): readonly string[] =>
    all.map(({ command }) => command).filter((command) => command.startsWith(process.execPath));
  return ours(await waitUntil(home, (alive) => ours(alive).length === count));
}

async function leave(pane: Pane): Promise<void> {
  pane.press("C-c");
  assert.equal(await pane.exit(), 0);
  assert.equal(pane.state("cursor_flag", "alternate_on", "wrap_flag"), "1 0 1", "the terminal is as it was");
}

describe("bowline chat and bowline demo in a terminal", { skip, concurrency: 5 }, () => {
  it("the demo types the prompt, streams, asks twice and ends with what to do next", async () => {
    using pane = new Pane(bowline("demo"), { rows: 60, columns: 100, env: claudeless });
    await pane.until(/❯ slug\("Crème brûlée"\) gives "crme-brle"\. Please fix it/);
    await pane.until(
      /y {2}Allow\n {5}Always allow all edits in this session \(↑ ↓ and enter\)\n {2}n {2}Reject\n[^]*esc says no/,
    );
    pane.press("y");
    await pane.until(/This command requires approval[^]*esc says no/);
    pane.press("y");
    assert.equal(await pane.exit(), 0);
    assert.match(pane.text(), /All 3 tests pass\.[^]*bowline\s+chat\s+is\s+a\s+real\s+conversation\s+and/);
    assert.equal(pane.state("cursor_flag"), "1");
  });

  it("the demo continues with its own branch when the answer is no, and can be stopped", async () => {
    using pane = new Pane(bowline("demo"), { rows: 60, columns: 100 });
    using other = new Pane(bowline("demo"), { rows: 60 });
    await pane.until(/esc says no/);
    pane.press("n");
    await pane.until(/Tell me if you want\s+it/);
    assert.equal(await pane.exit(), 0);
    await other.until(/esc says no/);
    other.press("C-c");
    assert.equal(await other.exit(), 0);
    assert.match(other.text(), /cancelled · \d/);
  });

  it("the chat shows the conversation and leaves at Ctrl-C, with nothing left on the screen or running", async () => {
    await inNewChat(async (pane) => {
      pane.type("say A **bold** word");
      await pane.until((text) => bottom(text)[0] === "❯ say A **bold** word");
      pane.press("Enter");
      const text = await pane.until(/tokens/);
      assert.match(text, /❯ say A \*\*bold\*\* word\n\nA bold word\n\n\ds · 1\.23k of 200k tokens · \$0\.25\n/);
      assert.match(pane.styled(), /\x1b\[1mbold\x1b\[0m/); // oxlint-disable-line no-control-regex
      await leave(pane);
      assert.match(pane.text(), /\$0\.25\n\nContinue this conversation: [^]*\[exit 0\]$/);
      assert.deepEqual(await running(pane.home, 0), []);
    });
  });

  it("a permission question follows its diff and is answered by a key", async () => {
    const cases = [
      [["y"], "yes", "✓"],
      [["Down", "Down", "Enter"], "always", "✓"],
      [["n"], "no", "✗"],
      [["Up", "Enter"], "no", "✗"],
      [["Escape"], "no", "✗"],
    ] as const;
    await Promise.all(
      cases.map(([keys, answer, mark]) =>
        inChat(async (pane) => {
          pane.type("ask knot.txt");
          pane.press("Enter");
          const text = await pane.until(/esc says no/);
          assert.match(
            text,
            /\? Edit knot\.txt\n {2}\/project\/knot\.txt\n {4}1 {4}1 {3}one\n {4}2 {6}- old\n {9}2 \+ new\n {4}3 {4}3 {3}three\n\nAllow this edit\?\n {2}y {2}Allow\n {5}Always allow this \(↑ ↓ and enter\)\n {2}n {2}Reject\n/,
          );
          pane.press(...keys);
          await pane.until(new RegExp(`You answered ${answer}\\.`));
          assert.match(pane.text(), new RegExp(`${mark} Edit knot`));
        }),
      ),
    );
  });

  it("keys of a message that is being typed never answer a question, and no letter is lost", async () => {
    const message = "and then also analyse many files";
    await inChat(async (pane) => {
      pane.type("later knot.txt");
      pane.press("Enter");
      for (const letter of message) {
        pane.type(letter);
        await pause(70);
      }
      await pane.until(/tab answers the question/);
      // Longer than the pause after which a question takes keys.
      await pause(1300);
      const text = pane.text();
      assert.doesNotMatch(text, /You answered|esc says no/);
      assert.equal(bottom(text)[0], `❯ ${message}`);
      pane.press("Tab");
      await pane.until(/esc says no/);
      pane.press("y");
      await pane.until(/You answered yes\./);
      assert.equal(bottom(await pane.until(/tokens/))[0], `❯ ${message}`, "the draft is there after the question");
    });
  });

  it("a key pressed before the user could read the question does not answer it", async () => {
    await inChat(async (pane) => {
      pane.type("ask knot.txt");
      pane.press("Enter");
      for (let i = 0; i < 200 && !/tab answers the question/.test(pane.text()); i++) pane.press("y");
      await pane.until(/tab answers the question/);
      pane.type("yes");
      await pane.until((text) => /^❯ y*yes$/.test(bottom(text)[0] ?? ""), "the letters in the draft");
      assert.doesNotMatch(pane.text(), /You answered/);
    });
  });

  it("the first letter of a word does not answer a question that takes keys", async () => {
    await inChat(async (pane) => {
      pane.type("ask knot.txt");
      pane.press("Enter");
      await pane.until(/esc says no/);
      pane.type("yes, but first");
      await pane.until((text) => bottom(text)[0] === "❯ yes, but first");
      assert.doesNotMatch(pane.text(), /You answered/);
    });
  });

  it("neither a letter, a number nor Enter alone grants a lasting permission", async () => {
    await inChat(async (pane) => {
      pane.type("ask knot.txt");
      pane.press("Enter");
      await pane.until(/esc says no/);
      pane.press("Enter");
      for (const key of ["a", "1", "2"]) {
        pane.press(key);
        await pane.until((text) => bottom(text)[0] === `❯ ${key}`, "a letter in the draft");
        pane.press("BSpace");
        await pane.until(/esc says no/);
      }
      assert.doesNotMatch(pane.text(), /You answered/);
      pane.press("Down", "Down");
      await pane.until(/▸ {4}Always allow this/);
      pane.press("Enter");
      await pane.until(/You answered always\./);
    });
  });

  it("a key named in the hints shows every line of a long command, with the answers below", async () => {
    await inChat(async (pane) => {
      pane.type("long");
      pane.press("Enter");
      const cut = await pane.until(/… 21 more; v shows all 61 lines\n[^]*v shows all 61 lines/);
      assert.doesNotMatch(cut, /rm -rf/);
      pane.press("v");
      await pane.until(/lines 1 to \d+ of 61 ──/);
      const seen = new Set<string>();
      for (let page = 0; page < 10; page++) {
        const screen = pane.styled();
        const view = /lines \d+ to [^]*(?:more below|end) ──/.exec(screen)?.[0] ?? "";
        for (const [line] of view.matchAll(/echo \d+|rm -rf \.\/build/g)) seen.add(line);
        assert.match(screen, /Allow/);
        if (/── end ──/.test(screen)) break;
        const before = /lines \d+/.exec(screen)?.[0];
        pane.press("NPage");
        await pane.until((text) => !text.includes(`${before} `), "another page");
      }
      assert.equal(seen.size, 61, "each line was on the screen");
      pane.press("n");
      await pane.until(/You answered no\./);
    });
  });

  it("a long run of spaces hides no part of a command", async () => {
    await inChat(async (pane) => {
      pane.type("wide");
      pane.press("Enter");
      const text = await pane.until(/esc says no/);
      assert.match(text, /echo hello<5000 spaces>; rm -rf \.\/build/);
    });
  });

  it("characters that cannot be seen or reverse the text are shown by their code points", async () => {
    await inChat(async (pane) => {
      pane.type("hidden");
      pane.press("Enter");
      const text = (await pane.until(/esc says no/)).replaceAll(/\s+/g, " ");
      assert.match(text, /\? touch a; <U\+202E># tset/);
      assert.match(
        text,
        /touch a; <U\+202E># tset <U\+2066>x<U\+2069> so<U\+00AD>ft <U\+200B>zero<U\+00A0>wide<U\+2028>next 👩/,
      );
    });
  });

  it("permission questions are asked one after the other", async () => {
    await inChat(async (pane) => {
      pane.type("both");
      pane.press("Enter");
      await pane.until(/\? Edit left[^]*esc says no/);
      assert.doesNotMatch(pane.text(), /\? Edit right/);
      pane.press("y");
      await pane.until(/↳ Allow[^]*\? Edit right/);
      assert.doesNotMatch(pane.text(), /You answered[^]*You answered/, "one key answers one question");
      await pane.until(/\? Edit right[^]*esc says no/);
      pane.press("n");
      const text = await pane.until(/tokens/);
      assert.match(text, /You answered yes\.[^]*You answered no\./);
    });
  });

  it("the first Ctrl-C stops the turn and the second leaves the chat", async () => {
    await inNewChat(async (pane) => {
      pane.type("wait");
      pane.press("Enter");
      await pane.until(/⠋|⠙|⠹|⠸|⠼|⠴|⠦|⠧|⠇|⠏/);
      await pane.until(/Wait for the tide/);
      pane.press("C-c");
      await pane.until(/✗ Wait for the tide\n\ncancelled · \ds/);
      await leave(pane);
    });
  });

  it("Escape stops the turn", async () => {
    await inChat(async (pane) => {
      pane.type("wait");
      pane.press("Enter");
      await pane.until(/Wait for the tide/);
      pane.press("Escape");
      await pane.until(/cancelled · \ds/);
    });
  });

  it("the user can leave while an agent does not stop", async () => {
    await inNewChat(async (pane) => {
      pane.type("stubborn");
      pane.press("Enter");
      await pane.until(/Thinking/);
      pane.press("C-c");
      await pane.until(/ctrl-c once more leaves/);
      await leave(pane);
      assert.deepEqual(await running(pane.home, 0), []);
    });
  });

  it("an open question is cancelled when the turn is stopped", async () => {
    await inNewChat(async (pane) => {
      pane.type("ask knot.txt");
      pane.press("Enter");
      await pane.until(/tab answers the question/);
      pane.press("C-c");
      await pane.until(/cancelled · \ds/);
      assert.match(pane.text(), /↳ no answer/);
    });
  });

  it("Shift-Tab changes the mode and Alt-P the model", async () => {
    await inChat(async (pane) => {
      await pane.until(/ASK · OAK ·/);
      pane.press("BTab");
      await pane.until(/SAIL · OAK ·/);
      pane.press("M-p");
      await pane.until(/SAIL · ELM ·/);
      pane.press("BTab", "BTab");
      await pane.until(/ASK · ELM ·/);
    });
  });

  it("a form is answered by arrows, by ticks that redraw in place, and in the user's own words", async () => {
    await inChat(async (pane) => {
      pane.type("form");
      pane.press("Enter");
      await pane.until(/\? Which colour\?\n {2}Red {4}Red sails\n {2}Green/);
      await pane.until(/or type your own answer/);
      pane.type("blue");
      await pane.until(/answer: blue/);
      pane.press("Enter");
      await pane.until(/Which flags\?[^]*space ticks/);
      pane.press("Down", "Space", "Down", "Space");
      const text = await pane.until(/✓ Red[^]*✓ Green/);
      assert.equal(text.match(/\? Which flags/g)?.length, 1, "the list is drawn once");
      pane.press("Enter");
      const answered = '"content":{"question_1_other":"blue","question_2":["red","green"]}';
      await pane.until((shown) => shown.replaceAll(/\s/g, "").includes(answered), "the answer");
    });
  });

  it("keys of a message that is being typed never answer a form", async () => {
    await inChat(async (pane) => {
      pane.type("form");
      pane.press("Enter");
      await pane.until(/Which colour/);
      pane.type("fix it");
      pane.press("Enter");
      await pane.until(/tab answers the question/);
      pane.type("more");
      await pause(1300);
      assert.doesNotMatch(pane.text(), /You answered/);
      assert.match(pane.text(), /Which colour/);
    });
  });

  it("Tab in a question says no and what to do instead, in the same turn", async () => {
    await inChat(async (pane) => {
      pane.type("ask knot.txt");
      pane.press("Enter");
      await pane.until(/tab says no and what to do instead/);
      pane.press("Tab");
      await pane.until(/say what to do instead/);
      pane.type("use a reef knot");
      pane.press("Enter");
      const text = await pane.until(/Steered: use a reef knot\./);
      assert.match(text, /↳ Reject/);
    });
  });

  it("/resume opens a list of conversations, and leaving prints the command that continues this one", async () => {
    await inNewChat(async (pane) => {
      pane.type("/resume");
      pane.press("Enter");
      await pane.until(/Which conversation\?\n▸ First\n {2}Second/);
      pane.press("Down", "Enter");
      await pane.until(/This is second\./);
      pane.type("say hello");
      pane.press("Enter");
      await pane.until(/tokens/);
      pane.press("C-d");
      await pane.until(/Continue this conversation: .*chat --resume second -- /);
    });
  });

  it("--resume without an id opens the list", async () => {
    using pane = new Pane(bowline("chat", "--resume", "--", ...specAgent("scripted")));
    await pane.until(/Which conversation\?/);
    pane.press("Enter");
    await pane.until(/This is first\./);
  });

  it("the output of a running command is shown, and folded output unfolds by Ctrl-O", async () => {
    await inChat(
      async (pane) => {
        pane.type("output");
        pane.press("Enter");
        await pane.until(/seq 30[^\n]*\n {4}first\n {4}second/);
        await pane.until(/… 18 more lines, ctrl-o shows all/);
        await pane.until(/tokens/);
        assert.doesNotMatch(pane.text(), /line 3\n/);
        pane.press("C-o");
        await pane.until(/ {2}line 3\n {2}line 4\n/);
      },
      { rows: 60 },
    );
  });

  it("Shift-Tab passes over bypassPermissions, which /mode sets by name and the status shows in red", async () => {
    await inChat(async (pane) => {
      pane.press("BTab", "BTab");
      await pane.until(/ROW · OAK/);
      pane.press("BTab");
      await pane.until(/ASK · OAK/);
      pane.type("/mode bypassPermissions");
      pane.press("Enter");
      await pane.until(/BYPASSPERMISSIONS · OAK/);
      assert.match(pane.styled(), /\x1b\[31mBYPASSPERMISSIONS/); // oxlint-disable-line no-control-regex
    });
  });

  it("a plan that needs an answer is shown as Markdown below a question in words", async () => {
    await inChat(async (pane) => {
      pane.type("propose");
      pane.press("Enter");
      const text = await pane.until(/esc says no/);
      assert.match(
        text,
        /\? Go on with this plan\?\n {2}Plan\n\n {2}1\. Add a test\n {2}2\. Run npm test\n\n {4}const a = 1;\n\n[^|]*2\n\n {2}y {2}Allow/,
      );
      assert.match(pane.styled(), /\x1b\[1mAdd/); // oxlint-disable-line no-control-regex
    });
  });

  it("the bell rings for a question and for the end of a turn in a terminal without the focus, and not otherwise", async () => {
    const hasRung = (pane: Pane): boolean => pane.state("window_bell_flag") === "1";
    await inNewChat(async (pane) => {
      pane.type("say one");
      pane.press("Enter");
      await pane.until(/tokens/);
      assert.equal(hasRung(pane), false, "the terminal has the focus");
      pane.type("later knot.txt");
      pane.press("Enter");
      await pane.until(/Thinking/);
      pane.report("focus-out");
      await pane.until(/Allow this edit\?/);
      await pane.until(() => hasRung(pane), "the bell of a question");
    });
    await inNewChat(async (pane) => {
      pane.type("output");
      pane.press("Enter");
      await pane.until(/first\n/);
      pane.report("focus-out");
      await pane.until(/tokens/);
      await pane.until(() => hasRung(pane), "the bell of the end");
    });
  });

  it("Escape twice sends the agent's /rewind, and once does not", async () => {
    await inChat(async (pane) => {
      pane.press("Escape");
      // Longer than two presses that belong together.
      await pause(700);
      pane.type("say hello");
      pane.press("Enter");
      await pane.until(/\nhello\n[^]*tokens/);
      assert.doesNotMatch(pane.text(), /\/rewind/);
      // On a busy machine the two may be read too far apart.
      for (let i = 0; i < 20 && !/You said \/rewind/.test(pane.text()); i++) {
        pane.press("Escape", "Escape");
        await pause(500);
      }
      assert.match(pane.text(), /You said \/rewind/);
      await pane.until(/tokens[^❯]*❯ say hello\n[^❯]*$/, "the prompt that was taken back, in the input line");
    });
  });

  it("an agent cannot put words into the input line that the user has not typed as a prompt", async () => {
    await inChat(async (pane) => {
      for (const hostile of ["!touch /tmp/x", "say @/etc/passwd"]) {
        pane.type(`/rewind ${hostile}`);
        pane.press("Enter");
        await pane.until((text) => text.includes(`You said /rewind ${hostile}`));
        await pane.until(/tokens · \$0\.25\n\n❯\n[^❯]*$/, "an empty input line");
      }
    });
  });

  it("@ completes a file, and Ctrl-V sends the image of the clipboard or says that there is none", async () => {
    const cwd = mkdtempSync(join(tmpdir(), "bowline-clipboard-"));
    try {
      writeFileSync(join(cwd, "reef-knot.txt"), "x");
      writeFileSync(join(cwd, "xclip"), `#!/bin/sh\ncat ${cwd}/clipboard.png\n`, { mode: 0o755 });
      await inChat(
        async (pane) => {
          pane.press("C-v");
          await pane.until(/there is no image in the clipboard/);
          writeFileSync(join(cwd, "clipboard.png"), Buffer.from("89504e470d0a1a0a", "hex"));
          pane.type("look at @reef");
          await pane.until(/^ +@reef-knot\.txt$/m);
          pane.press("Tab", "C-v");
          await pane.until((text) => bottom(text)[0] === "❯ look at @reef-knot.txt [Image #1]");
          pane.press("Enter");
          await pane.until(/You said look at @reef-knot\.txt \[Image #1\] +\[resource_link image\/png\]/);
        },
        { cwd, env: { PATH: `${cwd}:${process.env["PATH"]}` } },
      );
    } finally {
      rmSync(cwd, { recursive: true });
    }
  });

  it("Escape stops a turn as fast as Ctrl-C", async () => {
    // The fastest of some turns: on a busy machine a single one may take any time.
    const tookMs: number[] = [];
    while (tookMs.length < 5 && !tookMs.some((ms) => ms < 450)) {
      await inNewChat(async (pane) => {
        pane.type("wait");
        pane.press("Enter");
        await pane.until(/Wait for the tide/);
        const startedMs = performance.now();
        pane.press("Escape");
        await pane.until(/cancelled/);
        tookMs.push(performance.now() - startedMs);
      });
    }
    assert.ok(Math.min(...tookMs) < 450, `${tookMs.join()} ms; Node's own wait for an escape sequence takes 500 ms`);
  });

  it("Ctrl-R searches earlier prompts", async () => {
    await inNewChat(async (pane) => {
      for (const text of ["say reef", "say sheet"]) {
        pane.type(text);
        pane.press("Enter");
        await pane.until(new RegExp(`\n${text.slice(4)}\n[^]*tokens`));
      }
      pane.press("C-r");
      await pane.until(/Earlier prompts\n▸ say sheet\n {2}say reef/);
      pane.type("ree");
      await pane.until(/▸ say reef\n\n/);
      pane.press("Enter");
      await pane.until((text) => bottom(text)[0] === "❯ say reef");
    });
  });

  it("Tab completes slash commands of the agent and of the chat", async () => {
    await inChat(async (pane) => {
      pane.type("/h");
      await pane.until(/\/help +show the commands and keys\n {2}\/haul +haul it\n {2}\/hoist +hoist it/);
      pane.type("o");
      pane.press("Tab");
      await pane.until((text) => bottom(text)[0] === "❯ /hoist" && /shift-tab/.test(text));
      pane.press("C-u");
      pane.type("/help");
      pane.press("Enter");
      const text = await pane.until(/ctrl-c +stop the agent/);
      assert.match(text, /\/haul +haul it/);
    });
  });

  it("pasted text becomes one draft that can be edited over several lines", async () => {
    await inChat(async (pane) => {
      pane.paste("say one\ntwo\n\tthree");
      await pane.until(/❯ say one\n {2}two\n {6}three\n/);
      pane.press("Up", "Home");
      pane.type("and ");
      await pane.until(/❯ say one\n {2}and two\n/);
      pane.press("M-Enter");
      pane.press("BSpace", "Enter");
      await pane.until(/one and two three|one\nand two\n +three\n\n\ds/);
    });
  });

  it("a prompt typed while the agent works is queued and sent afterwards", async () => {
    await inChat(async (pane) => {
      pane.type("ask a");
      pane.press("Enter");
      await pane.until(/esc says no/);
      pane.press("y");
      await pane.until(/tokens/);
      pane.type("wait");
      pane.press("Enter");
      await pane.until(/Wait for the tide/);
      pane.type("say later");
      pane.press("Enter");
      await pane.until(/❯ say later \(waits\)/);
      pane.press("Escape");
      await pane.until(/❯ say later\n\nlater\n/);
    });
  });

  it("a message that waits is shown below a question that opens, and sent after the turn", async () => {
    await inChat(async (pane) => {
      pane.type("later knot.txt");
      pane.press("Enter");
      await pane.until(/esc stops/);
      pane.type("say afterwards");
      pane.press("Enter");
      await pane.until(/n {2}Reject\n[^]*ctrl-c stops\n\n❯ say afterwards \(waits\)\n\n❯$/);
      pane.press("y");
      await pane.until(/You answered yes\.[^]*❯ say afterwards\n\nafterwards\n/);
    });
  });

  it("prompts are kept in a history file that only its owner can read, unless --no-history is given", async () => {
    await inNewChat(async (pane) => {
      pane.type("say first");
      pane.press("Enter");
      await pane.until(/tokens/);
      pane.press("Up");
      await pane.until((text) => bottom(text)[0] === "❯ say first");
      const file = join(pane.home, ".local/state/bowline/chat-history.jsonl");
      assert.equal(readFileSync(file, "utf8"), '"say first"\n');
      assert.equal(statSync(file).mode & 0o777, 0o600);
    });
    await inChat(
      async (pane) => {
        pane.type("say secret");
        pane.press("Enter");
        await pane.until(/tokens/);
        assert.throws(() => statSync(join(pane.home, ".local")));
      },
      { words: ["--no-history"] },
    );
  });

  it("the plan stays visible while the agent works", async () => {
    await inNewChat(async (pane) => {
      pane.type("plan");
      pane.press("Enter");
      await pane.until(/✻ First one, then two\.\n\n {2}◐ One\n {2}○ Two\n\n/);
      pane.press("C-c");
      await pane.until(/tokens/);
      await pane.until((text) => text.match(/◐ One/g)?.length === 1, "the plan, once");
    });
  });

  it("the screen stays intact in a narrow window, also with wide characters", async () => {
    await inNewChat(async (pane) => {
      const wide = "結び目は船乗りの命綱である ".repeat(6).trim();
      pane.type(`say ${wide}`);
      pane.resize(40, 20);
      await pane.until(/shift-tab mode · \/help/);
      pane.press("Enter");
      await pane.until(/tokens/);
      pane.type("say 👍🏽 e\u0301 漢字");
      await pane.until(/漢字\n/);
      pane.press("BSpace", "BSpace", "BSpace", "BSpace", "BSpace");
      await pane.until((text) => bottom(text)[0] === "❯ say 👍🏽", "five characters fewer");
      const text = pane.text();
      assert.equal(text.match(/shift-tab/g)?.length, 1, `the bottom is there once in\n${text}`);
      for (const line of text.split("\n")) assert.ok(line.length <= 40, line);
    });
  });

  it("NO_COLOR turns colours off and keeps bold", async () => {
    await inChat(
      async (pane) => {
        pane.type("say A **bold** word");
        pane.press("Enter");
        await pane.until(/A bold word\n\n/);
        assert.match(pane.styled(), /\x1b\[1mbold/); // oxlint-disable-line no-control-regex
        assert.doesNotMatch(pane.styled(), /\x1b\[3[1-7]m/); // oxlint-disable-line no-control-regex
      },
      { env: { NO_COLOR: "1" } },
    );
  });

  it("a dumb terminal gets the plain frontend", async () => {
    using pane = new Pane(["env", "TERM=dumb", ...bowline("chat", "--", ...specAgent("scripted"))]);
    await pane.until(/Scripted 1\.0\.0/);
    pane.type("ask knot.txt");
    pane.press("Enter");
    await pane.until(/ n {2}Reject\n\?/);
    pane.type("y");
    pane.press("Enter");
    await pane.until(/You answered yes\./);
    pane.press("C-d");
    assert.equal(await pane.exit(), 0);
  });

  it("in the plain frontend a line typed before a question is a prompt, not an answer", async () => {
    using pane = new Pane(["env", "TERM=dumb", ...bowline("chat", "--", ...specAgent("scripted"))]);
    await pane.until(/Scripted 1\.0\.0/);
    pane.type("later knot.txt");
    pane.press("Enter");
    pane.type("y");
    pane.press("Enter");
    await pane.until(/Always allow this \(type always\)\n[^]*\?$/);
    pane.type("a");
    pane.press("Enter");
    await pane.until(/not an answer; it is sent as your next message\n\?$/);
    assert.doesNotMatch(pane.text(), /You answered/);
    pane.type("always");
    pane.press("Enter");
    await pane.until(/You answered always\.[^]*You said y[^]*You said a/);
  });

  it("Ctrl-Z suspends the chat and fg resumes it", async () => {
    using pane = new Pane([
      "sh",
      "-mc",
      `"$@" & fg %1 || { stty -a | grep -q " icanon" && echo "[cooked]"; sleep 1; fg %1; }`,
      "sh",
      ...bowline("chat", "--", ...specAgent("scripted")),
    ]);
    await pane.until(/shift-tab mode/);
    pane.press("C-z");
    await pane.until(/\[cooked\]/);
    await pane.until(
      (text) => /shift-tab mode/.test(text.slice(text.indexOf("[cooked]"))),
      "the line to type in again",
    );
    pane.type("say on");
    pane.press("Enter");
    await pane.until(/\non\n\n/);
  });

  it("escape sequences of an agent do not reach the terminal", async () => {
    await inChat(
      async (pane) => {
        pane.type("hostile");
        pane.press("Enter");
        await pane.until(/esc says no/);
        const [title] = pane.state("pane_title").split("\n");
        pane.press("y");
        const text = await pane.until(/cut in two[^]*tokens/);
        assert.match(text, /❯ hostile/, "nothing was cleared");
        assert.match(text, /rm -rf ~ ls/);
        assert.equal(pane.state("pane_title"), title, "the title stays");
        assert.equal(pane.state("alternate_on"), "0");
        assert.equal(pane.clipboard(), "", "nothing was copied");
        await pane.until(/shift-tab mode/);
        await leave(pane);
      },
      { rows: 40 },
    );
  });

  it("the chat says why the agent is gone", async () => {
    await inNewChat(async (pane) => {
      pane.type("die");
      pane.press("Enter");
      assert.equal(await pane.exit(), 1);
      assert.match(
        pane.text(),
        /bowline: the agent is gone: the program exited with code 3; its last\s+output:\s+the\s+rope\s+broke/,
      );
    });
  });

  it("the chat and its agent end when the terminal is closed", async () => {
    let home = "";
    await inNewChat(async (pane) => {
      ({ home } = pane);
      pane.type("stubborn");
      pane.press("Enter");
      await pane.until(/Thinking/);
      assert.equal((await running(home, 2)).length, 2);
    });
    assert.deepEqual(await running(home, 0), []);
  });

  it("the user can leave while the agent starts", async () => {
    using pane = new Pane(bowline("chat", "--", ...specAgent("misbehaving", "silent")));
    await pane.until(/Starting/);
    pane.press("C-c", "C-c");
    assert.equal(await pane.exit(), 0);
    assert.deepEqual(await running(pane.home, 0), []);
  });

  it("the chat offers the demo where Claude is missing", async () => {
    using pane = new Pane(bowline("chat"), { env: claudeless, columns: 100 });
    const text = await pane.until(/Watch the recorded session now[^]*esc says no/);
    assert.match(text, /! the Claude CLI was not found; install it with/);
    pane.press("n");
    assert.equal(await pane.exit(), 1);
  });
});
