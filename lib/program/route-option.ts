/**
 * Reads the option `--route` and the variables that choose the engine.
 *
 * The variables of Banjo, an earlier ACP agent for Claude Code and Codex, are accepted too, so
 * that its users need not change their settings.
 */
import { type EngineId, engineIds, type Route, routes } from "../agent/index.ts";
import type { Environment } from "../process/index.ts";
import { WrongUsage } from "./argv.ts";

/** Undefined when neither is given. Throws `WrongUsage` for an unknown route. */
export function readRoute(option: string | undefined, env: Environment): Route | undefined {
  return readChoice(routes, "--route", option, env, ["BOWLINE_ROUTE", "BANJO_ROUTE"]);
}

/** The same for an option that names one engine. */
export function readEngine(option: string | undefined, env: Environment): EngineId | undefined {
  const route = readRoute(option, env);
  return engineIds.find((one) => one === route);
}

/** Who answers first in a duet. */
export function readPrimary(env: Environment): EngineId | undefined {
  return readChoice(engineIds, undefined, undefined, env, ["BOWLINE_PRIMARY_AGENT", "BANJO_PRIMARY_AGENT"]);
}

function readChoice<T extends string>(
  choices: readonly T[],
  optionName: string | undefined,
  option: string | undefined,
  env: Environment,
  variables: readonly string[],
): T | undefined {
  const variable = variables.find((name) => (env[name] ?? "") !== "");
  const given = option ?? (variable === undefined ? undefined : env[variable]);
  if (given === undefined) return undefined;
  const choice = choices.find((one) => one === given);
  const name = option === undefined ? variable : optionName;
  if (choice === undefined)
    throw new WrongUsage(`${name} must be ${choices.slice(0, -1).join(", ")} or ${choices.at(-1)}`);
  return choice;
}
