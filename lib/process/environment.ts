/**
 * Selects what a CLI inherits from the user's environment.
 *
 * Every variable is passed on, because the commands a CLI runs need them, except those that
 * belong to Bowline, to npm's way of running scripts or to this Node process.
 */

/** The shape of `process.env`. */
export type Environment = Readonly<Record<string, string | undefined>>;

export function inheritedEnvironment(user: Environment): Map<string, string> {
  const inherited = new Map<string, string>();
  for (const [name, value] of Object.entries(user)) {
    if (value !== undefined && !isOurs(name)) inherited.set(name, value);
  }
  return inherited;
}

/** npm's own variables are in lower case; NPM_TOKEN and the like belong to the user. */
function isOurs(name: string): boolean {
  return (
    name.startsWith("BOWLINE_") ||
    name.startsWith("npm_") ||
    name === "NODE_OPTIONS" ||
    name.startsWith("NODE_CHANNEL_")
  );
}
