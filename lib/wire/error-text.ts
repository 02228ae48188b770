/**
 * Failure: an error in words that a log may hold.
 *
 * The system's code, a name, a place in our own code; never a message, which may
 * quote what was sent.
 */

/** The system's own name for what went wrong, such as ENOENT; else the error's. */
export function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown error";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

/** A bug's name and place. */
export function describeBug(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const { name, message, stack = "" } = cause;
  // The stack begins with the message, which may look like a place itself.
  const begin = stack.indexOf(message);
  const [place = ""] = /^ {4}at .+$/m.exec(begin < 0 ? stack : stack.slice(begin + message.length)) ?? [];
  return `${name} ${place.trim()}`;
}
