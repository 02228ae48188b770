/**
 * A program that serves a peer on stdin and stdout, for specs that need a whole process.
 * Exits at EOF.
 */
import { Peer } from "../../../lib/rpc/index.ts";
import { stdioLink } from "../../../lib/wire/index.ts";
import { testRouter } from "./peer-pair.ts";

const peer = new Peer(stdioLink({ maxLineBytes: 1000 }), testRouter());
await peer.settled;
