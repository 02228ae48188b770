/**
 * Adds the options that the client requested (requested-options.ts) to the launch of a CLI: the system prompt, the
 * tools that the model may use, and the limit of requests. The system prompt is not passed as a
 * flag, because other users can see the flags of a process.
 */
import type { RequestedOptions } from "../../../engine/index.ts";
import type { ClaudeLaunch, EnvironmentNeeds, InitializeFields } from "../../index.ts";

export interface RequestedLaunch {
  readonly launch: ClaudeLaunch;
  readonly initialize: InitializeFields;
}

export function requestedLaunch(
  requestedOptions: RequestedOptions | undefined,
  { launch, initialize }: RequestedLaunch,
): RequestedLaunch {
  if (requestedOptions === undefined) return { launch, initialize };
  const { systemPrompt, tools, disallowedTools = [], maxTurns } = requestedOptions;
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
export function withTrace(
  requestedOptions: RequestedOptions | undefined,
  environment: EnvironmentNeeds,
): EnvironmentNeeds {
  const trace = requestedOptions?.traceContext;
  if (trace === undefined) return environment;
  return {
    ...environment,
    extra: { ...environment.extra, TRACEPARENT: trace.traceparent, TRACESTATE: trace.tracestate },
  };
}

/** Whether the client leaves a tool of the CLI to the model. The editor's tools have the same names. */
export function isToolEnabled(requestedOptions: RequestedOptions | undefined, name: string): boolean {
  const { tools, disallowedTools = [] } = requestedOptions ?? {};
  // A rule whose pattern is everything denies the tool as a whole.
  const isDenied = disallowedTools.some((rule) => rule.replace(/\(\s*\**\s*\)\s*$/, "").trim() === name);
  return !isDenied && (tools === undefined || tools.includes(name));
}
