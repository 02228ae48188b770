/**
 * The definitions of the writing tools, as `tools/list` sends them to the model. Names
 * and inputs are those of the CLI's own tools.
 */
import { isRecord } from "../schema/index.ts";
import type { ToolDefinition } from "./mcp-server.ts";

interface Property {
  readonly type: "string" | "boolean";
  readonly description: string;
  readonly enum?: readonly string[];
}

type Properties = Readonly<Record<string, Property>>;

interface ToolInputSchema {
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
): ToolDefinition & { readonly inputSchema: ToolInputSchema } {
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: false, openWorldHint: false },
    _meta: meta,
  };
}

const filePath = text("The absolute path to the file");

/**
 * Why an input is not one of this tool; undefined when it is. An input with keys that
 * the tool does not have is refused: a client would show them, and the tool ignore them.
 */
export function inputProblem(tool: string, input: unknown): string | undefined {
  const definition = writingToolDefinitions.find(({ name }) => name === tool);
  return definition === undefined ? `There is no tool ${tool}.` : objectProblem(definition.inputSchema, input);
}

function objectProblem({ properties, required }: ToolInputSchema, value: unknown): string | undefined {
  if (!isRecord(value)) return "The input must be an object.";
  for (const key of required) if (value[key] === undefined) return `The input lacks ${key}.`;
  for (const [key, given] of Object.entries(value)) {
    const property = Object.hasOwn(properties, key) ? properties[key] : undefined;
    if (property === undefined) return "The input has an unexpected parameter.";
    const problem = given === undefined ? undefined : valueProblem(property, given, key);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

function valueProblem({ type, enum: values }: Property, value: unknown, key: string): string | undefined {
  if (typeof value !== type) return `${key} must be ${type === "string" ? "text" : "true or false"}.`;
  return values !== undefined && !values.some((one) => one === value)
    ? `${key} must be one of ${values.join(", ")}.`
    : undefined;
}

export const writingToolDefinitions: readonly (ToolDefinition & { readonly inputSchema: ToolInputSchema })[] = [
  tool(
    "Write",
    "Writes a whole file through the user's editor, overwriting what was there. A file that exists must have been read with Read before. Prefer Edit for changes to existing files.",
    { file_path: filePath, content: text("The content to write to the file") },
    ["file_path", "content"],
  ),
  tool(
    "Edit",
    "Replaces text in a file through the user's editor. The file must have been read with Read before. old_string must match exactly, without the line numbers of Read, and must be unique in the file unless replace_all is true. An empty old_string creates a new file.",
    {
      file_path: filePath,
      old_string: text("The text to replace"),
      new_string: text("The text to replace it with (must be different from old_string)"),
      replace_all: flag("Replace all occurrences of old_string (default false)"),
    },
    ["file_path", "old_string", "new_string"],
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
