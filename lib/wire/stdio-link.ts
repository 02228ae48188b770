/**
 * Stdio link: this process's own standard input and output as a link.
 *
 * From here on stdout belongs to the protocol, so `console` writes to stderr, and a
 * closed stderr takes nobody down with it. Opening stderr costs two milliseconds of
 * the forty in which a client has its first answer, so it waits for its first use.
 */
import type { Link, LinkLimits } from "./link.ts";
import { streamLink } from "./stream-link.ts";

export function stdioLink(limits: LinkLimits = {}): Link {
  whenFirstRead(process, "stderr", (stderr) => stderr.on("error", () => {}));
  whenFirstRead(globalThis, "console", ({ Console }) => new Console(process.stderr, process.stderr));
  return streamLink({ input: process.stdin, output: process.stdout }, limits);
}

/** Puts `make`'s value in a property's place, when it is first read and not before. */
function whenFirstRead<T extends object, K extends keyof T>(holder: T, key: K, make: (before: T[K]) => T[K]): void {
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
