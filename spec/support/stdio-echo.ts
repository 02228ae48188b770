/**
 * A program that answers every line on its stdin and stdout.
 */
import { stdioLink } from "../../lib/wire/index.ts";

const link = stdioLink();
console.log("a stray word");
// Both are made once: each time would add a listener to stderr.
const before = { console: globalThis.console, listeners: process.stderr.listenerCount("error") };
if (globalThis.console !== before.console || process.stderr.listenerCount("error") !== before.listeners) {
  console.log("made again");
}
link.open({
  onLine: (line) => void link.send(`heard ${line}`),
  onFault: ({ kind }) => void link.send(kind),
  onDrain: () => {},
  onEnd: () => link.close("the editor left"),
  onClose: (reason) => console.log(reason),
});
