/**
 * The extension method `_session/usage`: the limits of the account and what the session has
 * used, for clients that show a meter.
 */
import type { Extensions } from "../../acp/index.ts";
import type { UsageReport } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { Fault, object, string } from "../../schema/index.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";

const params = object({ sessionId: string });

export function usageMethod(sessions: SessionRegistry): Extensions[`_${string}`] {
  return (given): Promise<UsageReport> => {
    const read = params.read(given);
    if (read instanceof Fault)
      throw new RpcError(errorCodes.invalidParams, `_session/usage: ${read.describe("params")}`);
    return sessions.get(read.sessionId).controls.usage();
  };
}
