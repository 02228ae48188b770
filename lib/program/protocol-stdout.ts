/**
 * Reserves stdout for protocol messages, in the commands that serve a protocol on stdout.
 *
 * `console` is redirected to stderr, and errors of stderr are ignored. Both happen at
 * their first use, because opening stderr takes two of the forty milliseconds in which a
 * client gets its first response.
 */

/** To be called once, by a command, before it reads stdin. */
export function reserveStdout(): void {
  replaceWhenRead(process, "stderr", (stderr) => stderr.on("error", () => {}));
  replaceWhenRead(globalThis, "console", ({ Console }) => new Console(process.stderr, process.stderr));
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
