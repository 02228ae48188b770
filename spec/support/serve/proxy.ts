/**
 * A TCP proxy in front of a server, whose connections a spec can cut.
 */
import { connect, createServer, type Socket, type AddressInfo } from "node:net";

export interface Proxy {
  readonly url: string;
  /** Cuts every connection, and accepts no new one until `restore` is called. */
  readonly cut: () => void;
  readonly restore: () => void;
  readonly close: () => void;
}

export async function proxyTo(target: string): Promise<Proxy> {
  const port = Number(new URL(target).port);
  const sockets = new Set<Socket>();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(port, "127.0.0.1");
    for (const [one, other] of [
      [near, far],
      [far, near],
    ] as const) {
      sockets.add(one);
      one.pipe(other);
      one.on("error", () => {});
      one.on("close", () => {
        sockets.delete(one);
        other.destroy();
      });
    }
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  // A server that listens on a TCP port has an AddressInfo.
  const address = server.address() as AddressInfo;
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    url: `http://127.0.0.1:${address.port}/`,
    cut: () => {
      isCut = true;
      breakAll();
    },
    restore: () => void (isCut = false),
    close: () => {
      server.close();
      breakAll();
    },
  };
}
