/**
 * Maps a method name to the schema of its params and to its handler.
 *
 * The handler types come from the method table: a missing handler, or one with a result
 * of the wrong type, does not compile. Look-ups use a Map, so no method name can reach
 * an object's prototype.
 */
import type { Schema, Static } from "../schema/index.ts";
import type { Call } from "./incoming-requests.ts";

/** A method with `result` is a request, a method without it is a notification. */
export interface MethodEntry {
  readonly params: Schema<any>;
  readonly result?: Schema<any>;
  /** Whether this notification is handled before others that wait for a slow handler. */
  readonly isUrgent?: boolean;
}

export type MethodTable = Readonly<Record<string, MethodEntry>>;

export type ParamsOf<E extends MethodEntry> = Static<E["params"]>;
export type ResultOf<E extends MethodEntry> = E extends { readonly result: Schema<infer R> } ? R : undefined;

/** The methods of a table that are requests. */
export type RequestName<T extends MethodTable> = {
  [M in keyof T]: T[M] extends { readonly result: Schema<any> } ? M : never;
}[keyof T] &
  string;
/** The methods of a table that are notifications. */
export type NotificationName<T extends MethodTable> = Exclude<keyof T & string, RequestName<T>>;

/** What a handler may return; void is allowed where every field of the result is optional. */
export type Answer<R> = {} extends R ? R | void : R;

export type RequestHandler<P, R> = (params: P, call: Call) => Answer<R> | Promise<Answer<R>>;
export type NotificationHandler<P> = (params: P) => void | Promise<void>;

export type HandlerOf<E extends MethodEntry> = E extends { readonly result: Schema<infer R> }
  ? RequestHandler<ParamsOf<E>, R>
  : NotificationHandler<ParamsOf<E>>;

export type Handlers<T extends MethodTable> = { readonly [M in keyof T]: HandlerOf<T[M]> };

export type SomeHandlers<T extends MethodTable> = { readonly [M in keyof T]?: HandlerOf<T[M]> | undefined };

/** How a method is served: the schema of its params, and its handler. */
export interface MethodRoute {
  readonly method: string;
  readonly params: Schema<unknown>;
  readonly handle: (params: unknown, call: Call) => unknown;
  /** Whether this notification is handled before others that wait. */
  readonly isUrgent?: boolean;
}

export interface Router {
  readonly request: (method: string) => MethodRoute | undefined;
  readonly notification: (method: string) => MethodRoute | undefined;
}

/** Routes every method of a table to its handler. */
export function route<T extends MethodTable>(table: T, handlers: Handlers<T>): Router {
  return routeSome(table, handlers);
}

/** Routes the methods of a table that have a handler; the others are unknown methods. */
export function routeSome<T extends MethodTable>(table: T, handlers: SomeHandlers<T>): Router {
  const requests = new Map<string, MethodRoute>();
  const notifications = new Map<string, MethodRoute>();
  for (const [method, entry] of Object.entries(table)) {
    const handle = handlers[method];
    if (handle === undefined) continue;
    // The mapped type gives each handler the params of its own entry, which `params` reads before each call.
    const entryRoute: MethodRoute = {
      method,
      params: entry.params,
      handle: handle as MethodRoute["handle"],
      isUrgent: entry.isUrgent === true,
    };
    (entry.result === undefined ? notifications : requests).set(method, entryRoute);
  }
  return {
    request: (method) => requests.get(method),
    notification: (method) => notifications.get(method),
  };
}
