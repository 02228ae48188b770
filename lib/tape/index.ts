/**
 * Public names of the tape module: recording traffic to files, and playing recordings
 * back in place of a CLI or of an agent.
 */
export { acpTape } from "./acp-tape.ts";
export { type CodexTape, codexTapes, hasCodex, type HostMessage } from "./codex-tape.ts";
export { relocate } from "./playback/relocate.ts";
export { isHostSpecific, isOtherHostsRequest, isTurnOpen, linesBefore } from "./playback/host-differences.ts";
export { type FaultKind, FaultPlan, type Faults, type FaultSide, noFaults } from "./faults/faults.ts";
export { faultyLink, withFaults } from "./faults/fault-link.ts";
export { type FaultCallbacks, FaultStream } from "./faults/fault-stream.ts";
export { recordedLink } from "./recorded-link.ts";
export { type LinePlace, Recorder, type TapeSink } from "./recorder.ts";
export { type RowFields, readRows, rowsIn, type Row } from "./tape-rows.ts";
export { scrubber } from "./scrub/scrub.ts";
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
} from "./playback/player.ts";
