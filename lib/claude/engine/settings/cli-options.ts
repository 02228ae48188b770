/**
 * Options that the CLI offers in its answer to `initialize`: fast mode, output style and agent.
 *
 * Fast mode and output style change the running CLI. For another agent the CLI is started
 * again. An undefined value means the user's own setting.
 */
import { configOption, type SessionConfigOption } from "../../../acp/index.ts";
import { onOffOption, oneLine } from "../../../display/index.ts";
import type { ClaudeLaunch, InitializeAnswer, ModelOffer } from "../../index.ts";

export interface CliOptions {
  readonly fastMode?: boolean | undefined;
  readonly outputStyle?: string | undefined;
  readonly agent?: string | undefined;
}

/** The value that means no agent of its own. */
const noAgent = "default";
/** Sets up the status line of the CLI's own terminal. */
const hiddenAgents: ReadonlySet<string> = new Set(["statusline-setup"]);
/** Fast mode is off until a host asks for it; for any other reason it cannot be had. */
const optIn = "sdk_opt_in_required";
const maxDescriptionChars = 80;
const maxChoices = 50;

export function readCliOptions(chosen: Readonly<Record<string, string>>): CliOptions {
  const { fast_mode, output_style, agent } = chosen;
  return {
    ...(fast_mode !== undefined && { fastMode: fast_mode === "true" }),
    ...(output_style !== undefined && { outputStyle: output_style }),
    ...(agent !== undefined && agent !== noAgent && { agent }),
  };
}

/** The options with one changed; undefined when the id is that of another option. */
export function changedCliOption(options: CliOptions, id: string, value: string): CliOptions | undefined {
  switch (id) {
    case "fast_mode":
      return { ...options, fastMode: value === "true" };
    case "output_style":
      return { ...options, outputStyle: value };
    case "agent":
      return { ...options, agent: value === noAgent ? undefined : value };
    default:
      return undefined;
  }
}

/** The values of each option that the CLI and the model offer. */
export function offeredCliOptions(
  { fastMode, outputStyle, agent }: CliOptions,
  answer: InitializeAnswer,
  model: ModelOffer | undefined,
): readonly SessionConfigOption[] {
  const { fast_mode_disabled_reason: reason, fast_mode_state: state } = answer;
  const hasFast = model?.supportsFastMode === true && state !== undefined && (reason ?? optIn) === optIn;
  const styles = (answer.available_output_styles ?? []).slice(0, maxChoices);
  const agents = (answer.agents ?? []).filter(({ name }) => !hiddenAgents.has(name)).slice(0, maxChoices);
  return [
    ...(hasFast
      ? [
          onOffOption("fast_mode", fastMode ?? state === "on", {
            name: "Fast mode",
            description: "Faster answers at a higher price",
            category: "model_config",
          }),
        ]
      : []),
    ...(styles.length > 1
      ? [
          configOption.select(
            "output_style",
            styles.map((style) => ({ value: style, name: style === "default" ? "Default" : style })),
            {
              name: "Output style",
              description: "How Claude writes",
              currentValue: outputStyle ?? answer.output_style ?? "default",
            },
          ),
        ]
      : []),
    ...(agents.length > 0
      ? [
          configOption.select(
            "agent",
            [
              { value: noAgent, name: "Default" },
              ...agents.map(({ name, description }) => ({
                value: name,
                name,
                ...(description !== undefined && { description: oneLine(description, maxDescriptionChars) }),
              })),
            ],
            { name: "Agent", description: "Who answers, from the next prompt on", currentValue: agent ?? noAgent },
          ),
        ]
      : []),
  ];
}

/** The settings to give to a running CLI after a change. Empty when it needs none. */
export function changedFlagSettings(before: CliOptions, after: CliOptions): Readonly<Record<string, unknown>> {
  return {
    ...(before.fastMode !== after.fastMode && { fastMode: after.fastMode ?? null }),
    ...(before.outputStyle !== after.outputStyle && { outputStyle: after.outputStyle ?? null }),
  };
}

/** What a CLI is started with, so that it has these options. */
export function cliOptionsLaunch(options: CliOptions): {
  readonly launch: ClaudeLaunch;
  readonly settings: Readonly<Record<string, unknown>> | undefined;
} {
  const settings = changedFlagSettings({}, options);
  return {
    launch: options.agent === undefined ? {} : { agent: options.agent },
    settings: Object.keys(settings).length === 0 ? undefined : settings,
  };
}
