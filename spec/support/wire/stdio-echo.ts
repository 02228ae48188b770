/**
 * A program that answers every line on its stdin and stdout, and prints with its console.
 */
import { stdioLink } from "../../../lib/wire/index.ts";

const before = { console: globalThis.console, stderr: Object.getOwnPropertyDescriptor(process, "stderr")?.get };
const link = stdioLink();
const isUntouched =
  globalThis.console === before.console && Object.getOwnPropertyDescriptor(process, "stderr")?.get === before.stderr;
console.log(isUntouched ? "the console is untouched" : "the console was replaced");
link.open({
  onLine: (line) => void link.send(`heard ${line}`),
  onFault: ({ kind }) => void link.send(kind),
  onDrain: () => {},
  onEnd: () => link.close("the editor left"),
  onClose: (reason) => console.error(reason),
});
