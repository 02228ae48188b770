/**
 * Our agent: the scripted agent over this process's standard streams, made with
 * this library.
 */
import { stdioLink } from "../../../../lib/index.ts";
import { ourAgent } from "../ours.ts";

ourAgent(stdioLink());
