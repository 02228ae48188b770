/**
 * Agent: Claude Code as an ACP agent, on one link.
 *
 * When the client goes, so does everything that was started for it.
 */
import { agent, type AgentConnection, type InitializeRequest } from "../acp/index.ts";
import type { After } from "../claude/index.ts";
import type { View } from "../translate/index.ts";
import { version } from "../version.ts";
import type { Link } from "../wire/index.ts";
import { agentHandlers, steering } from "./handlers.ts";
import type { Launcher } from "./launcher.ts";
import type { Saved } from "./saved.ts";
import { Sessions } from "./sessions.ts";
import type { Settings } from "./settings.ts";
import { type Program, signInMethods } from "./sign-in.ts";

/** How long a session keeps its CLI without a prompt. */
export const defaultRestMs = 30 * 60_000;

export interface ClaudeAgentOptions {
  readonly launcher: Launcher;
  readonly after: After;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly program: Program;
  /** The conversations on disk. */
  readonly saved: Saved;
  /** What sessions begin with; what is left out is the user's own choice. */
  readonly settings?: Partial<Settings> | undefined;
  /** Also speaks the dialect of 2025: `models` and `current_model_update`. */
  readonly isLegacy?: boolean | undefined;
  /** Keeps a session ready for the next one who asks; on unless said otherwise. */
  readonly keepsWarm?: boolean | undefined;
  /** How long a session keeps its CLI without a prompt; 0 is for ever. */
  readonly restMs?: number | undefined;
  /** A file's text as it is now, where that can be known. */
  readonly textOf?: View["textOf"] | undefined;
  /** False where the CLI would refuse bypassPermissions. */
  readonly mayBypass?: boolean | undefined;
  readonly onBug?: ((doing: string, cause: unknown) => void) | undefined;
}

export interface ClaudeAgent {
  readonly connection: AgentConnection;
  /** Ends every session and what it started. */
  readonly stop: (reason: string) => Promise<void>;
}

export function claudeAgent(link: Link, options: ClaudeAgentOptions): ClaudeAgent {
  const onBug = options.onBug ?? (() => {});
  let sessions: Sessions | undefined;
  let stopped: Promise<void> | undefined;
  const connection = agent(
    link,
    {
      info: { name: "bowline", title: "Claude Code", version },
      prompt: { image: true, embeddedContext: true },
      mcp: { http: true, sse: true },
      additionalDirectories: true,
      authMethods: (request: InitializeRequest) => signInMethods(request, options.program),
      handlers: (client) => agentHandlers(client, (sessions ??= sessionsOf(client)), options),
      extensions: (client) => steering((sessions ??= sessionsOf(client))),
    },
    { onBug },
  );
  void connection.closed.then((reason) => stop(reason));
  return { connection, stop };

  /** Whoever asks again waits for the same end. */
  function stop(reason: string): Promise<void> {
    return (stopped ??= sessions?.closeAll(reason) ?? Promise.resolve());
  }

  function sessionsOf(client: AgentConnection): Sessions {
    return new Sessions(client, {
      launcher: options.launcher,
      after: options.after,
      saved: options.saved,
      settings: options.settings ?? {},
      env: options.env,
      keepsWarm: options.keepsWarm ?? true,
      restMs: options.restMs ?? defaultRestMs,
      mayBypass: options.mayBypass ?? false,
      isLegacy: options.isLegacy ?? false,
      textOf: options.textOf ?? (() => undefined),
      onBug,
    });
  }
}
