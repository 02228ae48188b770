/**
 * The agent room's door.
 */
export { exampleAgent } from "./example.ts";
