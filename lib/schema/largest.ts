/**
 * The largest of any number of values: `Math.max(...values)` overflows the stack with too many.
 */
export function largest(least: number, values: Iterable<number>): number {
  let most = least;
  for (const value of values) if (value > most) most = value;
  return most;
}
