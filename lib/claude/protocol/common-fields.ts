/**
 * Stamp: what every line of the CLI carries beside its own words.
 */
import { lenient, string } from "../../schema/index.ts";

export const commonFields = { session_id: lenient(string), uuid: lenient(string) } as const;
