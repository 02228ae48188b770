/**
 * Definitions: our tools as the model is told of them: the words and inputs of the
 * CLI's own.
 */
import type { ToolDefinition } from "./mcp.ts";

type Properties = Readonly<Record<string, object>>;

const text = (description: string): object => ({ type: "string", description });
const flag = (description: string): object => ({ type: "boolean", description });
const count = (description: string): object => ({ type: "number", description });

/** The model gets them with its first request, and results of any length whole. */
const meta = { "anthropic/alwaysLoad": true, "anthropic/maxResultSizeChars": 500_000 };

function tool(
  name: string,
  description: string,
  properties: Properties,
  required: readonly string[],
  isReading = false,
): ToolDefinition {
  return {
    name,
    description,
    inputSchema: { type: "object", properties, required, additionalProperties: false },
    annotations: { readOnlyHint: isReading, openWorldHint: false },
    _meta: meta,
  };
}

const filePath = text("The absolute path to the file");
const replacement: Properties = {
  old_string: text("The text to replace"),
  new_string: text("The text to replace it with (must be different from old_string)"),
  replace_all: flag("Replace all occurrences of old_string (default false)"),
};

export const fileTools: readonly ToolDefinition[] = [
  tool(
    "Read",
    "Reads a file as it is in the user's editor, unsaved changes included. By default it reads up to 2000 lines from the beginning; use offset and limit for other parts. Each line is given as its number, a tab and its text. Images are shown as images, PDFs as documents, notebooks as cells. Directories cannot be read.",
    {
      file_path: filePath,
      offset: count("The line number to start reading from, from 1"),
      limit: count("The number of lines to read"),
    },
    ["file_path"],
    true,
  ),
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

export const commandTools: readonly ToolDefinition[] = [
  tool(
    "Bash",
    "Runs a command in a terminal of the user's editor, where the user sees its output as it comes. The working directory lasts between commands; nothing else of the shell does. Long output is cut in the middle. With run_in_background it returns at once and you are told when it ends; see BashOutput and KillShell. To read and change files use the file tools instead.",
    {
      command: text("The command to run"),
      timeout: count("Time limit in milliseconds (default 120000, at most 600000)"),
      description: text("What the command does, in 5 to 10 words"),
      run_in_background: flag("Do not wait for the command to end"),
    },
    ["command"],
  ),
  tool(
    "BashOutput",
    "The output of a background command since the last look, and whether it still runs.",
    { bash_id: text("The id of the background command") },
    ["bash_id"],
    true,
  ),
  tool("KillShell", "Stops a background command.", { shell_id: text("The id of the background command") }, [
    "shell_id",
  ]),
];
