/**
 * The plain frontend, for pipes and terminals without cursor movement: each input line
 * is a prompt, output is printed once and never redrawn.
 *
 * Without a user at a terminal, every permission request is answered by `unattended`. A
 * line that arrived before a question was asked is a prompt and never answers it.
 */
import { createInterface } from "node:readline";
import type { PermissionOption, RequestPermissionOutcome } from "../../../acp/index.ts";
import { terminalText } from "../../print.ts";
import type { Frontend, Question } from "./frontend.ts";
import type { Picked, PickList } from "./open-list.ts";
import { visibleLine } from "../render/sanitize.ts";
import type { Theme } from "../render/theme.ts";
import { answerLines, answersTo, chosenByLine, noAnswer, refusal } from "../render/permission-prompt.ts";

export interface PipeFrontendOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly theme: Theme;
  /** Input is a terminal, so the user can be asked. */
  readonly isAttended: boolean;
  /** The answer to questions when the user cannot be asked. */
  readonly unattended: (options: readonly PermissionOption[]) => RequestPermissionOutcome;
}

/** After this many lines that are no answer, the question is refused. */
const maxTries = 3;
/** Prompts kept in memory; further ones stay in the pipe. */
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
  // The reader of our output is gone.
  output.on("error", () => {
    isGone = true;
    leave();
  });
  const print = (all: readonly string[]): void =>
    write(terminalText(all.map((line) => `${line}\n`).join(""), theme.paint.isOn));

  /** The next line; undefined at the end of input or when `signal` aborts. */
  async function read(sign: string, signal?: AbortSignal): Promise<string | undefined> {
    if (isAttended) write(sign);
    while (arrived.length === 0 && !isOver && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    // Since Node 24 a closed interface throws.
    if (!isOver) lines.resume();
    return signal?.aborted === true ? undefined : arrived.shift();
  }

  async function ask({ options, asked }: Question, signal: AbortSignal): Promise<RequestPermissionOutcome> {
    const answers = answersTo(options);
    print(answerLines(answers, theme, { isTyped: true, asked }));
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

  async function pick({ title, items, typing }: PickList, signal: AbortSignal): Promise<Picked> {
    print([visibleLine(title), ...items.map(({ label }, i) => `  ${i + 1}  ${visibleLine(label)}`)]);
    const prompts = arrived.splice(0);
    try {
      const said = (await read("? ", signal))?.trim() ?? "";
      const indexes = said.split(/[\s,]+/).map((word) => Number(word) - 1);
      if (indexes.every((index) => items[index] !== undefined)) return { kind: "items", indexes };
      return said === "" || typing === "filter" ? { kind: "cancelled" } : { kind: "text", text: said };
    } finally {
      if (!hasLeft) arrived.unshift(...prompts);
    }
  }

  return {
    isAttended,
    open: () => {},
    print,
    drained: () => draining,
    refresh: () => {},
    busy: () => {},
    left,
    leave,
    close: () => lines.close(),
    submit: (line) => {
      arrived.unshift(line);
      wake();
    },
    prefill: () => {},
    next: () => read("> "),
    choose: async (question, signal) => ({
      outcome: isAttended ? await ask(question, signal) : unattended(question.options),
    }),
    pick: async (list, signal) => (isAttended ? pick(list, signal) : { kind: "cancelled" }),
  };
}
