/**
 * The two fields that every event of the CLI carries.
 *
 * A file of its own because `event.ts` imports all the files that use these fields.
 */
import { lenient, string } from "../../schema/index.ts";

export const commonFields = { session_id: lenient(string), uuid: lenient(string) } as const;
