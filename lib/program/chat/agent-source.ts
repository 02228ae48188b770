/**
 * Starts an agent for the chat to talk to, and explains why it is gone.
 *
 * Other agents run as child processes; our own runs in this process (run-chat.ts),
 * which starts faster and leaves no child process behind.
 */
import { type Link, childLink } from "../../wire/index.ts";
import { sanitizeLine, sanitizeOutput } from "./render/sanitize.ts";
import { cut } from "./render/text-width.ts";

export interface AgentSource {
  readonly link: Link;
  /** Shown to the user until the agent reports its own name. */
  readonly name: string;
  /** Our own agent: the engine and its version, such as "Claude Code 2.1.325". */
  readonly engine?: Promise<string> | undefined;
  /** Adds what is known, such as the end of stderr, to the reason why the agent is gone. */
  readonly explainExit: (reason: string) => string;
  /** Resolves when no process of the agent runs any longer. */
  readonly stopped: () => Promise<void>;
}

const maxTailChars = 300;
const maxNameChars = 60;

/** Starts a program that speaks ACP on stdin and stdout. */
export function agentProgram(words: readonly string[], cwd: string): AgentSource {
  const [command = "", ...args] = words;
  const child = childLink(command, args, { cwd });
  let lastNonJsonLine = "";
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
            if (!/^\s*[{[]/.test(line)) lastNonJsonLine = line;
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
    explainExit: (reason) => {
      const tail = tailOf(child.stderrTail()) || tailOf(lastNonJsonLine);
      return tail === "" ? reason : `${reason}; its last output: ${tail}`;
    },
    stopped: () => gone,
  };
}

/** Splits a command line by the quoting rules of a shell; expands nothing. */
export function splitCommand(line: string): readonly string[] {
  const words = line.matchAll(/(?:"((?:[^"\\]|\\.)*)"|'([^']*)'|((?:[^\s"'\\]|\\.)+))+/g);
  return [...words].map(([whole]) =>
    whole.replaceAll(/"((?:[^"\\]|\\.)*)"|'([^']*)'|\\(.)/g, (_all, double?: string, single?: string, one?: string) =>
      double === undefined ? (single ?? one ?? "") : double.replaceAll(/\\(["\\$`])/g, "$1"),
    ),
  );
}

function tailOf(text: string): string {
  const lines = sanitizeOutput(text).trim().split("\n").slice(-2).map(sanitizeLine);
  return lines.join(" / ").slice(-maxTailChars);
}
