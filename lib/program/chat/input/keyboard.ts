/**
 * Reads keys from a terminal in raw mode, and restores the terminal.
 *
 * Restores it also when the process is suspended (Ctrl-Z) and when it exits without
 * `close` having been called.
 */
import { emitKeypressEvents, type Interface } from "node:readline";
import type { ReadStream, WriteStream } from "node:tty";
import type { Key } from "./line-editor.ts";

export interface KeyboardCallbacks {
  readonly onKey: (key: Key) => void;
  /** Stdin ended. */
  readonly onEnd: () => void;
  readonly onResize: () => void;
  /** The terminal got or lost the focus. */
  readonly onFocus: (isFocused: boolean) => void;
  /** Called before the terminal is restored, to remove the drawn region. */
  readonly onRestore: () => void;
}

const pasteOn = "\x1b[?2004h";
const pasteOff = "\x1b[?2004l";
/** The terminal reports its focus as \\x1b[I and \\x1b[O. */
const focusOn = "\x1b[?1004h";
const focusOff = "\x1b[?1004l";
/** How long Escape waits for the rest of an escape sequence; Node's default of 500 ms delays every Escape. */
const escapeCodeTimeout = 50;

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
    // Node reads only this field of the interface.
    emitKeypressEvents(this.#input, { escapeCodeTimeout } as unknown as Interface);
    this.#input.on("keypress", this.#onKeypress);
    this.#input.on("end", this.#callbacks.onEnd);
    this.#output.on("resize", this.#callbacks.onResize);
    process.on("SIGCONT", this.#enterRawMode);
    process.on("exit", this.close);
    this.#enterRawMode();
    this.#input.resume();
  }

  readonly close = (): void => {
    if (!this.#isOpen) return;
    this.#isOpen = false;
    this.#input.off("keypress", this.#onKeypress);
    this.#input.off("end", this.#callbacks.onEnd);
    this.#output.off("resize", this.#callbacks.onResize);
    process.off("SIGCONT", this.#enterRawMode);
    process.off("exit", this.close);
    this.#restore();
    this.#input.pause();
  };

  /** Suspends the whole process group, as Ctrl-Z does in a terminal that is not raw. */
  suspend(): void {
    if (process.platform === "win32") return;
    this.#restore();
    process.kill(0, "SIGTSTP");
  }

  readonly #onKeypress = (_text: unknown, key: Key): void => {
    if (key.sequence === "\x1b[I" || key.sequence === "\x1b[O") this.#callbacks.onFocus(key.sequence === "\x1b[I");
    else this.#callbacks.onKey(key);
  };

  readonly #enterRawMode = (): void => {
    this.#input.setRawMode(true);
    this.#output.write(pasteOn + focusOn);
    this.#callbacks.onResize();
  };

  #restore(): void {
    this.#callbacks.onRestore();
    this.#output.write(focusOff + pasteOff);
    try {
      this.#input.setRawMode(false);
    } catch {
      // The terminal is closed already.
    }
  }
}
