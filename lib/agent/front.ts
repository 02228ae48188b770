/**
 * Front: the Claude agent as a client first meets it.
 *
 * Answers `initialize` by itself and lets the work in after that, so that an editor
 * has its answer before the sessions' code is even read. What comes meanwhile waits,
 * in its order. When the client goes, so does everything that was started for it.
 */
import {
  agent,
  type AgentConnection,
  type AgentHandlers,
  type Extensions,
  type InitializeRequest,
} from "../acp/index.ts";
import { version } from "../version.ts";
import type { Link } from "../wire/index.ts";
import { type Program, signInMethods } from "./sign-in-methods.ts";

export interface ClaudeAgent {
  readonly connection: AgentConnection;
  /** Ends every session and what it started. */
  readonly stop: (reason: string) => Promise<void>;
}

/** What stands behind the front. */
export interface Work {
  readonly handlers: Required<AgentHandlers>;
  readonly steer: Extensions[`_${string}`];
  readonly stop: (reason: string) => Promise<void>;
}

export interface FrontOptions {
  readonly program: Program;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

/** Begins the work for a client, at once or as soon as its code is read. */
export type Begin = (client: AgentConnection) => Work | Promise<Work>;

export function agentFront(link: Link, { program, onBug = () => {} }: FrontOptions, begin: Begin): ClaudeAgent {
  let opening: Promise<Work> | undefined;
  let work: Work | undefined;
  /** Why it ended, if it has: work that begins after that ends at once. */
  let over: string | undefined;

  const connection: AgentConnection = agent(
    link,
    {
      info: { name: "bowline", title: "Claude Code", version },
      prompt: { image: true, embeddedContext: true },
      mcp: { http: true, sse: true },
      additionalDirectories: true,
      authMethods: (request: InitializeRequest) => {
        setImmediate(() => open()?.catch((cause: unknown) => onBug("begin", cause)));
        return signInMethods(request, program);
      },
      handlers: () => ({
        authenticate: (params, call) => inside(({ handlers }) => handlers.authenticate(params, call)),
        logout: (params, call) => inside(({ handlers }) => handlers.logout(params, call)),
        "session/new": (params, call) => inside(({ handlers }) => handlers["session/new"](params, call)),
        "session/load": (params, call) => inside(({ handlers }) => handlers["session/load"](params, call)),
        "session/resume": (params, call) => inside(({ handlers }) => handlers["session/resume"](params, call)),
        "session/fork": (params, call) => inside(({ handlers }) => handlers["session/fork"](params, call)),
        "session/list": (params, call) => inside(({ handlers }) => handlers["session/list"](params, call)),
        "session/delete": (params, call) => inside(({ handlers }) => handlers["session/delete"](params, call)),
        "session/status": (params, call) => inside(({ handlers }) => handlers["session/status"](params, call)),
        "session/set_title": (params, call) => inside(({ handlers }) => handlers["session/set_title"](params, call)),
        "session/prompt": (params, call) => inside(({ handlers }) => handlers["session/prompt"](params, call)),
        "session/cancel": (params) => inside(({ handlers }) => handlers["session/cancel"](params)),
        "session/set_mode": (params, call) => inside(({ handlers }) => handlers["session/set_mode"](params, call)),
        "session/set_model": (params, call) => inside(({ handlers }) => handlers["session/set_model"](params, call)),
        "session/set_config_option": (params, call) =>
          inside(({ handlers }) => handlers["session/set_config_option"](params, call)),
        "session/close": (params, call) => inside(({ handlers }) => handlers["session/close"](params, call)),
      }),
      extensions: () => ({ "_session/steer": (params, call) => inside(({ steer }) => steer(params, call)) }),
    },
    { onBug },
  );
  void connection.closed.then((reason) => stop(reason));
  return { connection, stop };

  /** Undefined once the work has begun. */
  function open(): Promise<Work> | undefined {
    if (work !== undefined || opening !== undefined) return opening;
    const begun = begin(connection);
    if (!(begun instanceof Promise)) {
      letIn(begun);
      return undefined;
    }
    // Calls that wait are next in line when this one is over, before anything new arrives.
    return (opening = begun.then(letIn));
  }

  function letIn(ready: Work): Work {
    opening = undefined;
    work = ready;
    if (over !== undefined) void ready.stop(over);
    return ready;
  }

  function inside<T>(use: (ready: Work) => T | Promise<T>): T | Promise<T> {
    const waiting = open();
    if (waiting !== undefined) return waiting.then(use);
    if (work === undefined) throw new Error("the work has not begun");
    return use(work);
  }

  async function stop(reason: string): Promise<void> {
    over ??= reason;
    const begun = work ?? (await opening?.catch(() => undefined));
    await begun?.stop(reason);
  }
}
