/**
 * The config options `edits` and `commands`, which let the agent read and write files
 * and run commands through the editor.
 *
 * Each is offered only if the client has the capabilities it needs.
 */
import { type ClientCapabilities, configOption, type SessionConfigOption } from "../../acp/index.ts";

/** The capabilities of the editor that the agent can use. */
export interface EditorFeatures {
  readonly hasFiles: boolean;
  readonly hasTerminals: boolean;
  /** Why commands cannot run in the editor's terminals although it has terminals. */
  readonly commandsObstacle?: string;
}

export function editorFeatures({ fs, terminal }: ClientCapabilities): EditorFeatures {
  return { hasFiles: fs?.readTextFile === true && fs.writeTextFile === true, hasTerminals: terminal === true };
}

export function editorSettings(
  { hasFiles, hasTerminals, commandsObstacle }: EditorFeatures,
  { edits, commands }: { readonly edits: boolean; readonly commands: boolean },
): readonly SessionConfigOption[] {
  return [
    ...(hasFiles
      ? [
          onOff("edits", edits, {
            name: "Edits through the editor",
            description: "Read unsaved text, and write where the editor can review it",
          }),
        ]
      : []),
    ...(hasTerminals && commandsObstacle !== undefined ? [commandsUnavailable(commandsObstacle)] : []),
    ...(hasTerminals && commandsObstacle === undefined
      ? [
          onOff("commands", commands, {
            name: "Commands in the editor's terminal",
            description: "Run commands where their output is seen as it comes",
          }),
        ]
      : []),
  ];
}

/** The option stays visible, so that the user learns why it cannot be switched on. */
function commandsUnavailable(obstacle: string): SessionConfigOption {
  return configOption.select("commands", [{ value: "false", name: "Off" }], {
    name: "Commands in the editor's terminal",
    description: `Not available: ${obstacle}`,
    currentValue: "false",
  });
}

/** An on/off option as a select, because not every client shows boolean options. */
export function onOff(
  id: string,
  isOn: boolean,
  labels: { readonly name: string; readonly description: string },
): SessionConfigOption {
  const choices = [
    { value: "true", name: "On" },
    { value: "false", name: "Off" },
  ];
  return configOption.select(id, choices, { ...labels, currentValue: String(isOn) });
}
