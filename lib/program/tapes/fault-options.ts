/**
 * The command-line options that put faults into the messages of an agent or a client.
 */
import { randomInt } from "node:crypto";
import { faultyLink, type Faults, type FaultSide } from "../../tape/index.ts";
import type { Link } from "../../wire/index.ts";
import { type Given, type OptionTable, readNumber, WrongUsage } from "../argv.ts";

const maxMs = 3_600_000;
const maxMessages = 1_000_000_000;
const maxSeed = 2 ** 32 - 1;
const sides = ["agent", "client", "both"] as const satisfies readonly FaultSide[];

export const faultOptions = {
  "--delay": { value: "<ms>", about: "delays every message by this time" },
  "--jitter": { value: "<ms>", about: "delays every message by a further random time up to this one" },
  "--drop": { value: "<rate>", about: "drops this share of the messages, e.g. 0.1 or 10%" },
  "--duplicate": { value: "<rate>", about: "sends this share of the messages twice" },
  "--reorder": { value: "<rate>", about: "swaps this share of the messages with the next one" },
  "--cut-after": { value: "<n>", about: "after n messages sends half of the next one and closes the connection" },
  "--die-after": { value: "<n>", about: "after n messages the agent is killed with SIGKILL" },
  "--stall": { value: "<n>", about: "after n messages sends nothing more and stays connected" },
  "--seed": {
    value: "<number>",
    about: "repeats the random faults of an earlier run (default: a new one, named on stderr)",
  },
  "--faults-on": {
    value: "<side>",
    about: "whose messages get the faults: agent (default), client or both",
    completes: sides,
  },
} as const satisfies OptionTable;

/** Undefined when no fault is asked for. */
export function readFaults(options: Given<typeof faultOptions>): Faults | undefined {
  const number = (flag: keyof typeof faultOptions, most: number, unit: string): number | undefined => {
    const given = options[flag];
    return given === undefined ? undefined : readNumber(flag, given, 0, most, unit);
  };
  const found = {
    delayMs: number("--delay", maxMs, "milliseconds"),
    jitterMs: number("--jitter", maxMs, "milliseconds"),
    dropRate: rate("--drop", options["--drop"]),
    duplicateRate: rate("--duplicate", options["--duplicate"]),
    reorderRate: rate("--reorder", options["--reorder"]),
    cutAfter: number("--cut-after", maxMessages, "messages"),
    dieAfter: number("--die-after", maxMessages, "messages"),
    stallAfter: number("--stall", maxMessages, "messages"),
  };
  const side = sides.find((one) => one === (options["--faults-on"] ?? "agent"));
  if (side === undefined) throw new WrongUsage(`--faults-on must be one of ${sides.join(", ")}`);
  const seed = number("--seed", maxSeed, "a seed") ?? randomInt(maxSeed);
  if (Object.values(found).every((value) => value === undefined)) return undefined;
  return {
    delayMs: found.delayMs ?? 0,
    jitterMs: found.jitterMs ?? 0,
    dropRate: found.dropRate ?? 0,
    duplicateRate: found.duplicateRate ?? 0,
    reorderRate: found.reorderRate ?? 0,
    cutAfter: found.cutAfter,
    dieAfter: found.dieAfter,
    stallAfter: found.stallAfter,
    seed,
    side,
  };
}

/** A rate from 0 to 1, or a percentage. */
function rate(flag: string, given: string | undefined): number | undefined {
  if (given === undefined) return undefined;
  const number = given.endsWith("%") ? given.slice(0, -1) : given;
  const value = number.trim() === "" ? NaN : Number(number) / (given.endsWith("%") ? 100 : 1);
  if (!(value >= 0 && value <= 1))
    throw new WrongUsage(`${flag} must be a part of the messages: 0 to 1, or 0% to 100%`);
  return value;
}

/** This process's stdin and stdout as a link whose messages have faults. */
export function faultyStdioLink(faults: Faults, report: (sentence: string) => void): Link {
  report(seedSentence(faults));
  const die = (): void => void process.kill(process.pid, "SIGKILL");
  return faultyLink({ input: process.stdin, output: process.stdout }, faults, { onFault: report, die });
}

export function seedSentence({ seed }: Faults): string {
  return `faults with --seed ${seed}`;
}
