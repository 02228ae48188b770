/**
 * A fake Gemini API on 127.0.0.1 whose model answers by script: the part of the Gemini API
 * that Gemini CLI uses for a turn.
 *
 * A request for a stream gets the step after as many results of tools as the request has, so
 * every conversation begins with the first step. Other requests get an answer without content.
 */
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export type GeminiStep = { readonly say: string } | { readonly call: string; readonly args: object };

export class GeminiApi implements AsyncDisposable {
  readonly #server: Server;

  private constructor(steps: readonly GeminiStep[]) {
    this.#server = createServer((request, response) => {
      let text = "";
      request.setEncoding("utf8").on("data", (part: string) => (text += part));
      request.on("end", () => {
        const isTurn = request.url?.includes(":streamGenerateContent") === true;
        if (!isTurn) return void response.writeHead(200, { "content-type": "application/json" }).end("{}");
        const results = text.match(/"functionResponse":/g)?.length ?? 0;
        const body = answerOf(steps[Math.min(results, steps.length - 1)]);
        response.writeHead(200, { "content-type": "text/event-stream" }).end(`data: ${JSON.stringify(body)}\r\n\r\n`);
      });
    });
  }

  static async start(...steps: readonly GeminiStep[]): Promise<GeminiApi> {
    const api = new GeminiApi(steps);
    await new Promise<void>((resolve) => api.#server.listen(0, "127.0.0.1", resolve));
    return api;
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port; // a TCP server that listens
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    await new Promise<void>((resolve) => this.#server.close(() => resolve()));
  }
}

function answerOf(step: GeminiStep | undefined): object {
  const part =
    step === undefined || "say" in step
      ? { text: step?.say ?? "" }
      : { functionCall: { name: step.call, args: step.args } };
  return {
    candidates: [{ content: { role: "model", parts: [part] }, finishReason: "STOP", index: 0 }],
    usageMetadata: { promptTokenCount: 100, candidatesTokenCount: 20, totalTokenCount: 120 },
  };
}
