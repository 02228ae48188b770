/**
 * Adds the client's wishes (client-wishes.ts) to the launch of a CLI: the system prompt, the
 * tools that the model may use, and the limit of requests. The system prompt is not passed as a
 * flag, because other users can see the flags of a process.
 */
import type { ClientWishes } from "../../../engine/index.ts";
import type { ClaudeLaunch, EnvironmentNeeds, InitializeFields } from "../../index.ts";

export interface WishedLaunch {
  readonly launch: ClaudeLaunch;
  readonly initialize: InitializeFields;
}

export function wishedLaunch(wishes: ClientWishes | undefined, { launch, initialize }: WishedLaunch): WishedLaunch {
  if (wishes === undefined) return { launch, initialize };
  const { systemPrompt, tools, disallowedTools = [], maxTurns } = wishes;
  return {
    launch: {
      ...launch,
      ...(tools !== undefined && { tools }),
      disallowedTools: [...(launch.disallowedTools ?? []), ...disallowedTools],
      ...(maxTurns !== undefined && { maxTurns }),
    },
    initialize: {
      ...initialize,
      ...(systemPrompt !== undefined &&
        (systemPrompt.isAppended ? { appendSystemPrompt: systemPrompt.text } : { systemPrompt: [systemPrompt.text] })),
    },
  };
}

/** Adds the variables by which the CLI joins the client's trace. */
export function withTrace(wishes: ClientWishes | undefined, environment: EnvironmentNeeds): EnvironmentNeeds {
  const trace = wishes?.traceContext;
  if (trace === undefined) return environment;
  return {
    ...environment,
    extra: { ...environment.extra, TRACEPARENT: trace.traceparent, TRACESTATE: trace.tracestate },
  };
}

/** Whether the client leaves a tool of the CLI to the model. The editor's tools have the same names. */
export function isToolWished(wishes: ClientWishes | undefined, name: string): boolean {
  const { tools, disallowedTools = [] } = wishes ?? {};
  // A rule whose pattern is everything denies the tool as a whole.
  const isDenied = disallowedTools.some((rule) => rule.replace(/\(\s*\**\s*\)\s*$/, "").trim() === name);
  return !isDenied && (tools === undefined || tools.includes(name));
}
