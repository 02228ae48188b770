/**
 * Router: a method's name in, the way to read and handle it out.
 *
 * The method table gives the types: a handler left out, or one with the wrong
 * answer, does not compile. Look-ups go through a Map, so no method name can
 * reach an object's prototype.
 */
import { Fault, type Schema, type Static } from "../schema/index.ts";
import type { Call } from "./incoming-call.ts";
import { CallFailed, errorCodes } from "./errors.ts";

/** A method with `result` is a request, one without is a notification. */
export interface MethodEntry {
  readonly params: Schema<any>;
  readonly result?: Schema<any>;
  /** A notification that overtakes those that wait for a slow handler. */
  readonly isUrgent?: boolean;
}

export type MethodTable = Readonly<Record<string, MethodEntry>>;

export type Params<E extends MethodEntry> = Static<E["params"]>;
export type Result<E extends MethodEntry> = E extends { readonly result: Schema<infer R> } ? R : undefined;

/** The methods of a table that are answered. */
export type RequestName<T extends MethodTable> = {
  [M in keyof T]: T[M] extends { readonly result: Schema<any> } ? M : never;
}[keyof T] &
  string;
/** The methods of a table that are not. */
export type NotificationName<T extends MethodTable> = Exclude<keyof T & string, RequestName<T>>;

/** What a handler may answer; nothing at all where every part of the result is optional. */
export type Answer<R> = {} extends R ? R | void : R;

export type RequestHandler<P, R> = (params: P, call: Call) => Answer<R> | Promise<Answer<R>>;
export type NotificationHandler<P> = (params: P) => void | Promise<void>;

export type Handler<E extends MethodEntry> = E extends { readonly result: Schema<infer R> }
  ? RequestHandler<Params<E>, R>
  : NotificationHandler<Params<E>>;

export type Handlers<T extends MethodTable> = { readonly [M in keyof T]: Handler<T[M]> };

export type SomeHandlers<T extends MethodTable> = { readonly [M in keyof T]?: Handler<T[M]> | undefined };

/** One way in: how to read the params, and who takes them. */
export interface Route {
  readonly method: string;
  readonly params: Schema<unknown>;
  readonly handle: (params: unknown, call: Call) => unknown;
  /** Overtakes notifications that wait. */
  readonly isUrgent?: boolean;
}

export interface Router {
  readonly request: (method: string) => Route | undefined;
  readonly notification: (method: string) => Route | undefined;
}

/** Routes every method of a table to its handler. */
export function route<T extends MethodTable>(table: T, handlers: Handlers<T>): Router {
  return routeSome(table, handlers);
}

/** Routes those methods of a table that have a handler; the rest are not known. */
export function routeSome<T extends MethodTable>(table: T, handlers: SomeHandlers<T>): Router {
  const requests = new Map<string, Route>();
  const notifications = new Map<string, Route>();
  for (const [method, entry] of Object.entries(table)) {
    const handle = handlers[method];
    if (handle === undefined) continue;
    // The mapped type ties each handler to its own entry's params, which `params` reads before each call.
    const taken: Route = {
      method,
      params: entry.params,
      handle: handle as Route["handle"],
      isUrgent: entry.isUrgent === true,
    };
    (entry.result === undefined ? notifications : requests).set(method, taken);
  }
  return {
    request: (method) => requests.get(method),
    notification: (method) => notifications.get(method),
  };
}

/** Reads the answer to one of our calls; a wrong one is the peer's error, told to our caller. */
export function readResult<T>(method: string, schema: Schema<T>, result: unknown): T {
  const read = schema.read(result);
  if (!(read instanceof Fault)) return read;
  throw new CallFailed(errorCodes.internalError, `${method}: the peer's answer is wrong: ${read.describe("result")}`);
}
