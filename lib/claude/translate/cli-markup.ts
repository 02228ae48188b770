/**
 * Recognises and removes text that the CLI writes for the model and not for the user.
 *
 * For the classification of whole user entries of a transcript, see
 * `transcript/user-text.ts`.
 */

/** The text without reminders to the model and without the tags around errors. */
export function visibleText(text: string): string {
  if (!text.includes("<") && !text.startsWith("[")) return text;
  return (
    withoutTag(withoutTag(text, "system-reminder"), "tools-used-before-summary")
      .replaceAll(/<\/?tool_use_error>/g, "")
      .replace(/^\[Request interrupted by user[^\]]*\]$/, "")
      // The path of the CLI's copy of an image. The image itself is a block beside this text.
      .replace(/^\[Image: source: [^\]]*\]$/, "")
  );
}

/**
 * Removes a tag with its content and the white space before it. Not a regular expression,
 * because one that begins with white space takes 5 s for 80,000 spaces.
 */
function withoutTag(text: string, tag: string): string {
  const [opening, closing] = [`<${tag}>`, `</${tag}>`];
  let shown = "";
  let from = 0;
  for (;;) {
    const at = text.indexOf(opening, from);
    if (at < 0) return from === 0 ? text : shown + text.slice(from);
    shown += text.slice(from, at).trimEnd();
    const end = text.indexOf(closing, at);
    if (end < 0) return shown;
    from = end + closing.length;
    if (shown === "") while (text[from] === "\n") from++;
  }
}

/** The output of a slash command, if the text is one. */
export function commandOutput(text: string): string | undefined {
  const match = /^\s*<local-command-(?:stdout|stderr)>([\s\S]*?)<\/local-command-(?:stdout|stderr)>\s*$/.exec(text);
  return match?.[1]?.trim();
}

/** Whether text of a user message was written by the CLI and not by the user. */
export function isForModelOnly(text: string): boolean {
  return /^\s*(?:<system-reminder>|<command-(?:name|message|args)>|<local-command-|<task-notification>|\[Request interrupted by user|Caveat: The messages below)/.test(
    text,
  );
}

/** The result of a web search without its closing instruction to the model. */
export function withoutReminders(text: string): string {
  return text.replace(/\n+REMINDER: You MUST [\s\S]*$/, "").trimEnd();
}

/** Whether a message is an internal diagnostic of the CLI, of no use to the user. */
export function isDiagnostic(text: string): boolean {
  return text.startsWith("[ede_diagnostic]");
}
