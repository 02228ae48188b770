/**
 * On/off options: a select, because not every client shows switches, and the same as a switch.
 */
import { configOption, type SessionConfigOption } from "../acp/index.ts";

const choices = [
  { value: "true", name: "On" },
  { value: "false", name: "Off" },
];

export function onOffOption(
  id: string,
  isOn: boolean,
  labels: { readonly name: string; readonly description: string; readonly category?: string },
): SessionConfigOption {
  return configOption.select(id, choices, { ...labels, currentValue: String(isOn) });
}

/** An option of `onOffOption` as a switch, for clients that show switches. Other options are returned as they are. */
export function asSwitch(option: SessionConfigOption): SessionConfigOption {
  if (option.type !== "select" || option.options !== choices) return option;
  const { type: _type, options: _options, id, currentValue, ...labels } = option;
  return configOption.boolean(id, { ...labels, currentValue: currentValue === "true" });
}
