/**
 * The client room's door.
 */
export { runProgram } from "./program.ts";
