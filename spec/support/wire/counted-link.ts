/**
 * Counts the characters that are sent through a link.
 */
import type { Link } from "../../../lib/wire/index.ts";

export function countedLink(link: Link): { readonly link: Link; readonly sentChars: () => number } {
  let sentChars = 0;
  const send = (line: string): boolean => {
    sentChars += line.length;
    return link.send(line);
  };
  return { link: { ...link, send }, sentChars: () => sentChars };
}
