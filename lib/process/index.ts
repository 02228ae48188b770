/**
 * Entry point of the process module: process trees, the orphan guard, orphans of earlier runs.
 */
export { type Guarded, orphanGuard, guardFile } from "./orphan-guard.ts";
export { type OrphanProcess, orphanProcesses, orphanFiles } from "./orphans.ts";
export {
  type ProcessIdentity,
  type ProcessRow,
  type ProcessTree,
  runIdVariable,
  shareScan,
  readProcessTree,
  readProcessesByRunId,
  killProcesses,
  sendSignal,
} from "./process-table.ts";
export { runId, newRunId, descendantsIn, killByRunId } from "./process-tree.ts";
