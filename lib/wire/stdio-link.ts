/**
 * Makes a link of this process's own stdin and stdout.
 *
 * stdout then carries the protocol only, so `console` is redirected to stderr, and
 * errors of stderr are ignored. stderr is opened at its first use, because opening it
 * takes two of the forty milliseconds in which a client gets its first response.
 */
import type { Link, LinkLimits } from "./link.ts";
import { streamLink } from "./stream-link.ts";

export function stdioLink(limits: LinkLimits = {}): Link {
  replaceWhenRead(process, "stderr", (stderr) => stderr.on("error", () => {}));
  replaceWhenRead(globalThis, "console", ({ Console }) => new Console(process.stderr, process.stderr));
  return streamLink({ input: process.stdin, output: process.stdout }, limits);
}

/** Replaces a property by `make(its value)`, when the property is first read. */
function replaceWhenRead<T extends object, K extends keyof T>(holder: T, key: K, make: (before: T[K]) => T[K]): void {
  const { get, value } = Object.getOwnPropertyDescriptor(holder, key) ?? {};
  const put = (made: T[K]): void => {
    Object.defineProperty(holder, key, { configurable: true, enumerable: true, writable: true, value: made });
  };
  Object.defineProperty(holder, key, {
    configurable: true,
    enumerable: true,
    get: () => {
      const made = make(get === undefined ? value : get.call(holder));
      put(made);
      return made;
    },
    set: put,
  });
}
