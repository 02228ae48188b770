/**
 * Disables mentions of skills in text that the user did not write: an attached file, the name of
 * a link, words of a model.
 *
 * Codex loads the skill that a prompt mentions as `$name` or `[$any](path)`, wherever the text
 * comes from, also in code blocks and after escapes. `$name` is replaced by `${name}`, which
 * Codex does not take for a mention and which means the same to a shell and to a reader.
 */

const mention = /\$([\w:-]+)/g;

export function mentionsSkill(text: string): boolean {
  return text.search(mention) >= 0;
}

/** The same text without a mention of these skills. Undefined: they are not known, so no mention at all is left. */
export function withoutSkillMentions(text: string, skills: ReadonlySet<string> | undefined): string {
  return text.replaceAll(mention, (whole, name: string, at: number) => {
    // A link names the skill by its path, with any name in front.
    const isLink = text[at - 1] === "[" && /^\]\s*\(/.test(text.slice(at + whole.length, at + whole.length + maxGap));
    return skills === undefined || skills.has(name) || isLink ? `\${${name}}` : whole;
  });
}

/** How far the path of a link may be from its name to be looked for. */
const maxGap = 1000;
