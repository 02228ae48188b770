/**
 * The config options of a session with two engines: which engine answers, and how.
 */
import { type AvailableCommand, configOption, type ContentBlock, type SessionConfigOption } from "../../acp/index.ts";
import { onOffOption } from "../../display/index.ts";
import { type EngineId, type Route, routes } from "../route.ts";
import type { EngineTrack } from "./engine-track.ts";

export interface RouteSettings {
  readonly route: Route;
  /** The engine that answers first in a duet. */
  readonly primary: EngineId;
  /** In a duet the second engine reviews the answer of the first. */
  readonly isReview: boolean;
  /** An engine is told what was said while another one answered. */
  readonly sharesContext: boolean;
}

export function routeOptions(settings: RouteSettings): readonly SessionConfigOption[] {
  const { route, primary, isReview, sharesContext } = settings;
  return [
    configOption.select(
      "route",
      [
        { value: "claude", name: "Claude", description: "Claude Code answers" },
        { value: "codex", name: "Codex", description: "Codex answers" },
        { value: "duet", name: "Duet", description: "Both answer each prompt, one after the other" },
      ],
      { name: "Engine", description: "Who answers", currentValue: route },
    ),
    configOption.select(
      "primary_agent",
      [
        { value: "claude", name: "Claude" },
        { value: "codex", name: "Codex" },
      ],
      { name: "First in a duet", description: "Who answers first in a duet", currentValue: primary },
    ),
    onOffOption("duet_review", isReview, {
      name: "Review in a duet",
      description: "The second engine reviews what the first one did",
    }),
    onOffOption("share_context", sharesContext, {
      name: "Share the conversation",
      description: "Tell an engine what was said while the other one answered",
    }),
  ];
}

/** The settings with one option changed; undefined when it is none of these options. */
export function changedRoute(settings: RouteSettings, id: string, value: string): RouteSettings | undefined {
  switch (id) {
    case "route": {
      const route = routes.find((one) => one === value);
      return route && { ...settings, route };
    }
    case "primary_agent":
      return { ...settings, primary: value === "codex" ? "codex" : "claude" };
    case "duet_review":
      return { ...settings, isReview: value === "true" };
    case "share_context":
      return { ...settings, sharesContext: value === "true" };
    default:
      return undefined;
  }
}

/** A prompt that begins with a slash command that switches the route, and what follows the command. */
export function readRouteCommand(
  prompt: readonly ContentBlock[],
): { readonly route: Route; readonly rest: readonly ContentBlock[] } | undefined {
  const [first, ...attached] = prompt;
  if (first?.type !== "text") return undefined;
  const [, name, text = ""] = /^\/(claude|codex|duet)(?:\s+([\s\S]*))?$/.exec(first.text.trim()) ?? [];
  const route = routes.find((one) => one === name);
  return route && { route, rest: [...(text === "" ? [] : [{ ...first, text }]), ...attached] };
}

const routeCommands: readonly AvailableCommand[] = [
  { name: "claude", description: "Let Claude answer; with a prompt, ask only Claude, once", input: { hint: "prompt" } },
  { name: "codex", description: "Let Codex answer; with a prompt, ask only Codex, once", input: { hint: "prompt" } },
  { name: "duet", description: "Let both answer; with a prompt, ask both, once", input: { hint: "prompt" } },
];

/** The commands of some engines and those that switch the route. Of two with one name the last is kept. */
export function commandsOfRoute(lists: readonly (readonly AvailableCommand[])[]): readonly AvailableCommand[] {
  const all = [...lists.flat(), ...routeCommands];
  return [...new Map(all.toReversed().map((one) => [one.name, one])).values()].toReversed();
}

/** The engines that answer under a route, in order. */
export function enginesOf({ primary }: RouteSettings, route: Route): readonly EngineId[] {
  if (route !== "duet") return [route];
  return primary === "claude" ? ["claude", "codex"] : ["codex", "claude"];
}

/** In a duet the model of the second engine is an option of its own. */
export function secondModels(
  settings: RouteSettings,
  tracks: ReadonlyMap<EngineId, Pick<EngineTrack, "modelOption">>,
): readonly SessionConfigOption[] {
  const [, second] = settings.route === "duet" ? enginesOf(settings, "duet") : [];
  return (second === undefined ? undefined : tracks.get(second)?.modelOption()) ?? [];
}
