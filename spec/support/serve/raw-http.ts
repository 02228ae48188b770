/**
 * Sends raw bytes to an HTTP server and returns the bytes of the response.
 */
import { connect, type Socket } from "node:net";
import { token } from "./test-server.ts";

/** How long a spec waits for bytes before it fails. */
const maxWaitMs = 20_000;

export class RawSocket {
  readonly socket: Socket;
  received = "";
  isClosed = false;
  #waiting: (() => void)[] = [];

  constructor(url: string) {
    const { port } = new URL(url);
    this.socket = connect(Number(port), "127.0.0.1");
    this.socket.on("error", () => {});
    this.socket.on("data", (bytes) => {
      this.received += bytes.toString("latin1");
      this.#wake();
    });
    this.socket.on("close", () => {
      this.isClosed = true;
      this.#wake();
    });
  }

  /** The status of each response so far; interim responses (1xx) count. */
  get statuses(): readonly number[] {
    return [...this.received.matchAll(/^HTTP\/1\.1 (\d{3}) /gm)].map(([, status]) => Number(status));
  }

  async connected(): Promise<this> {
    if (this.socket.connecting) await new Promise((resolve) => this.socket.once("connect", resolve));
    return this;
  }

  send(...lines: readonly string[]): this {
    this.socket.write(lines.join("\r\n"), "latin1");
    return this;
  }

  async until(holds: (socket: this) => boolean): Promise<this> {
    const limit = setTimeout(() => this.socket.destroy(), maxWaitMs);
    while (!holds(this)) {
      if (this.isClosed) throw new Error(`the connection is closed: ${this.received.slice(-400)}`);
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    }
    clearTimeout(limit);
    return this;
  }

  /** Resolves with the first final status. */
  async status(): Promise<number> {
    await this.until(({ statuses }) => statuses.some((status) => status >= 200));
    return this.statuses.find((status) => status >= 200) ?? 0;
  }

  closed(): Promise<this> {
    return this.until(({ isClosed }) => isClosed);
  }

  close(): void {
    this.socket.destroy();
  }

  #wake(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}

/** The lines of a request head; the empty line is included. */
export function head(
  method: string,
  target: string,
  headers: readonly string[] = [],
  { host = "localhost", bearer = token }: { readonly host?: string; readonly bearer?: string | undefined } = {},
): readonly string[] {
  const authorization = bearer === "" ? [] : [`authorization: Bearer ${bearer}`];
  return [`${method} ${target} HTTP/1.1`, `host: ${host}`, ...authorization, ...headers, "", ""];
}
