/**
 * Plain: a conversation over pipes. Lines in are prompts, lines out are what happens.
 *
 * Nothing is drawn twice and nobody is asked who is not there: without a terminal to
 * type in, every question is answered as `unattended` says. A line typed before a
 * question was asked is a prompt and does not answer it.
 */
import { createInterface } from "node:readline";
import type { PermissionOption, RequestPermissionOutcome } from "../../../acp/index.ts";
import { terminalText } from "../../print.ts";
import type { Frontend, Question } from "./frontend.ts";
import type { Theme } from "../render/theme.ts";
import { answerLines, answersTo, chosenByLine, noAnswer, refusal } from "../render/permission-prompt.ts";

export interface PipeFrontendOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly theme: Theme;
  /** Somebody types here who can be asked. */
  readonly isAttended: boolean;
  /** How a question is answered that nobody can hear. */
  readonly unattended: (options: readonly PermissionOption[]) => RequestPermissionOutcome;
}

/** After so many wrong answers it is no. */
const maxTries = 3;
/** Prompts that wait for their turn; the rest stays in the pipe. */
const maxArrived = 100;

export function pipeFrontend({ input, output, theme, isAttended, unattended }: PipeFrontendOptions): Frontend {
  const arrived: string[] = [];
  let isOver = false;
  let isGone = false;
  let hasLeft = false;
  let resolveLeft = (): void => {};
  const left = new Promise<void>((resolve) => (resolveLeft = resolve));
  let wake = (): void => {};
  const lines = createInterface({ input, terminal: false, crlfDelay: Infinity });
  lines.on("line", (line) => {
    if (arrived.push(line) >= maxArrived) lines.pause();
    wake();
  });
  lines.on("close", () => {
    isOver = true;
    wake();
  });
  let draining: Promise<void> | undefined;
  const write = (text: string): void => {
    if (isGone || output.write(text)) return;
    draining ??= new Promise((resolve) => {
      output.once("drain", resolve);
      void left.then(resolve);
    }).then(() => void (draining = undefined));
  };
  const leave = (): void => {
    isOver = true;
    hasLeft = true;
    arrived.length = 0;
    wake();
    resolveLeft();
  };
  // Nobody reads any longer.
  output.on("error", () => {
    isGone = true;
    leave();
  });
  const print = (all: readonly string[]): void =>
    write(terminalText(all.map((line) => `${line}\n`).join(""), theme.paint.isOn));

  /** The next line; undefined at the end or when it is called off. */
  async function read(sign: string, signal?: AbortSignal): Promise<string | undefined> {
    if (isAttended) write(sign);
    while (arrived.length === 0 && !isOver && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    lines.resume();
    return signal?.aborted === true ? undefined : arrived.shift();
  }

  async function ask({ options }: Question, signal: AbortSignal): Promise<RequestPermissionOutcome> {
    const answers = answersTo(options);
    print(answerLines(answers, theme, { isTyped: true }));
    const prompts = arrived.splice(0);
    lines.resume();
    try {
      for (let tries = 0; tries < maxTries; tries++) {
        const said = await read("? ", signal);
        if (said === undefined) return noAnswer;
        const outcome = chosenByLine(answers, said);
        if (outcome !== undefined) return outcome;
        if (said.trim() === "") continue;
        prompts.push(said);
        print(["  not an answer; it is sent as your next message"]);
      }
      return refusal(options);
    } finally {
      if (!hasLeft) arrived.unshift(...prompts);
    }
  }

  return {
    open: () => {},
    print,
    drained: () => draining,
    refresh: () => {},
    busy: () => {},
    left,
    leave,
    close: () => lines.close(),
    next: () => read("> "),
    choose: async (question, signal) => (isAttended ? ask(question, signal) : unattended(question.options)),
  };
}
