/**
 * A program that prints why it shuts down, and exits a moment later.
 *
 * Its input lines are commands: a promise to drop, an exception to throw, a code to exit
 * with.
 */
import { createInterface } from "node:readline";
import { describeBug, Shutdown } from "../../../lib/wire/index.ts";

const shutdown = new Shutdown((doing, cause) => console.log(`${doing}: ${describeBug(cause).split(" ", 1)[0]}`));
const lines = createInterface({ input: process.stdin });
lines.on("line", (line) => {
  if (line === "drop") void Promise.reject(new RangeError("dropped"));
  if (line === "throw") setImmediate(fail);
  if (line === "end") {
    shutdown.code = 7;
    shutdown.end("it was told to");
  }
});
console.log("ready");
console.log(await shutdown.reason);
setTimeout(() => {
  console.log("left in order");
  process.exit(shutdown.code);
}, 500);

function fail(): never {
  throw new RangeError("thrown");
}
