/**
 * An on/off option as a select, because not every client shows boolean options.
 */
import { configOption, type SessionConfigOption } from "../acp/index.ts";

export function onOffOption(
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
