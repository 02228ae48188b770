/**
 * The state of a session that `bowline connect` keeps to reopen it after a lost connection.
 */
import { isRecord } from "../../schema/index.ts";
import type { Message } from "./mapped-messages.ts";
import type { ReplayFilter } from "./replay-filter.ts";
import { SeenUpdates } from "./seen-updates.ts";

export class RemoteSession {
  readonly id: string;
  readonly seen = new SeenUpdates();
  /** `cwd`, `mcpServers` and the like, as the agent knows them. */
  readonly #params: Message;
  /** The last event of the session that arrived; undefined with servers that number none. */
  #lastEventId: string | undefined;
  /** Filters the replay of a load that opens the session again. */
  #replay: ReplayFilter | undefined;

  constructor(id: string, params: Message) {
    this.id = id;
    const { _meta: _unused, ...kept } = params;
    this.#params = kept;
  }

  get hasEventIds(): boolean {
    return this.#lastEventId !== undefined;
  }

  /** Takes the params of a `session/update`. Returns the params of what the editor has not got. */
  update(params: Message): readonly Message[] {
    this.noteEvent(params);
    const { update } = params;
    if (!isRecord(update)) return [params];
    if (this.#replay !== undefined) return this.#passed(this.#replay.take(update));
    this.seen.add(update);
    return [params];
  }

  /** Remembers the event id in the `_meta` of a message. */
  noteEvent(value: unknown): void {
    const id = bowlineMeta(value)?.["eventId"];
    if (typeof id === "string" || typeof id === "number") this.#lastEventId = String(id);
  }

  /**
   * Takes the event id of a response that opened the session. An update that came before the response is
   * newer: the server may have made its response before it sent the update.
   */
  noteOpened(result: unknown): void {
    if (this.#lastEventId === undefined) this.noteEvent(result);
  }

  /** The params of the `session/load` that continues after the last event. */
  continuation(): Message {
    return { ...this.#loadParams(), _meta: { bowline: { afterEventId: this.#lastEventId } } };
  }

  /** The params of a `session/load` of everything; its replay is filtered until `replayed` is called. */
  reload(): Message {
    this.#replay = this.seen.replay();
    this.#lastEventId = undefined;
    return this.#loadParams();
  }

  /** The replay is over. Returns the params of updates that were held until now. */
  replayed(): readonly Message[] {
    const held = this.#replay?.end() ?? [];
    this.#replay = undefined;
    return this.#passed(held);
  }

  #passed(updates: readonly Message[]): readonly Message[] {
    for (const update of updates) this.seen.add(update);
    return updates.map((update) => ({ sessionId: this.id, update }));
  }

  #loadParams(): Message {
    return { mcpServers: [], ...this.#params, sessionId: this.id };
  }
}

/** The key `bowline` in the `_meta` of a value. */
export function bowlineMeta(value: unknown): Message | undefined {
  const meta = isRecord(value) ? value["_meta"] : undefined;
  const own = isRecord(meta) ? meta["bowline"] : undefined;
  return isRecord(own) ? own : undefined;
}
