/**
 * A client that measures how long the updates of `timedAgent` took, and counts those that
 * were lost or came twice.
 */
import { client, type ClientConnection } from "../../../lib/acp/index.ts";
import type { Link } from "../../../lib/wire/index.ts";
import { cwd } from "../../support/serve/test-server.ts";
import { nowMs } from "./agents.ts";

export class TimingClient {
  readonly latencies: number[] = [];
  faults = 0;
  readonly #connection: ClientConnection;
  /** The number of the last update of each session. */
  readonly #last = new Map<string, number>();

  private constructor(connection: ClientConnection) {
    this.#connection = connection;
  }

  static async connect(link: Link): Promise<TimingClient> {
    let self: TimingClient | undefined;
    const connection = await client(link, {
      info: { name: "load", version: "1" },
      handlers: () => ({
        "session/update": ({ sessionId, update }) => {
          if (update.sessionUpdate !== "agent_message_chunk" || update.content.type !== "text") return;
          self?.take(sessionId, update.content.text);
        },
        "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
      }),
    });
    return (self = new TimingClient(connection));
  }

  async open(): Promise<string> {
    return (await this.#connection.call("session/new", { cwd, mcpServers: [] })).sessionId;
  }

  async attach(sessionId: string): Promise<void> {
    this.latencies.length = 0;
    this.#last.delete(sessionId);
    await this.#connection.call("session/resume", { sessionId, cwd });
  }

  async prompt(sessionId: string): Promise<void> {
    await this.#connection.prompt({ sessionId, prompt: [{ type: "text", text: "go" }] });
  }

  async leave(sessionId: string): Promise<void> {
    await this.#connection.call("session/close", { sessionId });
  }

  close(): void {
    this.#connection.close("done");
  }

  take(sessionId: string, text: string): void {
    const [number = -1, sentAt = 0] = text.split(" ").map(Number);
    this.latencies.push(nowMs() - sentAt);
    // The number begins anew with each turn.
    if (number !== (this.#last.get(sessionId) ?? -1) + 1 && number !== 0) this.faults++;
    this.#last.set(sessionId, number);
  }
}
