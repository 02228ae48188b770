/**
 * The definitions of the writing tools, as `tools/list` sends them to the model. Names
 * and inputs are those of the CLI's own tools.
 */
import { isRecord } from "../schema/index.ts";
import type { ToolDefinition } from "./mcp-server.ts";

interface Property {
  readonly type: "string" | "boolean" | "array";
  readonly description: string;
  readonly enum?: readonly string[];
  readonly minItems?: number;
  readonly items?: ObjectSchema;
}

type Properties = Readonly<Record<string, Property>>;

interface ObjectSchema {
  readonly type: "object";
  readonly properties: Properties;
  readonly required: readonly string[];
}

const text = (description: string): Property => ({ type: "string", description });
const flag = (description: string): Property => ({ type: "boolean", description });

/** The model gets the tools with its first request, and results up to this length without truncation. */
const meta = { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 500_000 };

function tool(
  name: string,
  description: string,
  properties: Properties,
  required: readonly string[],
): ToolDefinition & { readonly inputSchema: ObjectSchema } {
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: false, openWorldHint: false },
    _meta: meta,
  };
}

const filePath = text("The absolute path to the file");
const replacement: Properties = {
  old_string: text("The text to replace"),
  new_string: text("The text to replace it with (must be different from old_string)"),
  replace_all: flag("Replace all occurrences of old_string (default false)"),
};

/**
 * Why an input is not one of this tool; undefined when it is. An input with keys that
 * the tool does not have is refused: a client would show them, and the tool ignore them.
 */
export function inputProblem(tool: string, input: unknown): string | undefined {
  const definition = writingToolDefinitions.find(({ name }) => name === tool);
  return definition === undefined
    ? `There is no tool ${tool}.`
    : objectProblem(definition.inputSchema, input, "The input");
}

function objectProblem({ properties, required }: ObjectSchema, value: unknown, what: string): string | undefined {
  if (!isRecord(value)) return `${what} must be an object.`;
  for (const key of required) if (value[key] === undefined) return `${what} lacks ${key}.`;
  for (const [key, given] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) return `${what} has an unexpected parameter.`;
    const problem = given === undefined ? undefined : valueProblem(property, given, key);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function valueProblem({ type, enum: values, items }: Property, value: unknown, key: string): string | undefined {
  if (type === "array") {
    if (!Array.isArray(value)) return `${key} must be a list.`;
    return (
      items && value.map((one) => objectProblem(items, one, `An entry of ${key}`)).find((one) => one !== undefined)
    );
  }
  if (typeof value !== type) return `${key} must be ${type === "string" ? "text" : "true or false"}.`;
  return values !== undefined && !values.some((one) => one === value)
    ? `${key} must be one of ${values.join(", ")}.`
    : undefined;
}

export const writingToolDefinitions: readonly (ToolDefinition & { readonly inputSchema: ObjectSchema })[] = [
  tool(
    "Write",
    "Writes a whole file through the user's editor, overwriting what was there. A file that exists must have been read with Read before. Prefer Edit for changes to existing files.",
    { file_path: filePath, content: text("The content to write to the file") },
    ["file_path", "content"],
  ),
  tool(
    "Edit",
    "Replaces text in a file through the user's editor. The file must have been read with Read before. old_string must match exactly, without the line numbers of Read, and must be unique in the file unless replace_all is true. An empty old_string creates a new file.",
    { file_path: filePath, ...replacement },
    ["file_path", "old_string", "new_string"],
  ),
  tool(
    "MultiEdit",
    "Makes several replacements in one file, in order, each on the result of the one before. All are made or none.",
    {
      file_path: filePath,
      edits: {
        type: "array",
        minItems: 1,
        description: "The replacements, in order",
        items: { type: "object", properties: replacement, required: ["old_string", "new_string"] },
      },
    },
    ["file_path", "edits"],
  ),
  tool(
    "NotebookEdit",
    "Replaces the source of a cell of a Jupyter notebook (.ipynb) through the user's editor; with edit_mode insert it adds a cell after cell_id (or at the beginning), with delete it removes the cell. The notebook must have been read with Read before.",
    {
      notebook_path: text("The absolute path to the notebook"),
      cell_id: text("The id of the cell"),
      new_source: text("The new source of the cell"),
      cell_type: { type: "string", enum: ["code", "markdown"], description: "The type of the cell" },
      edit_mode: { type: "string", enum: ["replace", "insert", "delete"], description: "What to do (default replace)" },
    },
    ["notebook_path", "new_source"],
  ),
];
