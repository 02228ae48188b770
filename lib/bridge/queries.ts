/**
 * The eight methods of `query.call`, one table row each.
 *
 * A row validates its arguments, then sends a control request to the CLI or reads the
 * CLI's response to `initialize`. Results are passed on as the CLI wrote them.
 */
import type { RawInitializeAnswer } from "../claude/engine/index.ts";
import type { OutgoingControlRequests } from "../claude/index.ts";
import {
  boolean,
  Fault,
  isRecord,
  nonEmptyString,
  nullable,
  number,
  object,
  optional,
  type Schema,
} from "../schema/index.ts";

/** What a query method works with. */
export interface QueryTarget {
  readonly control: OutgoingControlRequests;
  readonly offers: RawInitializeAnswer;
}

export type QueryMethod = keyof typeof methods;
type RunQuery = (target: QueryTarget, args: readonly unknown[]) => Promise<unknown>;

const limitMs = 60_000;

const methods = {
  supportedModels: async ({ offers }) => offered(offers, "models"),
  supportedCommands: async ({ offers }) => offered(offers, "commands"),
  accountInfo: async ({ offers }) => offered(offers, "account"),
  mcpServerStatus: async ({ control }) => {
    const answer = await ask(control, "mcp_status", {});
    return isRecord(answer) ? answer["mcpServers"] : undefined;
  },
  setModel: async ({ control }, [model]) => {
    await ask(control, "set_model", { model: read(nullable(nonEmptyString), model ?? null, 0) });
    return null;
  },
  setPermissionMode: async ({ control }, [mode]) => {
    await ask(control, "set_permission_mode", { mode: read(nonEmptyString, mode, 0) });
    return null;
  },
  setMaxThinkingTokens: async ({ control }, [tokens]) => {
    const max_thinking_tokens = read(nullable(number), tokens ?? null, 0);
    await ask(control, "set_max_thinking_tokens", { max_thinking_tokens });
    return null;
  },
  rewindFiles: ({ control }, [uuid, options]) => {
    const user_message_id = read(nonEmptyString, uuid, 0);
    const { dry_run, dryRun } = read(rewindOptions, options ?? {}, 1);
    return ask(control, "rewind_files", { user_message_id, dry_run: dry_run ?? dryRun });
  },
} as const satisfies Readonly<Record<string, RunQuery>>;

const rewindOptions = object({ dry_run: optional(boolean), dryRun: optional(boolean) });

export const queryMethods: readonly QueryMethod[] = Object.keys(methods) as QueryMethod[];

/** Rejects with an error whose message may be sent to the client. */
export async function query(method: QueryMethod, args: readonly unknown[], target: QueryTarget): Promise<unknown> {
  const row: RunQuery = methods[method];
  return (await row(target, args)) ?? null;
}

export function isQueryMethod(method: string): method is QueryMethod {
  return Object.hasOwn(methods, method);
}

export function unknownMethod(): Error {
  return new Error(`method must be one of ${queryMethods.join(", ")}`);
}

function ask(control: OutgoingControlRequests, subtype: string, fields: object): Promise<unknown> {
  return control.requestRaw(subtype, fields, { limitMs });
}

function offered(offers: RawInitializeAnswer, key: string): unknown {
  const value = offers[key];
  if (value === undefined) throw new Error(`the Claude CLI did not say its ${key}`);
  return value;
}

function read<T>(schema: Schema<T>, value: unknown, index: number): T {
  const got = schema.read(value);
  if (got instanceof Fault) throw new TypeError(got.under(index).under("args").describe());
  return got;
}
