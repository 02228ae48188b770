/**
 * The tape room's door.
 */
export { inDirectory } from "./directory.ts";
export { type AwaitedFrame, readFrame, readTape, type Tape } from "./tape.ts";
export { tapeLink, type TapeLink, type TapeOptions } from "./tape-link.ts";
