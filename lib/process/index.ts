/**
 * Entry point of the process module: CLIs as guarded child processes, the process table,
 * descendants of a process, the orphan guard, orphans of earlier runs, and private directories.
 */
export { type Environment, inheritedEnvironment, isDesktopPath } from "./environment.ts";
export { type ExecutableQuery, findExecutable, isNodeScript, isUsableProgram } from "./find-executable.ts";
export { GuardedProcess, processCounts, type ProcessExit, type GuardedLaunch } from "./guarded-process.ts";
export {
  missingDirectories,
  readShellEnvironment,
  shellEnvironment,
  shellLimitMs,
  withShellEnvironment,
} from "./shell-environment.ts";
export {
  isPrivateDirectory,
  makePrivateDirectory,
  NotPrivate,
  runDirectory,
  stateDirectory,
} from "./private-directory.ts";
export { type Guarded, orphanGuard, guardFile } from "./orphan-guard.ts";
export { orphanProcesses, orphanFiles } from "./orphans.ts";
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
export { programRunId, newRunId, descendantsIn, killByRunId } from "./process-tree.ts";
