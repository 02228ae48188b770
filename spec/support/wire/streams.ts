/**
 * Links over Node streams whose other side the spec controls.
 */
import { PassThrough, type Readable, Writable } from "node:stream";
import { type Link, type LinkLimits, streamLink } from "../../../lib/wire/index.ts";
import { LinkLog } from "./link-log.ts";

export interface OpenLink {
  readonly link: Link;
  readonly log: LinkLog;
}

export function openOver(input: Readable, output: Writable, limits: LinkLimits = {}): OpenLink {
  const link = streamLink({ input, output }, limits);
  const log = new LinkLog();
  link.open(log);
  return { link, log };
}

export interface OpenOverPassThrough extends OpenLink {
  readonly input: PassThrough;
  readonly output: PassThrough;
}

export function overPassThrough(limits: LinkLimits = {}): OpenOverPassThrough {
  const input = new PassThrough();
  const output = new PassThrough();
  output.setEncoding("utf8");
  return { input, output, ...openOver(input, output, limits) };
}

/** A writable that accepts one write at a time, when the spec says so. */
export class SlowSink extends Writable {
  readonly taken: string[] = [];
  #take: (() => void) | undefined;

  constructor() {
    super({ highWaterMark: 1, decodeStrings: false });
  }

  override _write(chunk: string, _encoding: string, done: () => void): void {
    this.taken.push(chunk);
    this.#take = done;
  }

  take(): void {
    const take = this.#take;
    this.#take = undefined;
    take?.();
  }
}
