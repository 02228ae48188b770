/**
 * Injects faults into the streams between an agent and a client.
 */
import type { Readable, Writable } from "node:stream";
import { type Link, streamLink, realTimer } from "../../wire/index.ts";
import { type FaultCallbacks, FaultStream } from "./fault-stream.ts";
import { type FaultKind, type Faults, noFaults } from "./faults.ts";

export interface FaultReport {
  /** Called with a sentence for each fault, for example to mark it on a tape. */
  readonly onFault: (sentence: string) => void;
}

/** The messages of one side, with the faults that the options ask for on that side. */
export function withFaults(
  side: "agent" | "client",
  source: Readable,
  faults: Faults,
  { onFault, onEnd }: FaultReport & Pick<FaultCallbacks, "onEnd">,
): Readable {
  if (faults.side !== "both" && faults.side !== side) return source;
  return source.pipe(faultStream(side, faults, { onFault, onEnd }));
}

/** The link of an agent with its client over two streams, with faults in between. */
export function faultyLink(
  { input, output }: { readonly input: Readable; readonly output: Writable },
  faults: Faults,
  { onFault, die }: FaultReport & { readonly die: () => void },
): Link {
  const onEnd = (kind: "cut" | "die"): void => {
    if (kind === "cut") input.destroy();
    // What was sent before is written first.
    else output.write("", die);
  };
  const report = { onFault, onEnd };
  const fromClient = withFaults("client", input, faults, report);
  if (faults.side === "client") return streamLink({ input: fromClient, output });
  const toClient = faultStream("agent", faults, report);
  toClient.pipe(output);
  output.on("error", (error) => toClient.destroy(error));
  return streamLink({ input: fromClient, output: toClient });
}

function faultStream(
  side: "agent" | "client",
  faults: Faults,
  { onFault, onEnd }: FaultReport & Pick<FaultCallbacks, "onEnd">,
): FaultStream {
  const { cutAfter, dieAfter, stallAfter } = faults.side === "both" && side === "client" ? noFaults : faults;
  // The same seed would hit the same message numbers on both sides.
  const seed = side === "agent" ? faults.seed : faults.seed ^ 0x5bd1e995;
  return new FaultStream(
    { ...faults, cutAfter, dieAfter, stallAfter, seed },
    { onFault: (kind, message) => onFault(`fault: ${sentences[kind]} (message ${message} of the ${side})`), onEnd },
    realTimer,
  );
}

const sentences: Readonly<Record<Exclude<FaultKind, "pass">, string>> = {
  drop: "a message is lost",
  duplicate: "a message is sent twice",
  reorder: "a message waits for the next one",
  cut: "a message is cut and the connection closed",
  die: "the agent is killed",
  stall: "nothing more is sent",
};
