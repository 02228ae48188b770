/**
 * A program that plays a recording in place of `claude`.
 *
 * Plays the file that `TAPE` names, in its working directory. Does not wait for messages of
 * the recorded host that another host does not send.
 */
import { readFileSync } from "node:fs";
import { relocate, isHostSpecific, readTape, tapeLink } from "../../../lib/tape/index.ts";
import { playOnStdio } from "./play-on-stdio.ts";

const tape = relocate(readTape(readFileSync(process.env["TAPE"] ?? "", "utf8")), process.cwd());
const cli = tapeLink(tape, { onWait: (frame) => frame && isHostSpecific(tape, frame) && cli.skip() });
playOnStdio(cli);
