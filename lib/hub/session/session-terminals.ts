/**
 * Remembers which client has created which terminal of a session.
 *
 * A terminal runs at the client that created it, so every later request about it goes to that client.
 */
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { isRecord } from "../../schema/index.ts";
import type { SessionClient } from "./session-client.ts";

/** Terminals of one session that are not released. */
const maxTerminals = 256;

export class SessionTerminals {
  readonly #owners = new Map<string, SessionClient>();

  /** The client of the terminal that a request names; undefined for other requests. Throws when that client is gone. */
  ownerOf(method: string, params: Readonly<Record<string, unknown>>): SessionClient | undefined {
    const terminalId = params["terminalId"];
    if (!method.startsWith("terminal/") || typeof terminalId !== "string") return undefined;
    const owner = this.#owners.get(terminalId);
    if (owner?.isOpen === true) return owner;
    this.#owners.delete(terminalId);
    throw new RpcError(errorCodes.resourceNotFound, `${method}: the client that had this terminal is gone`);
  }

  /** Watches a request that `client` serves, and remembers or forgets the terminal it is about. */
  async follow(
    method: string,
    params: Readonly<Record<string, unknown>>,
    client: SessionClient,
    served: Promise<unknown>,
  ): Promise<unknown> {
    const result = await served;
    if (method === "terminal/release") this.#owners.delete(String(params["terminalId"]));
    const made = method === "terminal/create" && isRecord(result) ? result["terminalId"] : undefined;
    if (typeof made !== "string") return result;
    const owner = this.#owners.get(made);
    if ((owner !== undefined && owner !== client && owner.isOpen) || this.#owners.size >= maxTerminals) {
      void client
        .forward("terminal/release", { sessionId: params["sessionId"], terminalId: made }, never)
        .catch(() => {});
      throw new RpcError(errorCodes.internalError, `${method}: the terminal cannot be told from another one`);
    }
    this.#owners.set(made, client);
    return result;
  }
}

const never = new AbortController().signal;
