/**
 * The protocol's official JSON schema, and validators for its parts.
 *
 * The schema is a file of the pinned dev dependency, so only specs may open it.
 */
import { createRequire } from "node:module";
import { Ajv2020, type ValidateFunction } from "ajv/dist/2020.js";

/** As much of JSON Schema as the protocol uses. */
export interface JsonSchema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: string | number;
  readonly format?: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly minLength?: number;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
  readonly items?: JsonSchema;
  readonly additionalProperties?: boolean | JsonSchema;
  readonly allOf?: readonly JsonSchema[];
  readonly anyOf?: readonly JsonSchema[];
  readonly oneOf?: readonly JsonSchema[];
  readonly "x-method"?: string;
  readonly "x-side"?: string;
  readonly "x-deserialize-default-on-error"?: boolean;
  readonly "x-deserialize-default-on-null"?: boolean;
  readonly "x-deserialize-skip-invalid-items"?: boolean;
}

export interface OfficialSchema {
  readonly $defs: Readonly<Record<string, JsonSchema>>;
}

const require = createRequire(import.meta.url);

export const stable: OfficialSchema = require("@agentclientprotocol/sdk/schema/v1/schema.json");
export const unstable: OfficialSchema = require("@agentclientprotocol/sdk/schema/v1/schema.unstable.json");

/** The definition a reference like `#/$defs/Plan` names. */
export function referenced(ref: string): string {
  return ref.slice("#/$defs/".length);
}

const ajv = new Ajv2020({ strict: false, validateFormats: false, validateSchema: false });
// Without the message envelopes at its root: each definition is compiled at its first use.
ajv.addSchema({ $defs: stable.$defs }, "stable");
ajv.addSchema({ $defs: unstable.$defs }, "unstable");

/** What the official schema finds wrong with a value on the wire; empty when nothing. */
export function officialFaults(definition: string, value: unknown, of: "stable" | "unstable" = "stable"): string[] {
  const validate: ValidateFunction | undefined = ajv.getSchema(`${of}#/$defs/${definition}`);
  if (validate === undefined) throw new RangeError(`the official schema has no ${definition}`);
  if (validate(JSON.parse(JSON.stringify(value)))) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
}
