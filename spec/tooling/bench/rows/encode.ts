/**
 * Measures encoding: text chunks to bytes, from the call that sends an update to the
 * sink.
 *
 * Updates come in batches of 64 per tick. What a contestant writes to its stream is
 * copied as UTF-8 into one fixed buffer at once, so that no string stays an unflattened
 * rope. The floor joins `JSON.stringify(message) + "
 *
 * "` and copies the batch as a whole, which is faster than a copy for each message.
 */
import { Buffer } from "node:buffer";
import { Readable, Writable } from "node:stream";
import { agent as officialAgent, methods, ndJsonStream } from "@agentclientprotocol/sdk";
import {
  createMessageConnection,
  NotificationType,
  ReadableStreamMessageReader,
  WriteableStreamMessageWriter,
} from "vscode-jsonrpc/node";
import type { Bowline } from "../bundle.ts";
import { sessionId, textChunk, textOf } from "../messages.ts";
import { type Run, timedAsync } from "../measure.ts";
import type { Row, Setting } from "../row.ts";

const batchSize = 64;
const batches = 400;

export function encodeRows({ bowline }: Setting): Row[] {
  return [
    {
      name: "encode a text chunk",
      scale: { kind: "rate", count: batches * batchSize, unit: "/s" },
      target: 1.2,
      rounds: 15,
      quickRounds: 5,
      warmUps: 3,
      open: () => ({
        contestants: {
          floor: everyBatch(floorSender()),
          ours: everyBatch(bowlineSender(bowline)),
          "official SDK": everyBatch(officialSender()),
          "vscode-jsonrpc": everyBatch(vscodeSender()),
        },
      }),
    },
  ];
}

/** Sends a batch of texts and resolves when the sink has them; `sent` counts the sink's bytes. */
interface Sender {
  readonly send: (texts: readonly string[]) => Promise<unknown>;
  readonly sink: Sink;
}

function everyBatch({ send, sink }: Sender): Run {
  const texts = Array.from({ length: batchSize }, (_, i) => textOf(i));
  return async () => {
    sink.bytes = 0;
    const cost = await timedAsync(async () => {
      for (let i = 0; i < batches; i++) await send(texts);
    });
    if (sink.bytes < batches * batchSize * 150) throw new Error("the bench is broken: not everything was written");
    return cost;
  };
}

/** Where all bytes end. */
class Sink {
  readonly #buffer = Buffer.allocUnsafeSlow(64 * 1024);
  bytes = 0;

  takeText(text: string): void {
    this.bytes += this.#buffer.write(text, "utf8");
  }

  takeBytes(bytes: Uint8Array): void {
    this.#buffer.set(bytes);
    this.bytes += bytes.length;
  }
}

function floorSender(): Sender {
  const sink = new Sink();
  return {
    sink,
    async send(texts) {
      let batch = "";
      for (const text of texts) batch += `${JSON.stringify(textChunk(text))}\n`;
      sink.takeText(batch);
      await nextTick();
    },
  };
}

function bowlineSender({ agent, streamLink, update }: Bowline): Sender {
  const sink = new Sink();
  const output = new Writable({
    decodeStrings: false,
    write(text: string, _encoding, done) {
      sink.takeText(text);
      done();
    },
  });
  const connection = agent(streamLink({ input: new Readable({ read() {} }), output }), {
    info: { name: "bench", version: "0" },
    handlers: () => ({
      "session/new": () => ({ sessionId }),
      "session/prompt": () => ({ stopReason: "end_turn" }),
    }),
  });
  return {
    sink,
    async send(texts) {
      for (const text of texts) void connection.update(sessionId, update.agentMessage(text));
      await nextTick();
    },
  };
}

function officialSender(): Sender {
  const sink = new Sink();
  const output = new WritableStream<Uint8Array>({ write: (bytes) => sink.takeBytes(bytes) });
  const { client } = officialAgent().connect(ndJsonStream(output, new ReadableStream<Uint8Array>()));
  return {
    sink,
    send: (texts) =>
      Promise.all(texts.map((text) => client.notify(methods.client.session.update, textChunk(text).params))),
  };
}

function vscodeSender(): Sender {
  const sink = new Sink();
  const nothing = { dispose() {} };
  const never = { onClose: () => nothing, onError: () => nothing, onEnd: () => nothing };
  const writer = new WriteableStreamMessageWriter({
    ...never,
    write(data: string | Uint8Array) {
      if (typeof data === "string") sink.takeText(data);
      else sink.takeBytes(data);
      return Promise.resolve();
    },
    end() {},
  });
  const connection = createMessageConnection(
    new ReadableStreamMessageReader({ ...never, onData: () => nothing }),
    writer,
  );
  connection.listen();
  const update = new NotificationType<ReturnType<typeof textChunk>["params"]>("session/update");
  return {
    sink,
    send: (texts) => Promise.all(texts.map((text) => connection.sendNotification(update, textChunk(text).params))),
  };
}

/** Lets the work that was deferred to the end of the tick run. */
function nextTick(): Promise<void> {
  return new Promise((resolve) => process.nextTick(resolve));
}
