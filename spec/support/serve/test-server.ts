/**
 * A server with a scripted agent, and a plain HTTP client.
 *
 * The client adds nothing of its own: it sends the headers it is given and returns the
 * bytes of the response.
 */
import assert from "node:assert/strict";
import { realpathSync } from "node:fs";
import { type ClientRequest, type IncomingHttpHeaders, type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { type RunningServer, type ServerOptions, startServer } from "../../../lib/serve/index.ts";

export const token = "a-token-for-the-specs";
/** How long a stream may be silent before a spec gives up. */
const maxWaitMs = 20_000;
/** A directory that exists. */
export const cwd = realpathSync(tmpdir());

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
  /** The body parsed as JSON. */
  readonly json: any;
}

export interface RequestParts {
  readonly body?: unknown;
  /** Undefined removes a header. */
  readonly headers?: Readonly<Record<string, string | undefined>>;
}

/** A client of the server. */
export interface Visitor {
  readonly call: (method: string, path: string, parts?: RequestParts) => Promise<Answer>;
  readonly stream: (method: string, path: string, parts?: RequestParts) => Promise<EventStream>;
  /** Opens a session and returns its path. */
  readonly open: () => Promise<string>;
}

export interface Served extends Visitor {
  readonly url: string;
  readonly server: RunningServer;
  readonly bugs: unknown[];
  readonly close: () => Promise<void>;
}

export async function served(options: Pick<ServerOptions, "startAgent"> & Partial<ServerOptions>): Promise<Served> {
  const bugs: unknown[] = [];
  const server = await startServer({
    token,
    host: "127.0.0.1",
    port: 0,
    version: "1",
    roots: [cwd],
    onBug: (doing, cause) => bugs.push([doing, cause]),
    ...options,
  });
  return {
    ...visitor(server.url, token),
    url: server.url,
    server,
    bugs,
    close: () => server.close("the spec is over"),
  };
}

export function visitor(url: string, bearer: string): Visitor {
  const send = (method: string, path: string, { body, headers = {} }: RequestParts = {}): ClientRequest => {
    const text = typeof body === "string" || Buffer.isBuffer(body) ? body : JSON.stringify(body);
    const all = {
      authorization: `Bearer ${bearer}`,
      ...(text !== undefined && {
        "content-type": "application/json",
        "content-length": String(Buffer.byteLength(text)),
      }),
      ...headers,
    };
    const given = Object.entries(all).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]));
    const sent = request(new URL(path, url), { method, headers: Object.fromEntries(given), agent: false });
    sent.end(text);
    return sent;
  };
  const respond = (sent: ClientRequest): Promise<IncomingMessage> =>
    new Promise((resolve, reject) => sent.on("response", resolve).on("error", reject));
  const call: Visitor["call"] = async (method, path, parts) => {
    const response = await respond(send(method, path, parts));
    const text = Buffer.concat(await response.toArray()).toString("utf8");
    return {
      status: response.statusCode ?? 0,
      headers: response.headers,
      text,
      get json() {
        return JSON.parse(text);
      },
    };
  };
  return {
    call,
    stream: async (method, path, parts) => new EventStream(await respond(send(method, path, parts))),
    open: async () => {
      const { status, headers, text } = await call("POST", "/sessions");
      assert.equal(status, 201, text);
      return headers.location ?? "";
    },
  };
}

export interface Event {
  readonly id: number;
  readonly packet: any;
}

/** Server-sent events as they arrive, and their bytes. */
export class EventStream {
  readonly response: IncomingMessage;
  text = "";
  isEnded = false;
  /** True when the stream was cut and did not end. */
  isBroken = false;
  #waiting: (() => void)[] = [];
  readonly #events: Event[] = [];
  /** Bytes of the unfinished last event. */
  #tail = "";

  constructor(response: IncomingMessage) {
    this.response = response;
    response.setEncoding("utf8");
    response.on("data", (part: string) => {
      this.text += part;
      this.#tail += part;
      this.#tell();
    });
    response.on("end", () => {
      this.isEnded = true;
      this.#tell();
    });
    response.on("error", () => {
      this.isBroken = true;
      this.#tell();
    });
  }

  /** Complete events so far. */
  get events(): readonly Event[] {
    const frames = this.#tail.split("\n\n");
    this.#tail = frames.pop() ?? "";
    for (const frame of frames) {
      const [, id, data] = /^id: (\d+)\nevent: message\ndata: (.*)$/.exec(frame) ?? [];
      if (data !== undefined) this.#events.push({ id: Number(id), packet: JSON.parse(data) });
    }
    return this.#events;
  }

  get types(): readonly string[] {
    return this.events.map(({ packet }) => packet.type);
  }

  /** The last packet of a type. */
  packet(type: string): any {
    return this.events.findLast(({ packet }) => packet.type === type)?.packet;
  }

  /** Resolves as soon as the condition holds; fails when the stream ends before. */
  async until(holds: (stream: this) => boolean): Promise<this> {
    while (!holds(this)) {
      if (this.isEnded || this.isBroken) throw new Error(`the stream is over: ${this.text.slice(-400)}`);
      await this.#more();
    }
    return this;
  }

  untilPacket(type: string): Promise<this> {
    return this.until(({ types }) => types.includes(type));
  }

  async over(): Promise<this> {
    while (!this.isEnded && !this.isBroken) await this.#more();
    return this;
  }

  /** Disconnects. */
  leave(): void {
    this.response.destroy();
  }

  #more(): Promise<void> {
    return new Promise((resolve, reject) => {
      const limit = setTimeout(() => reject(new Error(`nothing more came: ${this.text.slice(-400)}`)), maxWaitMs);
      this.#waiting.push(() => {
        clearTimeout(limit);
        resolve();
      });
    });
  }

  #tell(): void {
    for (const resolve of this.#waiting.splice(0)) resolve();
  }
}
