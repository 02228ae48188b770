/**
 * `maybe`: a field that Codex may leave out or set to null. A wrong value counts as left out.
 */
import { lenient, nullable, type Optional, type Schema } from "../../schema/index.ts";

export function maybe<T>(inner: Schema<T>): Optional<T | null> {
  return lenient(nullable(inner));
}
