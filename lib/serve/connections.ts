/**
 * Connection registry: keeps clients without the token from using up all connections.
 *
 * At most `maxConnections` connections are open. Past that, the oldest connection on
 * which no request has presented the token is closed, in favour of the newest. A
 * connection that has presented the token is never closed for another; when all have,
 * a request on one more connection is refused.
 */
import type { Server } from "node:http";
import type { Socket } from "node:net";
import { HttpError } from "./http-error.ts";

/** Open connections, of all clients together. */
const defaultMaxConnections = 256;

/**
 * Connections that are accepted and not read from yet come on top. Node's listen backlog
 * holds 511 of them; the rest is dropped by Node.
 */
const maxUnreadConnections = 1024;

export class ConnectionRegistry {
  /** Connections that have not presented the token and have had the time to, oldest first. */
  readonly #anonymous = new Set<Socket>();
  readonly #authenticated = new Set<Socket>();
  readonly #maxConnections: number;

  constructor(server: Server, maxConnections: number = defaultMaxConnections) {
    this.#maxConnections = maxConnections;
    server.maxConnections = maxConnections + maxUnreadConnections;
    server.on("connection", (socket) => this.#add(socket));
  }

  isAuthenticated(socket: Socket): boolean {
    return this.#authenticated.has(socket);
  }

  /** Called when a request on this connection has presented the token. Throws a `HttpError` at the cap. */
  authenticate(socket: Socket): void {
    if (socket.destroyed || this.#authenticated.has(socket)) return;
    if (this.#authenticated.size >= this.#maxConnections)
      throw new HttpError("too_many", `${this.#maxConnections} connections are open already: close one first`);
    this.#anonymous.delete(socket);
    this.#authenticated.add(socket);
    this.#trim();
  }

  #add(socket: Socket): void {
    socket.once("close", () => {
      this.#anonymous.delete(socket);
      this.#authenticated.delete(socket);
    });
    // libuv accepts the whole backlog before it reads from any of these sockets. Two turns of the
    // event loop later, a request that was sent together with the connection has been read.
    setImmediate(() => setImmediate(() => this.#settle(socket)));
  }

  #settle(socket: Socket): void {
    if (socket.destroyed || this.#authenticated.has(socket)) return;
    this.#anonymous.add(socket);
    this.#trim();
  }

  #trim(): void {
    for (const oldest of this.#anonymous) {
      if (this.#anonymous.size + this.#authenticated.size <= this.#maxConnections) return;
      this.#anonymous.delete(oldest);
      oldest.destroy();
    }
  }
}
