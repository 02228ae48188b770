/**
 * Describes an error in words that are safe to log.
 *
 * Uses the system's code, the error's name and a place in our own code; never its
 * message, which may quote what was sent.
 */

/** The system's code for the error, such as ENOENT; else the error's name. */
export function codeOf(cause: unknown): string {
  if (!(cause instanceof Error)) return "unknown error";
  return "code" in cause && typeof cause.code === "string" ? cause.code : cause.name;
}

/** The name of an error and the first line of its stack. */
export function describeBug(cause: unknown): string {
  if (!(cause instanceof Error)) return typeof cause;
  const { name, message, stack = "" } = cause;
  // The stack begins with the message, which may look like a stack line itself.
  const begin = stack.indexOf(message);
  const [place = ""] = /^ {4}at .+$/m.exec(begin < 0 ? stack : stack.slice(begin + message.length)) ?? [];
  return `${name} ${place.trim()}`;
}
