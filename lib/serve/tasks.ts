/**
 * The background tasks of a session, through the agent's extension methods
 * `_session/tasks` and `_session/tasks/stop`.
 */
import type { ClientConnection } from "../acp/index.ts";
import { errorCodes, RpcError } from "../rpc/index.ts";
import { Fault, items, lenient, number, object, type Static, string } from "../schema/index.ts";
import { HttpError } from "./http-error.ts";

const backgroundTask = object({
  id: string,
  /** `subagent`, `command` or `other`. */
  kind: string,
  /** What it is to do. */
  title: string,
  ageMs: lenient(number),
  lastOutput: lenient(string),
});
export interface PageTask extends Static<typeof backgroundTask> {}
const Tasks = object({ tasks: items(backgroundTask) });

/** What runs in the background, oldest first. None where the agent has no such list. */
export async function backgroundTasks(agent: ClientConnection, sessionId: string): Promise<readonly PageTask[]> {
  const answer = await agent.callExtension("_session/tasks", { sessionId }).catch((cause: unknown) => {
    if (cause instanceof RpcError && cause.code === errorCodes.methodNotFound) return { tasks: [] };
    throw cause;
  });
  const read = Tasks.read(answer);
  if (read instanceof Fault) throw new HttpError("agent_failed", "the agent's list of tasks cannot be read");
  return read.tasks.map(({ id, kind, title, ageMs, lastOutput }) => ({ id, kind, title, ageMs, lastOutput }));
}

export async function stopTask(agent: ClientConnection, sessionId: string, taskId: string): Promise<void> {
  await agent.callExtension("_session/tasks/stop", { sessionId, taskId });
}
