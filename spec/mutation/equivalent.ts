/**
 * Equivalent: mutants that cannot be told from the original, and why.
 *
 * Found by their file, their fault and the line as it becomes, so an entry lasts
 * while that line does.
 */
export interface Equivalent {
  readonly file: string;
  readonly operator: string;
  readonly after: string;
  readonly why: string;
}

export const equivalents: readonly Equivalent[] = [];
