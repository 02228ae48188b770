/**
 * Runs prompts on an agent and returns the traffic as the rows of a tape.
 *
 * Permission requests are all allowed or all refused. The client offers no files and no
 * terminals. A run that takes longer than its limit is ended and checked as it is.
 */
import { client } from "../../acp/index.ts";
import type { Row } from "../../tape/index.ts";
import { childLink, type Link, parseBoundedJson } from "../../wire/index.ts";
import { version } from "../../version.ts";
import { CommandFailure } from "../command.ts";

export interface LiveRunOptions {
  readonly program: readonly string[];
  readonly prompts: readonly string[];
  readonly cwd: string;
  readonly isAllowing: boolean;
  readonly limitMs: number;
  readonly env: NodeJS.ProcessEnv;
}

export async function liveRun(options: LiveRunOptions): Promise<readonly Row[]> {
  const { program, prompts, cwd, isAllowing, limitMs, env } = options;
  const [command = "", ...args] = program;
  const child = childLink(command, args, { cwd, env });
  if (child.pid === undefined) throw new CommandFailure(`could not start ${command}: is it installed and on PATH?`);
  const rows: Row[] = [];
  const startMs = performance.now();
  const keep = (dir: "in" | "out", line: string): void => {
    const atMs = performance.now() - startMs;
    rows.push({ kind: "message", dir, msg: parseBoundedJson(line), line, atMs, side: "acp", session: undefined });
  };
  let timer: NodeJS.Timeout | undefined;
  const limit = new Promise<void>((resolve) => (timer = setTimeout(resolve, limitMs)));
  try {
    await Promise.race([limit, talk(kept(child, keep))]);
    return rows;
  } finally {
    clearTimeout(timer);
    child.close("the run is over");
  }

  async function talk(link: Link): Promise<void> {
    const agent = await client(link, {
      info: { name: "bowline expect", version },
      handlers: () => ({
        "session/update": () => {},
        "session/request_permission": ({ options: given }) => {
          const wanted = isAllowing ? "allow" : "reject";
          const chosen =
            given.find(({ kind }) => kind === `${wanted}_once`) ?? given.find(({ kind }) => kind.startsWith(wanted));
          return { outcome: chosen ? { outcome: "selected", optionId: chosen.optionId } : { outcome: "cancelled" } };
        },
      }),
    }).catch((cause: unknown) => refused("initialize", cause));
    const { sessionId } = await agent
      .call("session/new", { cwd, mcpServers: [] })
      .catch((cause: unknown) => refused("session/new", cause));
    for (const text of prompts) {
      // A failed prompt is on the tape; `checkExpectations` sees it there.
      await agent.prompt({ sessionId, prompt: [{ type: "text", text }] }).catch(() => undefined);
    }
    agent.close("the run is over");
    await agent.settled;
  }
}

function refused(method: string, cause: unknown): never {
  throw new CommandFailure(
    `the agent did not answer ${method}: ${cause instanceof Error ? cause.message : "it failed"}`,
    {
      cause,
    },
  );
}

function kept(link: Link, keep: (dir: "in" | "out", line: string) => void): Link {
  return {
    open: (callbacks) =>
      link.open({
        onLine(line) {
          keep("out", line);
          callbacks.onLine(line);
        },
        onFault: (fault) => callbacks.onFault(fault),
        onDrain: () => callbacks.onDrain(),
        onEnd: () => callbacks.onEnd(),
        onClose: (reason) => callbacks.onClose(reason),
      }),
    send(line) {
      keep("in", line);
      return link.send(line);
    },
    pause: link.pause,
    resume: link.resume,
    close: link.close,
  };
}
