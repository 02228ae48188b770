/**
 * Hostile texts: what an agent may send to manipulate the user's terminal.
 */
export const hostileTexts: readonly string[] = [
  "\x1b]52;c;cm0gLXJmIH4=\x07clipboard",
  "\x1b]0;a title\x07title",
  "\x1b]8;;https://example.com/evil\x1b\\link\x1b]8;;\x1b\\",
  "\x1b[2J\x1b[H\x1b[3Jcleared",
  "\x1b[1A\x1b[2Kover the line above",
  "\x1b[?1049h\x1b[?25l\x1b[8mhidden",
  "\x1b[31mred for ever",
  "\x1bP+q544e\x1b\\device",
  "\x1b_command\x1b\\\x1b^private\x1b\\",
  "\x1b[6n\x1b[c\x1b[>0q answers itself",
  "\x1bc reset \x1b#8",
  "rm -rf ~\rls",
  "back\b\b\b\bspace",
  "\x9b31mC1\x9d0;title\x9c \x84\x85\x90",
  "\x07\x07bell\0nul\x7fdel\x0e\x0fshift",
  "evil\u202egpj.exe\u202c \u2066isolated\u2069 \u200f\u061c",
  "line\u2028paragraph\u2029end\u0085next",
  "zero\u200bwidth\u2060joined\ufeffmark",
  "tags \u{e0041}\u{e0042} half \ud83d pair",
  "\x1b",
  "\x1b[",
  "cut in two \x1b[3",
];

/** Whatever a terminal would obey instead of showing. */
export const obeyed =
  // oxlint-disable-next-line no-control-regex
  /[\0-\x09\x0b-\x1f\x7f-\x9f\u061c\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e0fff}]|\p{Surrogate}/u;
