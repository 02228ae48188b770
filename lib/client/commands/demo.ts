/**
 * bowline demo: an agent and a client talking in this terminal.
 */
import { command } from "../command.ts";
import { demo } from "../demo.ts";

export const demoCommand = command({
  name: "demo",
  summary: "an example agent and a client, talking in this terminal",
  about: ["Plays one turn of an example agent over the real protocol. Needs no Claude, no network and no account."],
  options: {},
  run: async (_words, { stdout }) => {
    await demo((text) => stdout.write(text));
    return 0;
  },
});
