/**
 * Runs a program in a real terminal, by tmux.
 *
 * Each pane has a tmux server of its own, so that the developer's own tmux is not
 * touched. A terminal sends no event when it changes, so `until` polls.
 */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";

export interface PaneOptions {
  readonly columns?: number;
  readonly rows?: number;
  readonly cwd?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const lookMs = 80;
const limitMs = 20_000;

/** Why there can be no pane; undefined when there can. */
export function noPane(): string | undefined {
  return spawnSync("tmux", ["-V"]).status === 0 ? undefined : "tmux is not installed";
}

export class Pane implements Disposable {
  readonly #directory = mkdtempSync(join(tmpdir(), "bowline-pane-"));

  /** Starts a program; its output stays visible, with its exit code, after it has ended. */
  constructor(program: readonly string[], { columns = 80, rows = 30, cwd, env = {} }: PaneOptions = {}) {
    const line = `${program.map(quoted).join(" ")}; echo "[exit $?]"; exec sleep 600`;
    const size = ["-x", String(columns), "-y", String(rows)];
    const usual = { HOME: this.#directory, LANG: "C.UTF-8", LC_ALL: "C.UTF-8", PATH: process.env["PATH"] ?? "" };
    const variables = Object.entries({ ...usual, ...env }).flatMap(([name, value]) => ["-e", `${name}=${value}`]);
    this.#tmux(
      ["-f", "/dev/null", "new-session", "-d", ...size, ...variables, "-c", cwd ?? this.#directory, "sh", "-c", line],
      // tmux takes PATH from its client, whatever -e says.
      { ...usual, ...env, TERM: "xterm-256color", SHELL: "/bin/sh" },
    );
  }

  /** The home of whatever runs here; its own alone. */
  get home(): string {
    return this.#directory;
  }

  /** Keys by tmux's names for them: `Enter`, `C-c`, `BTab`. */
  press(...keys: readonly string[]): void {
    this.#tmux(["send-keys", ...keys]);
  }

  type(text: string): void {
    this.#tmux(["send-keys", "-l", text]);
  }

  /** As the mouse would: in the brackets of a paste, where the program asked for them. */
  paste(text: string): void {
    this.#tmux(["set-buffer", text]);
    this.#tmux(["paste-buffer", "-p"]);
  }

  /** Sends what a terminal sends when it loses or gets the focus. */
  report(what: "focus-in" | "focus-out"): void {
    this.#tmux(["send-keys", "-H", "1b", "5b", what === "focus-in" ? "49" : "4f"]);
  }

  resize(columns: number, rows: number): void {
    this.#tmux(["resize-window", "-x", String(columns), "-y", String(rows)]);
  }

  /** Clears the screen, by the program's own key, and everything that scrolled out of it. */
  async clear(): Promise<void> {
    const before = this.styled();
    this.press("C-l");
    // tmux keeps what a program clears, so its history is cleared afterwards.
    await this.until(() => this.styled() !== before, "an empty screen");
    this.#tmux(["clear-history"]);
  }

  /** The screen, with everything that scrolled out of it. */
  text(): string {
    return this.#tmux(["capture-pane", "-p", "-S", "-2000"]).trimEnd();
  }

  /** The screen, colours included. */
  styled(): string {
    return this.#tmux(["capture-pane", "-p", "-e"]);
  }

  /** The cursor, the alternate screen and the like, by tmux's names. */
  state(...names: readonly string[]): string {
    return this.#tmux(["display-message", "-p", names.map((name) => `#{${name}}`).join(" ")]).trim();
  }

  /** What a program has copied to the clipboard. */
  clipboard(): string {
    return this.#tmux(["list-buffers"]).trim();
  }

  async until(wanted: RegExp | ((text: string) => boolean), what = String(wanted)): Promise<string> {
    const deadline = performance.now() + limitMs;
    for (;;) {
      const text = this.text();
      if (typeof wanted === "function" ? wanted(text) : wanted.test(text)) return text;
      if (performance.now() > deadline)
        throw new Error(`not seen within ${limitMs} ms: ${what}; the terminal has\n${text}`);
      await pause(lookMs);
    }
  }

  /** Waits for the end and gives the exit code. */
  async exit(): Promise<number> {
    const text = await this.until(/\[exit \d+\]\s*$/, "the end of the program");
    return Number(/\[exit (\d+)\]\s*$/.exec(text)?.[1]);
  }

  [Symbol.dispose](): void {
    // Its program may have ended, and the server with it.
    spawnSync("tmux", ["-S", join(this.#directory, "tmux"), "kill-server"]);
    rmSync(this.#directory, { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }

  #tmux(words: readonly string[], env?: Readonly<Record<string, string>>): string {
    const socket = ["-S", join(this.#directory, "tmux")];
    return execFileSync("tmux", ["-u", ...socket, ...words], { encoding: "utf8", ...(env && { env: { ...env } }) });
  }
}

function quoted(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`;
}
