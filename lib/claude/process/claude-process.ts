/**
 * Runs the user's Claude CLI as a child process and offers it as a link.
 *
 * Only whole JSON objects are written to stdin, because the CLI exits at any other line.
 */
import { GuardedProcess, type GuardedLaunch } from "../../process/index.ts";
import type { LinkCallbacks } from "../../wire/index.ts";
import { ClaudeExit } from "../errors.ts";
import type { ClaudeLink } from "../claude-connection.ts";

export type ProcessLaunch = Omit<GuardedLaunch, "name">;

/** A running Claude CLI as a link of lines; ends with its process group. */
export class ClaudeProcess implements ClaudeLink {
  readonly #process: GuardedProcess;

  /** Throws `ClaudeExit` when spawning fails at once. A later failure closes the link. */
  constructor(launch: ProcessLaunch) {
    try {
      this.#process = new GuardedProcess({ ...launch, name: "the Claude CLI" });
    } catch (cause) {
      throw new ClaudeExit(cause instanceof Error ? cause.message : "the Claude CLI could not be started");
    }
  }

  get pid(): number | undefined {
    return this.#process.pid;
  }

  /** The end of what the CLI wrote to stderr. */
  get stderrTail(): string {
    return this.#process.stderrTail;
  }

  open(callbacks: LinkCallbacks): void {
    this.#process.open(callbacks);
  }

  /** Queues one line. Throws a `TypeError` for a line that would make the CLI exit. */
  send(line: string): boolean {
    if (!isObjectLine(line)) throw new TypeError("a line to the Claude CLI must be one JSON object");
    return this.#process.send(line);
  }

  sendEncoded(line: string): boolean {
    return this.#process.send(line);
  }

  pause(): void {
    this.#process.pause();
  }

  resume(): void {
    this.#process.resume();
  }

  close(reason: string): void {
    this.#process.close(reason);
  }

  /** Sends SIGKILL to the CLI and all its descendants. */
  kill(): Promise<void> {
    return this.#process.kill();
  }

  scanChildren(): void {
    this.#process.scanChildren();
  }

  exit(): ClaudeExit | undefined {
    const exit = this.#process.exit();
    return exit && new ClaudeExit(exit.reason, exit);
  }
}

function isObjectLine(line: string): boolean {
  if (!line.startsWith("{") || line.includes("\n")) return false;
  try {
    JSON.parse(line);
    return true;
  } catch {
    return false;
  }
}
