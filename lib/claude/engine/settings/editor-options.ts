/**
 * The config options `edits` and `commands`, which let the agent read and write files
 * and run commands through the editor.
 *
 * Each is offered only if the client has the capabilities it needs.
 */
import { type ClientCapabilities, configOption, type SessionConfigOption } from "../../../acp/index.ts";
import { onOffOption } from "../../../display/index.ts";

/** The capabilities of the editor that the agent can use. */
export interface EditorFeatures {
  readonly hasFiles: boolean;
  readonly hasTerminals: boolean;
  /** Why files cannot be written through the editor all the same. */
  readonly editsObstacle?: string;
  /** Why commands cannot run in the editor's terminals although it has terminals. */
  readonly commandsObstacle?: string;
}

export function editorFeatures({ fs, terminal }: ClientCapabilities): EditorFeatures {
  return { hasFiles: fs?.readTextFile === true && fs.writeTextFile === true, hasTerminals: terminal === true };
}

export function editorOptions(
  { hasFiles, hasTerminals, editsObstacle, commandsObstacle }: EditorFeatures,
  { edits, commands }: { readonly edits: boolean; readonly commands: boolean },
): readonly SessionConfigOption[] {
  return [
    ...(hasFiles ? [editorOption("edits", edits, editsObstacle)] : []),
    ...(hasTerminals ? [editorOption("commands", commands, commandsObstacle)] : []),
  ];
}

const descriptions = {
  edits: {
    name: "Edits through the editor",
    description: "Read unsaved text, and write where the editor can review it",
  },
  commands: {
    name: "Commands in the editor's terminal",
    description: "Run commands where their output is seen as it comes",
  },
} as const;

/** An option that cannot be switched on stays visible, so that the user learns why. */
function editorOption(id: keyof typeof descriptions, isOn: boolean, obstacle: string | undefined): SessionConfigOption {
  if (obstacle === undefined) return onOffOption(id, isOn, descriptions[id]);
  return configOption.select(id, [{ value: "false", name: "Off" }], {
    name: descriptions[id].name,
    description: `Not available: ${obstacle}`,
    currentValue: "false",
  });
}
