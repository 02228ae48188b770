/**
 * Finds passwords in the command lines of programs that take them in options without a
 * telling name: `curl -u user:…`, `mysql -p…`.
 *
 * The rules examine a bounded part of a line, so they take time proportional to the text.
 */
import type { SecretRule } from "./secret-rule.ts";

export function commandRules(mask: string): readonly SecretRule[] {
  return [
    [
      /(\b(?:curl|wget|https?)\b[^\r\n]{0,200}?\s(?:-u|-U|--user|--proxy-user)[= ]?\\*["']?[^\s:"'\\]{0,100}:)[^\s"'\\]+/g,
      `$1${mask}`,
    ],
    [/(\bsshpass\s{1,3}-p\s{0,3}\\*["']?)[^\s"'\\]+/g, `$1${mask}`],
    [/(\b(?:mysql\w{0,10}|mariadb)\b[^\r\n]{0,200}?\s-p)(?=[^\s"'-])[^\s"']+/g, `$1${mask}`],
    [/(\bredis-cli\b[^\r\n]{0,200}?\s-a\s{1,3})[^\s"']+/g, `$1${mask}`],
  ];
}

/** The source of a pattern for a line that may still get a password of such a program. */
export const openCommand = String.raw`\b(?:curl|wget|https?|mysql\w{0,10}|mariadb|redis-cli|sshpass)\b[^\r\n]{0,320}`;

/** A cheap test that is true for every text in which a rule could match. */
export const commandHints = /curl|wget|http|mysql|mariadb|redis-cli|sshpass/i;
