/**
 * The side effects of CLI events, as one table: changes of the conversation id, the commands, the
 * settings and the account. `fold` makes the updates for the client.
 */
import type { ConversationEvent, SystemEvent } from "../index.ts";

/** The parts of a conversation that events change. */
export interface EventTargets {
  /** A turn has started in this conversation. */
  readonly onInit: (event: SystemOf<"init">) => void;
  readonly setCommands: (commands: SystemOf<"commands_changed">["commands"]) => void;
  readonly syncMode: (mode: string | undefined) => void;
  /** When the usage limit that is reached ends, in seconds since the epoch; undefined when none is reached. */
  readonly setReset: (resetsAt: number | undefined) => void;
  /** The API refused the credentials. */
  readonly onSignInRefused: () => void;
}

type SystemOf<S extends SystemEvent["subtype"]> = Extract<SystemEvent, { readonly subtype: S }>;
type SystemTable = {
  readonly [S in SystemEvent["subtype"]]?: (targets: EventTargets, event: SystemOf<S>) => void;
};

const systemTable: SystemTable = {
  init: (targets, event) => targets.onInit(event),
  status: (targets, { permissionMode }) => targets.syncMode(permissionMode),
  commands_changed: (targets, { commands }) => targets.setCommands(commands),
  api_retry: (targets, { error }) => {
    if (error === "authentication_failed") targets.onSignInRefused();
  },
};

export function applyEvent(targets: EventTargets, event: ConversationEvent): void {
  if (event.type === "rate_limit_event") {
    const { status, resetsAt } = event.rate_limit_info;
    targets.setReset(status === "rejected" ? resetsAt : undefined);
  } else if (event.type === "system" && Object.hasOwn(systemTable, event.subtype)) {
    // The row was found by the subtype of the event, so the event has the type the row takes.
    const row = systemTable[event.subtype] as (targets: EventTargets, event: SystemEvent) => void;
    row(targets, event);
  }
}
