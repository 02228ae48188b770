/**
 * Schemas of elicitation forms: the fields of a form, and the values of a filled-in form.
 *
 * Constraints are read strictly: a client that ignored a malformed constraint would
 * accept values that the agent cannot take.
 */
import {
  array,
  boolean,
  byKey,
  either,
  int64,
  items,
  lenient,
  literal,
  nullable,
  number,
  oneOf,
  optional,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  uint32,
  uint64,
} from "../../schema/index.ts";
import { withMeta } from "./common.ts";

const labels = { title: lenient(nullable(string)), description: lenient(nullable(string)) };

const enumOption = withMeta({ const: string, title: string, description: lenient(nullable(string)) });
export interface EnumOption extends Static<typeof enumOption> {}
export const EnumOption: Schema<EnumOption> = enumOption;

export type StringFormat = "email" | "uri" | "date" | "date-time";
export const StringFormat: Schema<StringFormat> = oneOf("email", "uri", "date", "date-time");

const stringProperty = withMeta({
  type: literal("string"),
  ...labels,
  minLength: optional(nullable(uint32)),
  maxLength: optional(nullable(uint32)),
  pattern: optional(nullable(string)),
  format: optional(nullable(StringFormat)),
  default: lenient(nullable(string)),
  enum: optional(nullable(array(string))),
  oneOf: optional(nullable(array(EnumOption))),
});
export interface StringPropertySchema extends Static<typeof stringProperty> {}
export const StringPropertySchema: Schema<StringPropertySchema> = stringProperty;

const numberProperty = withMeta({
  type: literal("number"),
  ...labels,
  minimum: optional(nullable(number)),
  maximum: optional(nullable(number)),
  default: lenient(nullable(number)),
});
export interface NumberPropertySchema extends Static<typeof numberProperty> {}
export const NumberPropertySchema: Schema<NumberPropertySchema> = numberProperty;

const integerProperty = withMeta({
  type: literal("integer"),
  ...labels,
  minimum: optional(nullable(int64)),
  maximum: optional(nullable(int64)),
  default: lenient(nullable(int64)),
});
export interface IntegerPropertySchema extends Static<typeof integerProperty> {}
export const IntegerPropertySchema: Schema<IntegerPropertySchema> = integerProperty;

const booleanProperty = withMeta({ type: literal("boolean"), ...labels, default: lenient(nullable(boolean)) });
export interface BooleanPropertySchema extends Static<typeof booleanProperty> {}
export const BooleanPropertySchema: Schema<BooleanPropertySchema> = booleanProperty;

const stringItems = withMeta({ type: literal("string"), enum: array(string) });
export interface StringMultiSelectItems extends Static<typeof stringItems> {}
export const StringMultiSelectItems: Schema<StringMultiSelectItems> = stringItems;

const titledItems = withMeta({ anyOf: array(EnumOption) });
export interface TitledMultiSelectItems extends Static<typeof titledItems> {}
export const TitledMultiSelectItems: Schema<TitledMultiSelectItems> = titledItems;

const otherItems = withMeta({ type: string });
export interface OtherMultiSelectItems extends Static<typeof otherItems> {}
export const OtherMultiSelectItems: Schema<OtherMultiSelectItems> = otherItems;

export type MultiSelectItems = StringMultiSelectItems | TitledMultiSelectItems | OtherMultiSelectItems;
/** Titled choices are recognised by `anyOf`, even when their type is that of plain choices. */
export const MultiSelectItems: Schema<MultiSelectItems> = tagged(
  "type",
  { string: byKey({ enum: StringMultiSelectItems, anyOf: TitledMultiSelectItems }) },
  byKey({ anyOf: TitledMultiSelectItems, type: OtherMultiSelectItems }),
);

const multiSelectProperty = withMeta({
  type: literal("array"),
  ...labels,
  minItems: optional(nullable(uint64)),
  maxItems: optional(nullable(uint64)),
  items: MultiSelectItems,
  default: lenient(nullable(items(string))),
});
export interface MultiSelectPropertySchema extends Static<typeof multiSelectProperty> {}
export const MultiSelectPropertySchema: Schema<MultiSelectPropertySchema> = multiSelectProperty;

const otherProperty = withMeta({ type: string });
/** A type of property that this version does not know. */
export interface OtherPropertySchema extends Static<typeof otherProperty> {}
export const OtherPropertySchema: Schema<OtherPropertySchema> = otherProperty;

export type ElicitationPropertySchema =
  | StringPropertySchema
  | NumberPropertySchema
  | IntegerPropertySchema
  | BooleanPropertySchema
  | MultiSelectPropertySchema
  | OtherPropertySchema;
export const ElicitationPropertySchema: Schema<ElicitationPropertySchema> = tagged(
  "type",
  {
    string: StringPropertySchema,
    number: NumberPropertySchema,
    integer: IntegerPropertySchema,
    boolean: BooleanPropertySchema,
    array: MultiSelectPropertySchema,
  },
  OtherPropertySchema,
);

const elicitationSchema = withMeta({
  type: lenient(literal("object")),
  ...labels,
  properties: optional(record(ElicitationPropertySchema)),
  required: optional(nullable(array(string))),
});
export interface ElicitationSchema extends Static<typeof elicitationSchema> {}
export const ElicitationSchema: Schema<ElicitationSchema> = elicitationSchema;

/** The value of one field of a filled-in form. */
export type ElicitationContentValue = string | number | boolean | readonly string[];
export const ElicitationContentValue: Schema<ElicitationContentValue> = either(
  "a string, a number, a boolean or a list of strings",
  string,
  number,
  boolean,
  array(string),
);
