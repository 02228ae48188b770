/**
 * Our own client with an agent that a command starts, for one session.
 *
 * Allows every permission request once, unless told to reject or never to answer, and keeps every line.
 */
import { childLink, client, type ClientConnection, type Link } from "../../../lib/index.ts";

export interface Editor {
  readonly agent: ClientConnection;
  /** Every line of the agent, in order. */
  readonly lines: readonly string[];
  readonly stderr: () => string;
  /** Opens a session and sends prompts, one after the other; returns each response or its error's message. */
  readonly work: (cwd: string, ...prompts: readonly string[]) => Promise<readonly string[]>;
  readonly leave: () => Promise<void>;
}

export async function editor(
  [command = "", ...args]: readonly string[],
  {
    env = {},
    allows = true,
  }: {
    readonly env?: Readonly<Record<string, string>>;
    readonly allows?: boolean | "never answers";
  } = {},
): Promise<Editor> {
  const lines: string[] = [];
  const child = childLink(command, args, { env: { ...process.env, ...env } });
  const agent = await client(heard(child, lines), {
    info: { name: "editor", version: "1" },
    handlers: () => ({
      "session/update": () => {},
      "session/request_permission": ({ options }) => {
        if (allows === "never answers") return new Promise<never>(() => {});
        const wanted = options.find(({ kind }) => kind === (allows ? "allow_once" : "reject_once"));
        return { outcome: wanted ? { outcome: "selected", optionId: wanted.optionId } : { outcome: "cancelled" } };
      },
    }),
  });
  return {
    agent,
    lines,
    stderr: child.stderrTail,
    work: async (cwd, ...prompts) => {
      const { sessionId } = await agent.call("session/new", { cwd, mcpServers: [] });
      const answers: string[] = [];
      for (const text of prompts) {
        const sent = agent.prompt({ sessionId, prompt: [{ type: "text", text }] });
        answers.push(
          await sent.then(
            ({ stopReason }) => stopReason,
            (cause: unknown) => String(cause),
          ),
        );
      }
      return answers;
    },
    leave: async () => {
      agent.close("the editor is done");
      await agent.settled;
    },
  };
}

/** What the user sees of the agent's lines: chunks joined, without the ids of this run. */
export function shown(lines: readonly string[]): readonly unknown[] {
  const all: unknown[] = [];
  let text = "";
  for (const line of lines) {
    const { params, result, method } = JSON.parse(
      line.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, "uuid"),
    );
    const update = params?.update;
    if (update?.sessionUpdate === "agent_message_chunk") {
      text += update.content.text;
      continue;
    }
    all.push({ method, params, result, text });
    text = "";
  }
  return all;
}

function heard(link: Link, lines: string[]): Link {
  return {
    open: (callbacks) =>
      link.open({
        onLine(line) {
          lines.push(line);
          callbacks.onLine(line);
        },
        onFault: (fault) => callbacks.onFault(fault),
        onDrain: () => callbacks.onDrain(),
        onEnd: () => callbacks.onEnd(),
        onClose: (reason) => callbacks.onClose(reason),
      }),
    send: (line) => link.send(line),
    pause: () => link.pause(),
    resume: () => link.resume(),
    close: (reason) => link.close(reason),
  };
}
