/**
 * Ending program: says why it is to end, and leaves a moment later.
 *
 * Its lines are orders: a promise to drop, an exception to throw, a code to end with.
 */
import { createInterface } from "node:readline";
import { describeBug, Ending } from "../../lib/wire/index.ts";

const ending = new Ending((doing, cause) => console.log(`${doing}: ${describeBug(cause).split(" ", 1)[0]}`));
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (line === "drop") void Promise.reject(new RangeError("dropped"));
  if (line === "throw") setImmediate(fail);
  if (line === "end") {
    ending.code = 7;
    ending.end("it was told to");
  }
});
console.log("ready");
console.log(await ending.reason);
setTimeout(() => {
  console.log("left in order");
  process.exit(ending.code);
}, 500);

function fail(): never {
  throw new RangeError("thrown");
}
