/**
 * A reverse proxy that cuts event streams when a spec says so, as real ones do by time.
 */
import { once } from "node:events";
import { createServer, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

export interface CuttingProxy {
  readonly port: number;
  /** Breaks the responses that are event streams. */
  readonly cutStreams: () => void;
  readonly close: () => void;
}

export async function cuttingProxy(target: number): Promise<CuttingProxy> {
  const streams = new Set<ServerResponse>();
  const server = createServer((incoming, outgoing) => {
    const { method, url, headers } = incoming;
    const sent = request({ port: target, host: "127.0.0.1", method, path: url, headers, agent: false }, (response) => {
      outgoing.writeHead(response.statusCode ?? 502, response.headers);
      // As real proxies do: Node itself would keep the head of a stream until its first event.
      outgoing.flushHeaders();
      if (response.headers["content-type"] === "text/event-stream") streams.add(outgoing);
      response.on("error", () => outgoing.destroy());
      response.pipe(outgoing);
    });
    sent.on("error", () => outgoing.destroy());
    outgoing.on("close", () => {
      streams.delete(outgoing);
      sent.destroy();
    });
    incoming.pipe(sent);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    // A server on a TCP port has an AddressInfo.
    port: (server.address() as AddressInfo).port,
    cutStreams: () => {
      for (const one of streams) one.destroy();
    },
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
