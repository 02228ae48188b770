/**
 * The key `bowline` in the `_meta` of ACP messages: fields that two Bowline programs exchange.
 */
import type { Meta } from "../acp/index.ts";
import { isRecord } from "../schema/index.ts";

/** What a client may put into `_meta.bowline` of a request. */
export interface RequestMeta {
  /** Opens the session with this agent of the server instead of the first one. */
  readonly agent?: string | undefined;
  /** Attaching replays only the events after this one. */
  readonly afterEventId?: string | undefined;
  /** Names a prompt, so that sending it again after a reconnect does not run it twice. */
  readonly promptId?: string | undefined;
  /** Closes the session also when other clients are attached to it. */
  readonly isForced?: boolean | undefined;
}

const maxIdChars = 200;

/** Reads `_meta.bowline` of a request's params. Values of the wrong type count as missing. */
export function requestMeta(params: unknown): RequestMeta {
  const given = bowlineMeta(params);
  if (given === undefined) return {};
  const { agent, afterEventId, promptId, isForced } = given;
  return {
    agent: idOf(agent),
    afterEventId: idOf(afterEventId),
    promptId: idOf(promptId),
    isForced: isForced === true,
  };
}

export function bowlineMeta(value: unknown): Readonly<Record<string, unknown>> | undefined {
  const meta = isRecord(value) ? value["_meta"] : undefined;
  const own = isRecord(meta) ? meta["bowline"] : undefined;
  return isRecord(own) ? own : undefined;
}

/** `_meta` with the keys of `own` added to its `bowline`. */
export function withBowlineMeta(meta: unknown, own: Readonly<Record<string, unknown>>): Meta {
  const given = isRecord(meta) ? meta : {};
  const bowline = isRecord(given["bowline"]) ? given["bowline"] : {};
  return { ...given, bowline: { ...bowline, ...own } };
}

function idOf(value: unknown): string | undefined {
  return typeof value === "string" && value !== "" && value.length <= maxIdChars ? value : undefined;
}
