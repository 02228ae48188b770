/**
 * Lines: a line of a conversation in, the packets it becomes out.
 *
 * Takes ACP as it goes over the wire, updates on their own, tapes of either side,
 * and what the Claude CLI prints. Sessions are kept apart, and a word that is not
 * known is no packet. Holds no stream.
 */
import { isRecord } from "../../schema/index.ts";
import { AcpLines } from "./acp-lines.ts";
import { ClaudeLines } from "./claude-lines.ts";
import { BadLine, type Direction, type Fields, type LineOptions, type SessionPacket } from "./packet-line.ts";

export class LineParser {
  readonly #acp: AcpLines;
  readonly #claude: ClaudeLines;

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

  /** A row of a tape. */
  #row(row: Fields): readonly SessionPacket[] | BadLine {
    const { dir, msg, side, cwd, text } = row;
    if (dir === "exit") return side === "acp" ? [] : this.#claude.exited(row);
    if (typeof cwd === "string" && dir === "meta") this.#claude.begins(cwd);
    if (typeof text === "string" && dir === "stderr") this.#claude.complains(text);
    if ((dir !== "in" && dir !== "out") || msg === undefined) return [];
    return isRecord(msg) ? this.#message(msg, dir, side) : new BadLine("msg must be an object");
  }

  #message(message: Fields, direction: Direction, side: unknown): readonly SessionPacket[] | BadLine {
    const isClaude = side === undefined ? isClaudeLine(message) : side === "claude";
    return isClaude ? this.#claude.take(message, direction) : this.#acp.take(message, direction);
  }
}

/** Every line of the CLI has a type, and none has what tells ACP. */
function isClaudeLine(message: Fields): boolean {
  return typeof message["type"] === "string" && !("jsonrpc" in message) && !("sessionUpdate" in message);
}
