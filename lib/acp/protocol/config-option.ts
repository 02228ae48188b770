/**
 * Schemas of config options: the settings of a session that the user can change.
 *
 * The agent always sends the complete list of options.
 */
import {
  array,
  boolean,
  either,
  errorTo,
  items,
  lenient,
  literal,
  nullable,
  open,
  type Schema,
  type Static,
  string,
  tagged,
} from "../../schema/index.ts";
import { withMeta } from "./common.ts";

/** The subject of an option, by which a client can place it; custom names begin with `_`. */
export type SessionConfigOptionCategory = "mode" | "model" | "model_config" | "thought_level" | (string & {});
export const SessionConfigOptionCategory: Schema<SessionConfigOptionCategory> = open(
  "mode",
  "model",
  "model_config",
  "thought_level",
);

const selectOption = withMeta({ value: string, name: string, description: lenient(nullable(string)) });
export interface SessionConfigSelectOption extends Static<typeof selectOption> {}
export const SessionConfigSelectOption: Schema<SessionConfigSelectOption> = selectOption;

const selectGroup = withMeta({
  group: string,
  name: string,
  options: errorTo(items(SessionConfigSelectOption), () => []),
});
export interface SessionConfigSelectGroup extends Static<typeof selectGroup> {}
export const SessionConfigSelectGroup: Schema<SessionConfigSelectGroup> = selectGroup;

export type SessionConfigSelectOptions = readonly SessionConfigSelectOption[] | readonly SessionConfigSelectGroup[];
export const SessionConfigSelectOptions: Schema<SessionConfigSelectOptions> = either(
  "a list of options or a list of groups",
  array(SessionConfigSelectOption),
  array(SessionConfigSelectGroup),
);

/** The fields of every type of option. */
const common = {
  id: string,
  name: string,
  description: lenient(nullable(string)),
  category: lenient(nullable(SessionConfigOptionCategory)),
};

const configSelect = withMeta({
  ...common,
  type: literal("select"),
  currentValue: string,
  options: SessionConfigSelectOptions,
});
export interface SessionConfigSelect extends Static<typeof configSelect> {}
export const SessionConfigSelect: Schema<SessionConfigSelect> = configSelect;

const configBoolean = withMeta({ ...common, type: literal("boolean"), currentValue: boolean });
/** Only for clients that advertise `session.configOptions.boolean`. */
export interface SessionConfigBoolean extends Static<typeof configBoolean> {}
export const SessionConfigBoolean: Schema<SessionConfigBoolean> = configBoolean;

export type SessionConfigOption = SessionConfigSelect | SessionConfigBoolean;
export const SessionConfigOption: Schema<SessionConfigOption> = tagged("type", {
  select: SessionConfigSelect,
  boolean: SessionConfigBoolean,
});

const setBoolean = withMeta({ sessionId: string, configId: string, type: literal("boolean"), value: boolean });
export interface SetSessionConfigBoolean extends Static<typeof setBoolean> {}
export const SetSessionConfigBoolean: Schema<SetSessionConfigBoolean> = setBoolean;

const setValue = withMeta({ sessionId: string, configId: string, value: string });
export interface SetSessionConfigValue extends Static<typeof setValue> {
  /** Never present; an unknown type is read as if it were left out. */
  readonly type?: undefined;
}
export const SetSessionConfigValue: Schema<SetSessionConfigValue> = setValue;

export type SetSessionConfigOptionRequest = SetSessionConfigBoolean | SetSessionConfigValue;
export const SetSessionConfigOptionRequest: Schema<SetSessionConfigOptionRequest> = tagged(
  "type",
  { boolean: SetSessionConfigBoolean },
  SetSessionConfigValue,
);

const setResponse = withMeta({ configOptions: errorTo(items(SessionConfigOption), () => []) });
export interface SetSessionConfigOptionResponse extends Static<typeof setResponse> {}
export const SetSessionConfigOptionResponse: Schema<SetSessionConfigOptionResponse> = setResponse;
