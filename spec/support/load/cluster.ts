/**
 * Several servers behind haproxy, one of which is killed from time to time, and clients
 * that reconnect as `bowline connect` does.
 *
 * Conversations are in a directory that the servers share. The updates of a conversation
 * are numbered, so each client can detect an update that was lost or came twice.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { client, type ClientConnection } from "../../../lib/acp/index.ts";
import { Forwarder } from "../../../lib/program/connect/forwarder.ts";
import { pathMap } from "../../../lib/program/connect/path-map.ts";
import { CookieJar, memoryPair, realTimer, webSocketLink } from "../../../lib/wire/index.ts";
import { bundledProgram } from "../bundled-program.ts";
import { freePorts, proxyConfiguration, until } from "./proxies.ts";

export interface ClusterOptions {
  readonly clientCount: number;
  readonly seconds: number;
  /** A server is killed this often; it is started again a second later. */
  readonly killEverySeconds: number;
}

export interface ClusterReport {
  readonly kills: number;
  /** Turns that ended, and turns that were lost with their server. */
  readonly turns: number;
  readonly failedTurns: number;
  readonly reconnects: number;
  readonly updates: number;
  /** What is wrong, one sentence for each client. */
  readonly faults: readonly string[];
}

const token = "a-token-for-the-cluster";
const serverCount = 3;

export async function runCluster({ clientCount, seconds, killEverySeconds }: ClusterOptions): Promise<ClusterReport> {
  const directory = mkdtempSync(join(tmpdir(), "cluster-"));
  const [front = 0, ...ports] = await freePorts(serverCount + 1);
  const config = join(directory, "haproxy.cfg");
  writeFileSync(config, proxyConfiguration("docs/deploy/haproxy.cfg", front, ports));
  const program = await bundledProgram("spec/tooling/load/server.ts");
  const env = { ...process.env, BOWLINE_TOKEN: token, LOAD_UPDATES: "100", LOAD_PAUSE_MS: "20" };
  const start = (port: number): ChildProcess =>
    spawn(process.execPath, [program, String(port), directory], {
      env,
      stdio: ["pipe", "ignore", "inherit"],
    });
  const servers = ports.map(start);
  const proxy = spawn("haproxy", ["-db", "-f", config], { stdio: "ignore" });
  try {
    await until(async () => (await fetch(`http://127.0.0.1:${front}/healthz`)).ok);
    for (const port of ports) await until(async () => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok);
    const clients = await Promise.all(
      Array.from({ length: clientCount }, () => NumberedClient.connect(`ws://127.0.0.1:${front}/acp`, directory)),
    );
    const endAt = Date.now() + seconds * 1000;
    let kills = 0;
    const killer = setInterval(() => {
      if (endAt - Date.now() < 3000) return;
      const i = kills++ % serverCount;
      servers[i]?.kill("SIGKILL");
      setTimeout(() => (servers[i] = start(ports[i] ?? 0)), 1000);
    }, killEverySeconds * 1000);
    await Promise.all(clients.map((one) => one.run(endAt)));
    clearInterval(killer);
    const sum = (of: (one: NumberedClient) => number): number => clients.reduce((all, one) => all + of(one), 0);
    for (const one of clients) one.close();
    return {
      kills,
      turns: sum(({ turns }) => turns),
      failedTurns: sum(({ failedTurns }) => failedTurns),
      reconnects: sum(({ reconnects }) => reconnects),
      updates: sum(({ count }) => count),
      faults: clients.flatMap(({ fault }) => fault ?? []),
    };
  } finally {
    for (const server of servers) server.kill("SIGKILL");
    proxy.kill("SIGKILL");
    await (proxy.exitCode ?? proxy.signalCode ?? once(proxy, "exit"));
    rmSync(directory, { recursive: true, force: true });
  }
}

/** A client of the stored agent, behind the forwarder of `bowline connect`. */
class NumberedClient {
  turns = 0;
  failedTurns = 0;
  reconnects = 0;
  /** How many updates have come. */
  count = 0;
  fault: string | undefined;
  readonly #connection: ClientConnection;
  readonly #cwd: string;
  /** The text of an update that has come only in part, after a reload. */
  #tail = "";

  private constructor(connection: ClientConnection, cwd: string) {
    this.#connection = connection;
    this.#cwd = cwd;
  }

  static async connect(url: string, cwd: string): Promise<NumberedClient> {
    const [editorEnd, forwarderEnd] = memoryPair();
    const cookies = new CookieJar();
    let self: NumberedClient | undefined;
    new Forwarder({
      editor: forwarderEnd,
      paths: pathMap([]),
      connect: () => {
        const cookie = cookies.header();
        const headers = { authorization: `Bearer ${token}`, ...(cookie !== undefined && { cookie }) };
        const link = webSocketLink(url, {
          headers,
          onResponse: (response) => cookies.store(response.headers["set-cookie"]),
        });
        return { link, refusal: () => undefined };
      },
      after: realTimer,
      retryMs: (n) => Math.min(2000, 100 * 2 ** n) * (0.5 + Math.random() / 2),
      onNotice: (sentence) => {
        if (self !== undefined && sentence === "connected to the server") self.reconnects++;
      },
    });
    const connection = await client(editorEnd, {
      info: { name: "cluster", version: "1" },
      // A notice that the server is gone is no text of the agent.
      session: { notices: {} },
      handlers: () => ({
        "session/update": ({ update }) => {
          if (update.sessionUpdate === "agent_message_chunk" && update.content.type === "text")
            self?.take(update.content.text);
        },
        "session/request_permission": () => ({ outcome: { outcome: "cancelled" } }),
      }),
    });
    return (self = new NumberedClient(connection, cwd));
  }

  /** Prompts again and again until the time is over, then once more until a turn ends well. */
  async run(endAt: number): Promise<void> {
    const { sessionId } = await this.#connection.call("session/new", { cwd: this.#cwd, mcpServers: [] });
    for (let isWell = false; !isWell || Date.now() < endAt;) {
      try {
        await this.#connection.prompt({ sessionId, prompt: [{ type: "text", text: "go" }] });
        this.turns++;
        isWell = true;
      } catch {
        this.failedTurns++;
        isWell = false;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      if (Date.now() > endAt + 30_000) {
        this.fault ??= "no turn has ended well since the last server was started";
        return;
      }
    }
  }

  take(text: string): void {
    const parts = (this.#tail + text).split(" ");
    this.#tail = parts.pop() ?? "";
    for (const part of parts) {
      if (Number(part) !== this.count) this.fault ??= `update ${part} came where ${this.count} was expected`;
      this.count++;
    }
  }

  close(): void {
    this.#connection.close("done");
  }
}
