/**
 * Form: what an agent asks for, field by field, and what was typed as values.
 *
 * A field left empty takes its default or is left out; one that is required is asked
 * again. What this program cannot show is declined with a sentence.
 */
import {
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type ElicitationContentValue,
  type ElicitationPropertySchema,
  type EnumOption,
  isFormElicitation,
  isUrlElicitation,
} from "../../acp/index.ts";
import { harmlessLine } from "./harmless.ts";

/** Shows lines and gives what was typed; undefined when the person wants none of it. */
export type AskLine = (question: readonly string[]) => Promise<string | undefined>;

/** After so many wrong answers nobody wants to be asked again. */
const maxTries = 5;

export async function fillForm(request: CreateElicitationRequest, ask: AskLine): Promise<CreateElicitationResponse> {
  const message = harmlessLine(request.message);
  if (isUrlElicitation(request)) {
    const said = await ask([message, `  ${harmlessLine(request.url)}`, "open the link yourself; done? (y/n)"]);
    if (said === undefined) return { action: "cancel" };
    return /^y/i.test(said.trim()) ? { action: "accept" } : { action: "decline" };
  }
  if (!isFormElicitation(request)) return { action: "decline" };
  const { properties = {}, required } = request.requestedSchema;
  const content: Record<string, ElicitationContentValue> = {};
  let heading: readonly string[] = [message];
  for (const [name, property] of Object.entries(properties)) {
    const isRequired = required?.includes(name) ?? false;
    const value = await askField(heading, name, property, isRequired, ask);
    if (value === "cancelled") return { action: "cancel" };
    heading = [];
    if (value !== undefined) content[name] = value;
  }
  return { action: "accept", content };
}

async function askField(
  heading: readonly string[],
  name: string,
  property: ElicitationPropertySchema,
  isRequired: boolean,
  ask: AskLine,
): Promise<ElicitationContentValue | undefined | "cancelled"> {
  const choices = choicesOf(property);
  const lines = [...heading, ...fieldLines(name, property, choices, isRequired)];
  let fault: readonly string[] = [];
  for (let tries = 0; tries < maxTries; tries++) {
    const said = await ask([...lines, ...fault]);
    if (said === undefined) return "cancelled";
    const read = said.trim() === "" ? blank(property, isRequired) : readField(property, choices, said.trim());
    if (!("fault" in read)) return read.value;
    fault = [`! ${read.fault}`];
  }
  return "cancelled";
}

type Read = { readonly value: ElicitationContentValue | undefined } | { readonly fault: string };
type Choice = { readonly value: string; readonly title: string };

function blank(property: ElicitationPropertySchema, isRequired: boolean): Read {
  const given = "default" in property ? property.default : undefined;
  if (given != null) return { value: given };
  return isRequired ? { fault: "this one is needed" } : { value: undefined };
}

function readField(property: ElicitationPropertySchema, choices: readonly Choice[], said: string): Read {
  const choose = (word: string): string | undefined => {
    const numbered = choices[/^\d+$/.test(word) ? Number(word) - 1 : -1];
    return (numbered ?? choices.find(({ value, title }) => value === word || title === word))?.value;
  };
  switch (property.type) {
    case "boolean":
      return /^(?:y|yes|true|n|no|false)$/i.test(said) ? { value: /^[yt]/i.test(said) } : { fault: "say y or n" };
    case "integer":
    case "number": {
      const value = Number(said);
      if (!Number.isFinite(value)) return { fault: "a number, please" };
      if (property.type === "integer" && !Number.isInteger(value)) return { fault: "a whole number, please" };
      return within(value, value, bound(property, "minimum"), bound(property, "maximum"));
    }
    case "array": {
      const values = said.split(",").map((word) => choose(word.trim()));
      const known = values.filter((value) => value !== undefined);
      if (known.length < values.length) return { fault: "numbers from the list, with commas between" };
      return within(known, known.length, bound(property, "minItems"), bound(property, "maxItems"));
    }
    default: {
      if (choices.length > 0) {
        const value = choose(said);
        return value === undefined ? { fault: "a number from the list, please" } : { value };
      }
      return within(said, said.length, bound(property, "minLength"), bound(property, "maxLength"));
    }
  }
}

function within(value: ElicitationContentValue, size: number, least = -Infinity, most = Infinity): Read {
  if (size < least) return { fault: `no less than ${least}, please` };
  return size > most ? { fault: `no more than ${most}, please` } : { value };
}

/** Each kind has bounds of its own; one of an unknown kind may have any. */
function bound(property: ElicitationPropertySchema, name: string): number | undefined {
  const value: unknown = Reflect.get(property, name);
  return typeof value === "number" ? value : undefined;
}

function label(property: ElicitationPropertySchema, name: "title" | "description"): string {
  const value: unknown = Reflect.get(property, name);
  return typeof value === "string" ? value : "";
}

function fieldLines(
  name: string,
  property: ElicitationPropertySchema,
  choices: readonly Choice[],
  isRequired: boolean,
): readonly string[] {
  const hints = [
    property.type === "boolean" ? "y/n" : property.type === "array" ? "several, with commas" : "",
    isRequired ? "" : "may be left empty",
  ].filter((hint) => hint !== "");
  const about = [label(property, "title") || name, label(property, "description")].filter((part) => part !== "").join(": ");
  return [
    harmlessLine(hints.length === 0 ? about : `${about} (${hints.join("; ")})`),
    ...choices.map((choice, i) => `  ${i + 1} ${harmlessLine(choice.title)}`),
  ];
}

function choicesOf(property: ElicitationPropertySchema): readonly Choice[] {
  if (property.type === "string" && "oneOf" in property) return property.oneOf?.map(titled) ?? [];
  if (property.type === "string" && "enum" in property) return property.enum?.map(plain) ?? [];
  if (property.type !== "array" || !("items" in property)) return [];
  const { items } = property;
  if ("anyOf" in items) return items.anyOf.map(titled);
  return "enum" in items ? items.enum.map(plain) : [];
}

function plain(value: string): Choice {
  return { value, title: value };
}

function titled({ const: value, title, description }: EnumOption): Choice {
  return { value, title: description == null || description === "" ? title : `${title}: ${description}` };
}
