/**
 * Reads the environment variables that let a session continue without a prompt, the same for
 * `bowline agent` and `bowline chat`.
 */
import type { AgentSettings } from "../agent/index.ts";
import type { ProgramStreams } from "./command.ts";

/** The help texts of the variables. */
export const continueVariables = {
  BOWLINE_AUTO_CONTINUE:
    "1: a turn that ends with work left on its plan is continued; fresh: the same, in a cleared conversation; see /nudge",
  BOWLINE_CONTINUE_AT_RESET: "1: a prompt that a usage limit stops waits, and goes on when the limit resets",
} as const;

export function readContinueSettings(
  env: ProgramStreams["env"],
): Pick<AgentSettings, "autoContinue" | "continueAtReset"> {
  const { BOWLINE_AUTO_CONTINUE: auto = "0", BOWLINE_CONTINUE_AT_RESET: atReset = "0" } = env;
  return { autoContinue: auto === "fresh" ? auto : isOn(auto), continueAtReset: isOn(atReset) };
}

/** Whether the value of a variable turns something on. */
export function isOn(value: string): boolean {
  return value !== "" && value !== "0" && value !== "false";
}
