/**
 * Describes where a value does not match its schema and what was expected there.
 *
 * A fault holds a path and an expectation, never the value itself, so it can be
 * shown or logged: prompts, environment variables and headers carry secrets.
 */
import { shownWord } from "./safe-slice.ts";

/** One step into a value: an object key or an array index. */
export type PathStep = string | number;

/** Longer paths are cut, so that a hostile value cannot cause a long message. */
const maxShownSteps = 24;
const maxShownStepChars = 80;

/** Why a value does not match a schema: the place and the expectation, never the value. */
export class Fault {
  /** The expectation, worded to follow "must be". */
  readonly expected: string;
  readonly path: readonly PathStep[];

  constructor(expected: string, path: readonly PathStep[] = []) {
    this.expected = expected;
    this.path = path;
  }

  /** The same fault with `step` in front of its path. */
  under(step: PathStep): Fault {
    return new Fault(this.expected, [step, ...this.path]);
  }

  /** `prompt.0.text must be string`; `root` names the value when the path is empty. */
  describe(root = "value"): string {
    const shown = this.path.slice(0, maxShownSteps).map((step) => shownWord(String(step), maxShownStepChars));
    return `${shown.length === 0 ? root : shown.join(".")} must be ${this.expected}`;
  }
}
