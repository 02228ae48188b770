/**
 * Entry point of the schema module: combinators that define what a value may be,
 * and helpers that make untrusted text safe to show.
 */
export {
  absentTo,
  array,
  errorTo,
  type Fields,
  isRecord,
  items,
  nullable,
  nullTo,
  record,
  recordIn,
  recordsIn,
  textIn,
  textOf,
} from "./collection.ts";
export { Fault } from "./fault.ts";
export { codePointMark, markInvisible } from "./invisible-characters.ts";
export { largest } from "./largest.ts";
export { lenient, object, optional, type ObjectOf, type ObjectSchema, type Optional, type Shape } from "./object.ts";
export {
  boolean,
  int64,
  integer,
  literal,
  nonEmptyString,
  number,
  oneOf,
  open,
  refine,
  string,
  uint16,
  uint32,
  uint64,
  unknown,
} from "./scalar.ts";
export { type Field, type Node, type Schema, schema, type Static } from "./schema.ts";
export { shownWord, sliceWhole } from "./safe-slice.ts";
export { byKey, either, tagged } from "./union.ts";
