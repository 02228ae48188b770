/**
 * Switches: what a person can change about a session, whichever way the agent offers
 * it: as config options, or as the older modes.
 */
import type {
  ClientConnection,
  SessionConfigOption,
  SessionConfigSelectOptions,
  SessionModeState,
  SessionUpdate,
} from "../../acp/index.ts";
import { harmlessLine } from "./harmless.ts";

export interface Switch {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly value: string;
  readonly choices: readonly { readonly value: string; readonly name: string }[];
  readonly kind: "option" | "toggle" | "mode";
}

export interface SessionState {
  readonly modes?: SessionModeState | null | undefined;
  readonly configOptions?: readonly SessionConfigOption[] | null | undefined;
}

export function switchesOf({ modes, configOptions }: SessionState): readonly Switch[] {
  const options = (configOptions ?? []).map(fromOption);
  if (modes == null || options.some(({ category }) => category === "mode")) return options;
  const choices = modes.availableModes.map(({ id, name }) => ({ value: id, name }));
  return [
    { id: "mode", name: "Mode", category: "mode", value: modes.currentModeId, choices, kind: "mode" },
    ...options,
  ];
}

/** The switches after the agent has changed one by itself. */
export function heeded(switches: readonly Switch[], update: SessionUpdate): readonly Switch[] {
  if (update.sessionUpdate === "current_mode_update") return turned(switches, "mode", update.currentModeId);
  if (update.sessionUpdate !== "config_option_update") return switches;
  const options = update.configOptions.map(fromOption);
  return [...switches.filter(({ kind }) => kind === "mode"), ...options];
}

/** Tells the agent; gives the switches as they are then. */
export async function flip(
  agent: ClientConnection,
  sessionId: string,
  switches: readonly Switch[],
  one: Switch,
  value: string,
): Promise<readonly Switch[]> {
  if (one.kind === "mode") {
    await agent.call("session/set_mode", { sessionId, modeId: value });
    return turned(switches, "mode", value);
  }
  const named = { sessionId, configId: one.id };
  const { configOptions } = await agent.call(
    "session/set_config_option",
    one.kind === "toggle" ? { ...named, type: "boolean", value: value === "true" } : { ...named, value },
  );
  return [...switches.filter(({ kind }) => kind === "mode"), ...configOptions.map(fromOption)];
}

/** The value after the present one, round and round. */
export function following({ choices, value }: Switch): string | undefined {
  const at = choices.findIndex((one) => one.value === value);
  return choices[(at + 1) % Math.max(1, choices.length)]?.value;
}

/** By its number, its value or its name, however that is written. */
export function choiceNamed({ choices }: Switch, word: string): string | undefined {
  const wanted = word.toLowerCase();
  const found =
    choices.find(({ value }) => value.toLowerCase() === wanted) ??
    choices.find(({ name }) => name.toLowerCase() === wanted) ??
    choices[/^\d+$/.test(wanted) ? Number(wanted) - 1 : -1];
  return found?.value;
}

export function shownValue({ choices, value }: Switch): string {
  return harmlessLine(choices.find((one) => one.value === value)?.name ?? value);
}

function turned(switches: readonly Switch[], category: string, value: string): readonly Switch[] {
  return switches.map((one) => (one.category === category ? { ...one, value } : one));
}

function fromOption(option: SessionConfigOption): Switch {
  const { id, name } = option;
  const category = option.category ?? id;
  if (option.type === "select") {
    const choices = choicesOf(option.options);
    return { id, name, category, value: option.currentValue, choices, kind: "option" };
  }
  const choices = [
    { value: "true", name: "On" },
    { value: "false", name: "Off" },
  ];
  return { id, name, category, value: String(option.currentValue), choices, kind: "toggle" };
}

function choicesOf(options: SessionConfigSelectOptions): Switch["choices"] {
  return options.flatMap((one) => ("group" in one ? one.options : [one]));
}
