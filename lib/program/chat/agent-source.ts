/**
 * Agent source: an agent to talk to, and what can be told of it when it is gone.
 *
 * Our own runs in this process: it starts at once, and one process less is one less
 * to outlive us. Any other is a child.
 */
import { type Link, childLink } from "../../wire/index.ts";
import { sanitizeLine, sanitizeOutput } from "./render/sanitize.ts";
import { cut } from "./render/text-width.ts";

export interface AgentSource {
  readonly link: Link;
  /** How a person calls it, until it says so itself. */
  readonly name: string;
  /** Why it is gone, as far as it can be known. */
  readonly why: (reason: string) => string;
  /** Resolves when nothing of it runs any longer. */
  readonly stopped: () => Promise<void>;
}

const maxLastWords = 300;
const maxNameChars = 60;

/** A program that speaks the protocol on its standard streams. */
export function agentProgram(words: readonly string[], cwd: string): AgentSource {
  const [command = "", ...args] = words;
  const child = childLink(command, args, { cwd });
  let garbage = "";
  let resolve = (): void => {};
  const gone = new Promise<void>((settle) => (resolve = settle));
  return {
    name: cut(sanitizeLine(words.join(" ")), maxNameChars),
    link: {
      send: child.send,
      pause: child.pause,
      resume: child.resume,
      close: child.close,
      open: (callbacks) =>
        child.open({
          onLine: (line) => {
            if (!/^\s*[{[]/.test(line)) garbage = line;
            callbacks.onLine(line);
          },
          onFault: (fault) => callbacks.onFault(fault),
          onDrain: () => callbacks.onDrain(),
          onEnd: () => callbacks.onEnd(),
          onClose: (reason) => {
            resolve();
            callbacks.onClose(reason);
          },
        }),
    },
    why: (reason) => {
      const said = lastWords(child.stderrTail()) || lastWords(garbage);
      return said === "" ? reason : `${reason}; its last words: ${said}`;
    },
    stopped: () => gone,
  };
}

/** A command line as a shell would split it; nothing in it is expanded. */
export function splitCommand(line: string): readonly string[] {
  const words = line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))+/g);
  return [...words].map(([whole]) =>
    whole.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_all, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? "") : double.replaceAll(/\\(["\\$`])/g, "$1"),
    ),
  );
}

function lastWords(text: string): string {
  const lines = sanitizeOutput(text).trim().split("\n").slice(-2).map(sanitizeLine);
  return lines.join(" / ").slice(-maxLastWords);
}
