/**
 * Prose: what the CLI writes for the model, taken out of what people see.
 */

/** Text with reminders to the model removed and error tags opened. */
export function visibleText(text: string): string {
  if (!text.includes("<") && !text.startsWith("[")) return text;
  return (
    withoutTag(withoutTag(text, "system-reminder"), "tools-used-before-summary")
      .replaceAll(/<\/?tool_use_error>/g, "")
      .replace(/^\[Request interrupted by user[^\]]*\]$/, "")
      // Where the CLI keeps a copy of the picture that is shown beside it.
      .replace(/^\[Image: source: [^\]]*\]$/, "")
  );
}

/**
 * Text without what stands in a tag, and without the blanks that led to it. By hand:
 * a pattern that begins with blanks takes 5 s for 80,000 of them.
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

/** What a slash command printed, if that is what this text is. */
export function commandOutput(text: string): string | undefined {
  const match = /^\s*<local-command-(?:stdout|stderr)>([\s\S]*?)<\/local-command-(?:stdout|stderr)>\s*$/.exec(text);
  return match?.[1]?.trim();
}

/** Words of a user line that no person typed. */
export function isForModelOnly(text: string): boolean {
  return /^\s*(?:<system-reminder>|<command-(?:name|message|args)>|<local-command-|<task-notification>|\[Request interrupted by user|Caveat: The messages below)/.test(
    text,
  );
}

/** A web search's closing instruction to the model. */
export function withoutReminders(text: string): string {
  return text.replace(/\n+REMINDER: You MUST [\s\S]*$/, "").trimEnd();
}

/** Diagnostics of the CLI that mean nothing to a person. */
export function isDiagnostic(text: string): boolean {
  return text.startsWith("[ede_diagnostic]");
}
