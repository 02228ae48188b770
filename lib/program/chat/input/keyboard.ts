/**
 * Keyboard: a terminal in raw mode, key by key, and given back as it was found.
 *
 * Also when the program is stopped and goes on, and when it ends by a way nobody
 * foresaw.
 */
import { emitKeypressEvents } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import type { Key } from "./line-editor.ts";

export interface KeyboardCallbacks {
  readonly onKey: (key: Key) => void;
  /** Nobody will press a key any more. */
  readonly onEnd: () => void;
  readonly onResize: () => void;
  /** The terminal is given back; what is drawn below the last line goes first. */
  readonly onGiveBack: () => void;
}

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";

export class Keyboard {
  readonly #input: ReadStream;
  readonly #output: WriteStream;
  readonly #callbacks: KeyboardCallbacks;
  #isOpen = false;

  constructor(input: ReadStream, output: WriteStream, callbacks: KeyboardCallbacks) {
    this.#input = input;
    this.#output = output;
    this.#callbacks = callbacks;
  }

  open(): void {
    this.#isOpen = true;
    emitKeypressEvents(this.#input);
    this.#input.on("keypress", this.#onKeypress);
    this.#input.on("end", this.#callbacks.onEnd);
    this.#output.on("resize", this.#callbacks.onResize);
    process.on("SIGCONT", this.#take);
    process.on("exit", this.close);
    this.#take();
    this.#input.resume();
  }

  readonly close = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input.off("keypress", this.#onKeypress);
    this.#input.off("end", this.#callbacks.onEnd);
    this.#output.off("resize", this.#callbacks.onResize);
    process.off("SIGCONT", this.#take);
    process.off("exit", this.close);
    this.#giveBack();
    this.#input.pause();
  };

  /** As the terminal itself would do: everything of this job stops, and goes on with it. */
  suspend(): void {
    if (process.platform === "win32") return;
    this.#giveBack();
    process.kill(0, "SIGTSTP");
  }

  readonly #onKeypress = (_text: unknown, key: Key): void => this.#callbacks.onKey(key);

  readonly #take = (): void => {
    this.#input.setRawMode(true);
    this.#output.write(pasteOn);
    this.#callbacks.onResize();
  };

  #giveBack(): void {
    this.#callbacks.onGiveBack();
    this.#output.write(pasteOff);
    try {
      this.#input.setRawMode(false);
    } catch {
      // The terminal is gone; there is nothing to give back.
    }
  }
}
