/**
 * The client room's door.
 */
export { demo } from "./demo.ts";
