/**
 * Mentions of files in a prompt: the Claude CLI reads what the last text of a prompt mentions with `@`.
 */

/** What the CLI takes for the beginning of a mention. */
const mentions = /(?<=^|[\s\u3001\u3002\uff01\uff1f])@/u;

export function hasMention(text: string): boolean {
  return mentions.test(text);
}

/** The same text with no mention in it. */
export function unmentioned(text: string): string {
  return text.replaceAll(new RegExp(mentions, "gu"), "(at)");
}
