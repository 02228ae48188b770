/**
 * Defines a recording: what is sent to the CLI, and what the model answers, for one
 * tape.
 *
 * A recording is data except for `play`; without `play`, a single prompt with the
 * recording's own marker is sent and its result awaited.
 */
import type { ClaudeHost, ControlAnswer } from "../../support/live/claude-host.ts";
import type { JsonObject } from "../../support/json.ts";
import type { MessagesApi } from "../../support/live/api/fake-messages-api.ts";
import type { Script } from "../../support/live/api/model-script.ts";
import type { LiveEnvironment } from "../../support/live/live-environment.ts";
import type { Workspace } from "../../support/live/workspace.ts";

export interface Recording {
  /** The file's stem and the marker of its prompt. */
  readonly name: string;
  /** One line for the index. */
  readonly what: string;
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  readonly initialize?: JsonObject;
  /** Scripts by marker; the one named after the recording is the main one. */
  readonly scripts: (place: Workspace) => Readonly<Record<string, Script>>;
  readonly prepare?: (place: Workspace, api: MessagesApi) => void;
  /** How the CLI's own requests are answered, from the start. */
  readonly usual?: ControlAnswer;
  readonly play?: (host: ClaudeHost, environment: LiveEnvironment) => Promise<void>;
}

/** Sends the prompt of a recording and waits for the end of its turn. */
export async function promptOnce(host: ClaudeHost, name: string): Promise<void> {
  await host.prompt(`[[${name}]] go`);
  await idleAfter(
    host,
    host.lines.items.findLastIndex((line) => line["type"] === "result"),
  );
}

/** Waits until the session says it is idle, after the line at this position. */
export async function idleAfter(host: ClaudeHost, from: number): Promise<void> {
  await host.lines.waitFor((line) => line["subtype"] === "session_state_changed" && line["state"] === "idle", {
    from,
    what: "an idle session",
  });
}
