/**
 * The extension methods `_session/tasks` and `_session/tasks/stop`, for clients that show what
 * runs in the background themselves.
 */
import type { Extensions } from "../../acp/index.ts";
import type { BackgroundTask } from "../../engine/index.ts";
import { errorCodes, RpcError } from "../../rpc/index.ts";
import { Fault, object, type Schema, string } from "../../schema/index.ts";
import type { SessionRegistry } from "../sessions/session-registry.ts";

const listParams = object({ sessionId: string });
const stopParams = object({ sessionId: string, taskId: string });

export interface TasksResponse {
  readonly tasks: readonly BackgroundTask[];
}

export function taskMethods(sessions: SessionRegistry): Extensions {
  return {
    "_session/tasks": async (given): Promise<TasksResponse> => {
      const { sessionId } = read("_session/tasks", listParams, given);
      return { tasks: await sessions.get(sessionId).controls.tasks.list() };
    },
    "_session/tasks/stop": async (given): Promise<{}> => {
      const { sessionId, taskId } = read("_session/tasks/stop", stopParams, given);
      await sessions.get(sessionId).controls.tasks.stop(taskId);
      return {};
    },
  };
}

function read<Params>(method: string, schema: Schema<Params>, given: unknown): Params {
  const params = schema.read(given);
  if (params instanceof Fault) throw new RpcError(errorCodes.invalidParams, `${method}: ${params.describe("params")}`);
  return params;
}
