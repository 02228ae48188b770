/**
 * ACP over streamable HTTP at `/acp`: messages come as POSTs, and leave as server-sent
 * events on one stream for the connection and one for each session.
 *
 * A stream without a reader keeps its messages for the next one, up to the size of an
 * event log; past that the connection is closed. A reader that comes back with
 * `Last-Event-ID` gets exactly what it has missed.
 */
import { randomUUID } from "node:crypto";
import { isRecord, unknown } from "../../schema/index.ts";
import type { AcpRole, OnAcpConnection } from "./acp-connection.ts";
import { AcpHttpConnection, type HttpMessage } from "./acp-http-connection.ts";
import { batchRefusal } from "./acp-messages.ts";
import type { EventSubscriberOptions } from "../event-subscriber.ts";
import { HttpError } from "../http-error.ts";
import { readBody } from "../json-body.ts";
import type { Reply, RequestContext } from "../routes.ts";

/** ACP connections over HTTP that may be open. */
const maxHttpConnections = 256;

export interface AcpHttpOptions extends EventSubscriberOptions {
  readonly onConnection: OnAcpConnection;
  readonly maxBodyBytes: number;
}

export class AcpHttpConnections {
  readonly #options: AcpHttpOptions;
  readonly #open = new Map<string, { readonly connection: AcpHttpConnection; readonly role: AcpRole }>();

  constructor(options: AcpHttpOptions) {
    this.#options = options;
  }

  readonly post = async (context: RequestContext): Promise<Reply> => {
    if (context.request.headers["content-type"] === undefined)
      throw new HttpError("wrong_type", "the body must be application/json");
    const message = await readBody(context, unknown, this.#options.maxBodyBytes);
    if (Array.isArray(message))
      return { status: 400, headers: { "content-type": "application/json" }, body: batchRefusal };
    if (!isRecord(message)) throw new HttpError("bad_request", "the body must be one JSON-RPC message");
    const isInitialize = message["method"] === "initialize" && "id" in message;
    const isNew = connectionIdOf(context) === undefined;
    if (isInitialize && isNew) return this.#initialize(context, message);
    const connection = this.#connection(context);
    if (isInitialize) throw new HttpError("bad_request", "initialize is allowed once for each connection");
    connection.take(message, sessionIdOf(context));
    return { status: 202 };
  };

  readonly get = (context: RequestContext): undefined => {
    const { request, response } = context;
    if (!/\btext\/event-stream\b/i.test(request.headers.accept ?? ""))
      throw new HttpError("not_acceptable", "the events of a connection are text/event-stream");
    this.#connection(context).follow(sessionIdOf(context), response, request.headers["last-event-id"]?.toString());
  };

  readonly delete = (context: RequestContext): Reply => {
    this.#connection(context).close("the client has closed the connection");
    return { status: 202 };
  };

  closeAll(reason: string): void {
    for (const { connection } of this.#open.values()) connection.close(reason);
  }

  async #initialize({ role = "observer" }: RequestContext, message: HttpMessage): Promise<Reply> {
    if (message["id"] === null) throw new HttpError("bad_request", "initialize needs an id");
    if (this.#open.size >= maxHttpConnections)
      throw new HttpError("too_many", `${maxHttpConnections} connections are open already: close one first`);
    const connectionId = randomUUID();
    const connection = new AcpHttpConnection({
      ...this.#options,
      onClosed: () => void this.#open.delete(connectionId),
    });
    this.#open.set(connectionId, { connection, role });
    this.#options.onConnection(connection.agentEnd, { connectionId, role });
    const response = await connection.initialize(message);
    const headers = { "content-type": "application/json", "acp-connection-id": connectionId };
    return { status: 200, headers, body: response };
  }

  #connection(context: RequestContext): AcpHttpConnection {
    const id = connectionIdOf(context);
    if (id === undefined) throw new HttpError("bad_request", "the header Acp-Connection-Id is missing");
    const found = this.#open.get(id);
    // The rights of a connection are those of the token that opened it: another token cannot use it.
    if (found === undefined || found.role !== context.role)
      throw new HttpError("not_found", "there is no such connection");
    return found.connection;
  }
}

function connectionIdOf({ request }: RequestContext): string | undefined {
  return request.headers["acp-connection-id"]?.toString();
}

function sessionIdOf({ request }: RequestContext): string | undefined {
  return request.headers["acp-session-id"]?.toString();
}
