/**
 * A question of the model to the user, with the answers to choose from.
 */
export interface UserQuestion {
  readonly question: string;
  readonly header: string;
  readonly options: readonly { readonly label: string; readonly description: string }[];
  readonly isMultiSelect: boolean;
}

/** A question and its choices as Markdown. */
export function describeQuestion({ question, options }: UserQuestion): string {
  const choices = options.map(({ label, description }) => `- ${label}${description === "" ? "" : `: ${description}`}`);
  return `**${question}**\n${choices.join("\n")}`;
}
