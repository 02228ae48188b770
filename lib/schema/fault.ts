/**
 * Fault: where a value departs from its schema, and what was expected there.
 *
 * A fault names the place and the expectation and never holds the value itself,
 * so it can be shown or logged: prompts, env and headers carry secrets.
 */
import { shownWord } from "./safe-slice.ts";

/** One step into a value: a key, or the position in an array. */
export type Step = string | number;

/** The steps shown before a path is cut; a hostile value must not make a long message. */
const maxShownSteps = 24;
const maxShownStepChars = 80;

export class Fault {
  /** What would have been right, ready to follow "must be". */
  readonly expected: string;
  readonly path: readonly Step[];

  constructor(expected: string, path: readonly Step[] = []) {
    this.expected = expected;
    this.path = path;
  }

  /** The same fault seen from one level further out. */
  under(step: Step): Fault {
    return new Fault(this.expected, [step, ...this.path]);
  }

  /** `prompt.0.text must be string`; `root` stands for an empty path. */
  describe(root = "value"): string {
    const shown = this.path.slice(0, maxShownSteps).map((step) => shownWord(String(step), maxShownStepChars));
    return `${shown.length === 0 ? root : shown.join(".")} must be ${this.expected}`;
  }
}
