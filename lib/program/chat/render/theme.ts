/**
 * Look: what the renderer may use of the place it writes for.
 */
import type { TextStyle } from "./text-style.ts";

export interface Theme {
  readonly paint: TextStyle;
  /** How wide a line may be. */
  readonly columns: () => number;
  /** Lines at the bottom can be changed until they are done. */
  readonly isLive: boolean;
  /** Thoughts are shown whole. */
  readonly showsThoughts: boolean;
}
