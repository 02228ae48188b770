/**
 * Fence: what an agent shows people as a code block, as the code it is.
 */

/** Only when the block is the whole text; any other text stays. */
export function unfenced(text: string): string {
  const [ticks] = /^`{3,}/.exec(text) ?? [];
  const start = text.indexOf("\n") + 1;
  const closed = text.trimEnd();
  if (ticks === undefined || start === 0 || !closed.endsWith(`\n${ticks}`)) return text;
  // An empty block shares one line end between its fences.
  return closed.slice(start, Math.max(start, closed.length - ticks.length - 1));
}
