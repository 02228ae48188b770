/**
 * Public names of the tape module: recording traffic to files, and playing recordings
 * back in place of a CLI or of an agent.
 */
export { acpTape } from "./acp-tape.ts";
export { type CodexTape, codexTapes, hasCodex, type HostMessage } from "./codex-tape.ts";
export { relocate } from "./relocate.ts";
export { isHostSpecific, isOtherHostsRequest, isTurnOpen, linesBefore } from "./host-differences.ts";
export { type FaultKind, FaultPlan, type Faults, type FaultSide, noFaults, seededRandom } from "./faults.ts";
export { faultyLink, withFaults } from "./fault-link.ts";
export { type FaultCallbacks, FaultStream } from "./fault-stream.ts";
export { recordedLink } from "./recorded-link.ts";
export { type LinePlace, Recorder, type TapeSink } from "./recorder.ts";
export { type RowFields, readRows, rowsIn, type Row } from "./tape-rows.ts";
export { scrubber } from "./scrub.ts";
export { type AwaitedFrame, readFrame, readTape, type Tape, type TapeSession, tapeSessions } from "./claude-tape.ts";
export { defaultTapeDirectory, type Recording, type RecordingOptions, startRecording } from "./tape-file.ts";
export { FileSnapshots } from "./file-snapshots.ts";
export {
  agentTapeLink,
  type AgentTapeLink,
  type AgentTapeOptions,
  codexTapeLink,
  tapeLink,
  type TapeLink,
  type TapeOptions,
} from "./player.ts";
