/**
 * The tape room's door.
 */
export { acpTape } from "./acp-tape.ts";
export { relocate } from "./directory.ts";
export { isHostSpecific, isTurnOpen, linesBefore } from "./foreign.ts";
export { recordedLink } from "./recorded-link.ts";
export { type LinePlace, Recorder, type TapeSink } from "./recorder.ts";
export { type Fields, readRows, type Row } from "./rows.ts";
export { scrubber } from "./scrub.ts";
export { type AwaitedFrame, readFrame, readTape, type Tape, type TapeSession, tapeSessions } from "./tape.ts";
export { defaultTapeDirectory, type Recording, type RecordingOptions, startRecording } from "./tape-file.ts";
export { FileSnapshots } from "./tape-texts.ts";
export {
  agentTapeLink,
  type AgentTapeLink,
  type AgentTapeOptions,
  tapeLink,
  type TapeLink,
  type TapeOptions,
} from "./tape-link.ts";
