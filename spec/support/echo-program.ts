/**
 * Echo program: a peer on standard input and output, for specs that need a whole
 * process. Ends when its input does.
 */
import { Peer } from "../../lib/rpc/index.ts";
import { stdioLink } from "../../lib/wire/index.ts";
import { testRouter } from "./peer-pair.ts";

const peer = new Peer(stdioLink({ maxLineBytes: 1000 }), testRouter());
await peer.settled;
