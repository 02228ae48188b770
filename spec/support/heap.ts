/**
 * Measures the heap after a garbage collection.
 */
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

setFlagsFromString("--expose-gc");
const collectGarbage = runInNewContext("gc") as () => void;

export function heapAfterCollection(): number {
  collectGarbage();
  return process.memoryUsage().heapUsed;
}
