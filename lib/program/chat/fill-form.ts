/**
 * Fills in a form of the agent (`elicitation/create`), field by field.
 *
 * A field `x_other` after a choice `x` is where an answer in the user's own words goes;
 * AskUserQuestion sends such pairs. A field that the user skips is left out. A link is
 * shown and not opened.
 */
import {
  type CreateElicitationRequest,
  type CreateElicitationResponse,
  type ElicitationContentValue,
  type ElicitationPropertySchema,
  isFormElicitation,
  isUrlElicitation,
} from "../../acp/index.ts";
import type { Picked, PickList } from "./frontend/open-list.ts";
import { visibleLine } from "./render/sanitize.ts";

export interface FormCallbacks {
  readonly pick: (list: PickList) => Promise<Picked>;
  /** Prints a line that stays: the question with its answer. */
  readonly tell: (text: string) => void;
}

interface FormChoice {
  readonly value: string;
  readonly label: string;
  readonly about?: string | undefined;
}

export async function fillForm(
  request: CreateElicitationRequest,
  { pick, tell }: FormCallbacks,
): Promise<CreateElicitationResponse> {
  if (isUrlElicitation(request)) {
    const items = [{ label: "I have opened it" }, { label: "Decline" }];
    tell(`${request.message}: ${request.url}`);
    const picked = await pick({ title: `${request.message}: ${request.url}`, items, typing: "filter", isOwn: false });
    if (picked.kind === "cancelled") return { action: "cancel" };
    return { action: picked.kind === "items" && picked.indexes[0] === 0 ? "accept" : "decline" };
  }
  if (!isFormElicitation(request)) return { action: "decline" };
  const fields = Object.entries(request.requestedSchema.properties ?? {});
  const names = new Set(fields.map(([name]) => name));
  const content: Record<string, ElicitationContentValue> = {};
  const isOnly = fields.filter(([name]) => !isOwnWords(name, names)).length === 1;
  for (const [name, field] of fields) {
    if (isOwnWords(name, names)) continue;
    const title = titleOf(name, field, request.message, isOnly);
    const choices = choicesOf(field);
    // An answer in one's own words needs a field for it; typing filters other choices.
    const takesWords = choices.length === 0 || names.has(`${name}_other`);
    const picked = await pick({
      title,
      items: choices.map(({ label, about }) => ({ label, about })),
      isMulti: field.type === "array",
      typing: takesWords ? "answer" : "filter",
      isOwn: false,
    });
    if (picked.kind === "cancelled") return { action: "cancel" };
    const own = names.has(`${name}_other`) ? `${name}_other` : name;
    const value = valueOf(picked, choices, field.type);
    if (value !== undefined) content[picked.kind === "text" ? own : name] = value;
    tell(`${title}${/[?.:]$/.test(title) ? "" : ":"} ${shown(picked, choices)}`);
  }
  return { action: "accept", content };
}

/** Whether a field is for an answer in the user's own words to the choice before it. */
function isOwnWords(name: string, names: ReadonlySet<string>): boolean {
  return name.endsWith("_other") && names.has(name.slice(0, -"_other".length));
}

function titleOf(name: string, field: ElicitationPropertySchema, message: string, isOnly: boolean): string {
  const description = "description" in field && typeof field.description === "string" ? field.description : "";
  const title = "title" in field && typeof field.title === "string" ? field.title : name;
  if (description !== "" && description !== message) return visibleLine(description);
  return visibleLine(isOnly ? message : `${message} (${title})`);
}

function choicesOf(field: ElicitationPropertySchema): readonly FormChoice[] {
  if (field.type === "boolean")
    return [
      { value: "true", label: "Yes" },
      { value: "false", label: "No" },
    ];
  const titled =
    "oneOf" in field && Array.isArray(field.oneOf)
      ? field.oneOf
      : "items" in field && typeof field.items === "object" && field.items !== null && "anyOf" in field.items
        ? field.items.anyOf
        : undefined;
  if (titled !== undefined)
    return titled.map((one) => ({ value: one.const, label: one.title, about: one.description ?? undefined }));
  const plain =
    "enum" in field && Array.isArray(field.enum)
      ? field.enum
      : "items" in field && typeof field.items === "object" && field.items !== null && "enum" in field.items
        ? field.items.enum
        : [];
  return plain.map((value) => ({ value, label: value }));
}

function valueOf(
  picked: Picked,
  choices: readonly FormChoice[],
  type: ElicitationPropertySchema["type"],
): ElicitationContentValue | undefined {
  if (picked.kind === "cancelled") return undefined;
  if (picked.kind === "text") {
    if (type === "number" || type === "integer")
      return Number.isFinite(Number(picked.text)) ? Number(picked.text) : undefined;
    return type === "array" && choices.length === 0 ? [picked.text] : picked.text;
  }
  const values = picked.indexes.flatMap((i) => choices[i]?.value ?? []);
  if (type === "array") return values;
  return type === "boolean" ? values[0] === "true" : values[0];
}

function shown(picked: Picked, choices: readonly FormChoice[]): string {
  if (picked.kind === "cancelled") return "no answer";
  return picked.kind === "text" ? picked.text : picked.indexes.map((i) => choices[i]?.label ?? "").join(", ");
}
