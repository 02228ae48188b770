/**
 * Plain: a conversation over pipes. Lines in are prompts, lines out are what happens.
 *
 * Nothing is drawn twice and nobody is asked who is not there: without a terminal to
 * type in, every question is answered as `unattended` says.
 */
import { createInterface } from "node:readline";
import type { PermissionOption, RequestPermissionOutcome } from "../../acp/index.ts";
import type { Front } from "./front.ts";
import type { Look } from "./look.ts";
import { answerLines, answersTo, chosen, nameOf, noAnswer, refusal } from "./question.ts";

export interface PlainOptions {
  readonly input: NodeJS.ReadableStream;
  readonly output: NodeJS.WritableStream;
  readonly look: Look;
  /** Somebody types here who can be asked. */
  readonly isAttended: boolean;
  /** How a question is answered that nobody can hear. */
  readonly unattended: (options: readonly PermissionOption[]) => RequestPermissionOutcome;
}

/** After so many wrong answers it is no. */
const maxTries = 3;

export function plainFront({ input, output, look, isAttended, unattended }: PlainOptions): Front {
  const arrived: string[] = [];
  let isOver = false;
  let resolveLeft = (): void => {};
  const left = new Promise<void>((resolve) => (resolveLeft = resolve));
  let wake = (): void => {};
  const lines = createInterface({ input, terminal: false, crlfDelay: Infinity });
  lines.on("line", (line) => {
    arrived.push(line);
    wake();
  });
  lines.on("close", () => {
    isOver = true;
    wake();
  });
  const write = (text: string): unknown => output.write(text);
  const print = (all: readonly string[]): unknown => write(all.map((line) => `${line}\n`).join(""));

  /** The next line; undefined at the end or when it is called off. */
  async function read(sign: string, signal?: AbortSignal): Promise<string | undefined> {
    if (isAttended) write(sign);
    while (arrived.length === 0 && !isOver && signal?.aborted !== true) {
      await new Promise<void>((resolve) => {
        wake = resolve;
        signal?.addEventListener("abort", () => resolve(), { once: true });
      });
    }
    return signal?.aborted === true ? undefined : arrived.shift();
  }

  return {
    open: () => {},
    print: (all) => void print(all),
    refresh: () => {},
    busy: () => {},
    left,
    leave: () => {
      isOver = true;
      arrived.length = 0;
      wake();
      resolveLeft();
    },
    close: () => lines.close(),
    next: () => read("> "),
    line: async (question, signal) => {
      print(question);
      return isAttended ? read("> ", signal) : undefined;
    },
    choose: async (options, signal) => {
      if (!isAttended) {
        const outcome = unattended(options);
        print([`  ${look.paint.dim(`nobody to ask: ${nameOf(options, outcome)}`)}`]);
        return outcome;
      }
      const answers = answersTo(options);
      print(answerLines(answers, look));
      for (let tries = 0; tries < maxTries; tries++) {
        const said = await read("? ", signal);
        if (said === undefined) return noAnswer;
        const outcome = chosen(answers, said);
        if (outcome !== undefined) return outcome;
      }
      return refusal(options);
    },
  };
}
