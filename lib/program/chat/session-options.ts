/**
 * The options of a session that the user can change: ACP config options, or the older
 * session modes where an agent has no config option for the mode.
 */
import type {
  ClientConnection,
  SessionConfigOption,
  SessionConfigSelectOptions,
  SessionModeState,
  SessionUpdate,
} from "../../acp/index.ts";
import { sanitizeLine } from "./render/sanitize.ts";

export interface SessionOption {
  readonly id: string;
  readonly name: string;
  readonly category: string;
  readonly value: string;
  readonly choices: readonly {
    readonly value: string;
    readonly name: string;
    readonly description?: string | undefined;
  }[];
  readonly kind: "option" | "toggle" | "mode";
}

export interface SessionOptionState {
  readonly modes?: SessionModeState | null | undefined;
  readonly configOptions?: readonly SessionConfigOption[] | null | undefined;
}

export function sessionOptions({ modes, configOptions }: SessionOptionState): readonly SessionOption[] {
  const options = (configOptions ?? []).map(fromOption);
  if (modes == null || options.some(({ category }) => category === "mode")) return options;
  const choices = modes.availableModes.map(({ id, name, description }) => ({
    value: id,
    name,
    description: description ?? undefined,
  }));
  return [
    { id: "mode", name: "Mode", category: "mode", value: modes.currentModeId, choices, kind: "mode" },
    ...options,
  ];
}

/** Applies a change that the agent made itself. */
export function withUpdate(options: readonly SessionOption[], update: SessionUpdate): readonly SessionOption[] {
  if (update.sessionUpdate === "current_mode_update") return withValue(options, "mode", update.currentModeId);
  if (update.sessionUpdate !== "config_option_update") return options;
  return [...options.filter(({ kind }) => kind === "mode"), ...update.configOptions.map(fromOption)];
}

/** Sets an option at the agent; resolves with the options afterwards. */
export async function setOption(
  agent: ClientConnection,
  sessionId: string,
  options: readonly SessionOption[],
  one: SessionOption,
  value: string,
): Promise<readonly SessionOption[]> {
  if (one.kind === "mode") {
    await agent.call("session/set_mode", { sessionId, modeId: value });
    return withValue(options, "mode", value);
  }
  const named = { sessionId, configId: one.id };
  const { configOptions } = await agent.call(
    "session/set_config_option",
    one.kind === "toggle" ? { ...named, type: "boolean", value: value === "true" } : { ...named, value },
  );
  return [...options.filter(({ kind }) => kind === "mode"), ...configOptions.map(fromOption)];
}

/** Whether the mode asks for nothing: it is chosen by name only, and shown in red. */
export function isRisky(value: string): boolean {
  return value === "bypassPermissions";
}

/** The value after the current one; the first after the last. A risky one is left out. */
export function nextValue({ choices: all, value }: SessionOption): string | undefined {
  const choices = all.filter((one) => one.value === value || !isRisky(one.value));
  const at = choices.findIndex((one) => one.value === value);
  return choices[(at + 1) % Math.max(1, choices.length)]?.value;
}

/** Finds a choice by value, name (both in any case) or number. */
export function choiceNamed({ choices }: SessionOption, word: string): string | undefined {
  const wanted = word.toLowerCase();
  const found =
    choices.find(({ value }) => value.toLowerCase() === wanted) ??
    choices.find(({ name }) => name.toLowerCase() === wanted) ??
    choices[/^\d+$/.test(wanted) ? Number(wanted) - 1 : -1];
  return found?.value;
}

export function shownValue({ choices, value }: SessionOption): string {
  return sanitizeLine(choices.find((one) => one.value === value)?.name ?? value);
}

function withValue(options: readonly SessionOption[], category: string, value: string): readonly SessionOption[] {
  return options.map((one) => (one.category === category ? { ...one, value } : one));
}

function fromOption(option: SessionConfigOption): SessionOption {
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

function choicesOf(options: SessionConfigSelectOptions): SessionOption["choices"] {
  const choices = options.flatMap((one) => ("group" in one ? one.options : [one]));
  return choices.map(({ value, name, description }) => ({ value, name, ...(description != null && { description }) }));
}
