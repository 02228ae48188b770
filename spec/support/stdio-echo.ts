/**
 * Stdio echo: a program that answers every line over its own standard streams.
 */
import { stdioLink } from "../../lib/wire/index.ts";

const link = stdioLink();
console.log("a stray word");
link.open({
  onLine: (line) => void link.send(`heard ${line}`),
  onFault: ({ kind }) => void link.send(kind),
  onDrain: () => {},
  onEnd: () => link.close("the editor left"),
  onClose: (reason) => console.log(reason),
});
