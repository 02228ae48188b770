/**
 * Converts one line of a recorded or live conversation to packets.
 *
 * Accepts ACP messages, bare ACP updates, tape rows of either side, and the output of
 * `claude --output-format stream-json`, also mixed. Keeps sessions apart and ignores
 * message types it does not know. Does no IO.
 */
import { type Fields, isRecord } from "../../schema/index.ts";
import { AcpLines } from "./acp-lines.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { BadLine, type LineDirection, type LineOptions, type SessionPacket } from "./packet-line.ts";

export class LineParser {
  readonly #acp: AcpLines;
  readonly #claude: ClaudeLines;
  /** The input has the messages between editor and agent. */
  #hasAcp = false;

  constructor(options: LineOptions) {
    this.#acp = new AcpLines(options);
    this.#claude = new ClaudeLines(options);
  }

  line(text: string): readonly SessionPacket[] | BadLine {
    let value: unknown;
    try {
      value = JSON.parse(text);
    } catch {
      return new BadLine("it is not JSON");
    }
    if (!isRecord(value)) return new BadLine("it must be an object");
    return typeof value["dir"] === "string" ? this.#row(value) : this.#message(value, undefined, undefined);
  }

  /** A tape row: `{"dir":…,"msg":…}`. */
  #row(row: Fields): readonly SessionPacket[] | BadLine {
    const { dir, msg, side, cwd, text, recorded } = row;
    this.#hasAcp ||= side === "acp" || recorded === "agent";
    // A recording of the agent has both sides; the agent's messages contain everything its engine sent.
    if (side === "codex" || (side === "claude" && this.#hasAcp)) return [];
    if (dir === "exit") return side === "acp" ? [] : this.#claude.exited(row);
    if (typeof cwd === "string" && dir === "meta") this.#claude.started(cwd);
    if (typeof text === "string" && dir === "stderr") this.#claude.stderr(text);
    if ((dir !== "in" && dir !== "out") || msg === undefined) return [];
    return isRecord(msg) ? this.#message(msg, dir, side) : new BadLine("msg must be an object");
  }

  #message(message: Fields, direction: LineDirection, side: unknown): readonly SessionPacket[] | BadLine {
    const isClaude = side === undefined ? isClaudeLine(message) : side === "claude";
    return isClaude ? this.#claude.take(message, direction) : this.#acp.take(message, direction);
  }
}

/** Every CLI line has a `type` and none of the fields that identify ACP. */
function isClaudeLine(message: Fields): boolean {
  return typeof message["type"] === "string" && !("jsonrpc" in message) && !("sessionUpdate" in message);
}
