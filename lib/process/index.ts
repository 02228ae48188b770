/**
 * Entry point of the process module: the process table, descendants of a process, the
 * orphan guard, and orphans of earlier runs.
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
