/**
 * Reverse proxies with the configurations of docs/deploy, on free ports.
 */
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { readText } from "../files.ts";

/** Ports that are free now. */
export async function freePorts(count: number): Promise<readonly number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, async () => {
      const server = createServer().listen(0, "127.0.0.1");
      await once(server, "listening");
      return server;
    }),
  );
  // A server that listens on a TCP port has an AddressInfo.
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}

/** A configuration of docs/deploy with other ports: the one in front, and those of the servers. */
export function proxyConfiguration(file: string, front: number, ports: readonly number[]): string {
  let text = readText(file).replace("8080", String(front));
  ports.forEach((port, i) => (text = text.replace(String(4751 + i), String(port))));
  return text;
}

/** Resolves when the condition holds; tries for 20 seconds. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  const end = Date.now() + 20_000;
  while (!(await holds().catch(() => false))) {
    if (Date.now() > end) throw new Error("it did not come true within 20 seconds");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}
