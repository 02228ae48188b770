/**
 * The errors that a `ClaudeConnection` and the search for the CLI report.
 *
 * Messages are fit to be shown to the user. They never contain what was sent, because
 * prompts, environment variables and headers carry secrets.
 */

export interface ExitFacts {
  readonly code: number | null;
  readonly signal: string | null;
  /** The last lines the CLI wrote to stderr. */
  readonly stderr: readonly string[];
}

/** The CLI has exited, or the link to it has closed. Every pending request rejects with it. */
export class ClaudeExit extends Error {
  override readonly name = "ClaudeExit";
  /** Null when a signal ended the CLI, or when the CLI never ran. */
  readonly code: number | null;
  readonly signal: string | null;
  readonly stderr: readonly string[];

  constructor(reason: string, facts: ExitFacts = unknownExit) {
    super(reason);
    this.code = facts.code;
    this.signal = facts.signal;
    this.stderr = facts.stderr;
  }
}

/** The CLI refused a control request. */
export class ControlRefused extends Error {
  override readonly name = "ControlRefused";
  readonly subtype: string;
  /** The CLI's own error code, such as `bypass_not_launched` or `unsupported_request`. */
  readonly code: string | undefined;

  constructor(subtype: string, message: string, code?: string) {
    super(message);
    this.subtype = subtype;
    this.code = code;
  }
}

/** The CLI did not answer a control request in time. */
export class ControlTimeout extends Error {
  override readonly name = "ControlTimeout";
  readonly subtype: string;
  readonly limitMs: number;

  constructor(subtype: string, limitMs: number) {
    super(`${subtype}: no answer within ${limitMs} ms`);
    this.subtype = subtype;
    this.limitMs = limitMs;
  }
}

/** There is no usable CLI. The message says what the user can do. */
export class ClaudeNotFound extends Error {
  override readonly name = "ClaudeNotFound";
  readonly why: "missing" | "unusable" | "too-old";
  readonly path: string | undefined;

  constructor(why: "missing" | "unusable" | "too-old", message: string, path?: string) {
    super(message);
    this.why = why;
    this.path = path;
  }
}

const unknownExit: ExitFacts = { code: null, signal: null, stderr: [] };
