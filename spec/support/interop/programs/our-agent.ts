/**
 * The scripted agent on this process's stdin and stdout, made with this library.
 */
import { stdioLink } from "../../../../lib/index.ts";
import { ourAgent } from "../ours.ts";

ourAgent(stdioLink());
