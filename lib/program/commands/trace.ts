/**
 * Defines `bowline trace`: spans of a tape or of a live session, as OTLP in JSON.
 */
import { appendFileSync, writeFileSync } from "node:fs";
import { codeOf, realTimer } from "../../wire/index.ts";
import { WrongUsage } from "../argv.ts";
import { command, CommandFailure, type ProgramStreams } from "../command.ts";
import { printLine, printJson } from "../print.ts";
import { reserveStdout } from "../protocol-stdout.ts";
import { readTapeFile } from "../tapes/load-tape.ts";
import { tap } from "../tapes/tap.ts";
import { otlpRequest } from "../trace/otlp.ts";
import { readHeaders, tracesUrl } from "../trace/otlp-environment.ts";
import type { Span } from "../trace/span.ts";
import { SpanExporter } from "../trace/span-exporter.ts";
import { SpanFold } from "../trace/span-fold.ts";
import { traceRecorder } from "../trace/trace-recorder.ts";

/** How long a request to the endpoint may take. */
const sendLimitMs = 5_000;
/** How long the end of the agent waits for the last spans. */
const endLimitMs = 5_000;
const defaultService = "bowline";

export const traceCommand = command({
  name: "trace",
  summary: "send prompts, tool calls and permissions as OpenTelemetry spans",
  operands: "<tape> or -- <agent command>",
  operandCount: [0, 1],
  takesProgram: "optional",
  about: [
    "Makes spans of a tape, or of a live session: after -- it starts the agent command and passes everything on, as bowline tap does, so that an editor can use it in place of the agent. A prompt is the span invoke_agent, a tool call execute_tool, the wait for a permission a span of its own, with the names of OpenTelemetry's conventions for generative AI.",
    "A traceparent in _meta of session/prompt or session/new becomes the parent. What was said, titles, commands and paths are left out; --content adds titles and paths of tool calls. A live session goes on when the endpoint does not answer.",
    "Without an endpoint the spans are written to the file of -o, or for a tape to stdout: one OTLP request on each line.",
  ],
  options: {
    "--endpoint": { value: "<url>", about: "the OTLP/HTTP endpoint, such as http://127.0.0.1:4318" },
    "--output": { short: "-o", value: "<file>", about: "write the spans to a file", completes: "file" },
    "--service": { value: "<name>", about: `the name of the service (default: ${defaultService})` },
    "--content": { about: "titles and paths of tool calls become attributes" },
  },
  environment: {
    OTEL_EXPORTER_OTLP_ENDPOINT: "the endpoint, if --endpoint is not given",
    OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: "the full URL for spans; takes precedence over OTEL_EXPORTER_OTLP_ENDPOINT",
    OTEL_EXPORTER_OTLP_HEADERS: "headers of the requests, as name=value, separated by commas",
    OTEL_SERVICE_NAME: "the name of the service, if --service is not given",
  },
  examples: [
    { line: "bowline trace tape.ndjson > spans.json", about: "the spans of a recording" },
    {
      line: "bowline trace --endpoint http://127.0.0.1:4318 -- bowline agent",
      about: "as the editor's agent command, with spans sent while it works",
    },
  ],
  completes: "file",
  exitCodes: { 0: "the spans were sent; for a live session the agent's exit code is passed on" },
  seeAlso: ["tap", "costs", "docs/trace.md"],
  run: async ({ options, operands: [tape], program }, terminal) => {
    if ((tape === undefined) === (program === undefined))
      throw new WrongUsage("trace needs either a <tape> or -- <agent command>");
    const { env, stderr, stdout } = terminal;
    const file = options["--output"];
    const service = options["--service"] ?? (env["OTEL_SERVICE_NAME"] || defaultService);
    const url = file === undefined ? tracesUrl(options["--endpoint"], env) : undefined;
    if (program !== undefined && url === undefined && file === undefined)
      throw new WrongUsage("a live session needs --endpoint <url> or -o <file>");
    const write = writer();
    const warn = (sentence: string): void => void printLine(stderr, `bowline trace: ${sentence}`);
    const exporter = new SpanExporter({ send: write, after: realTimer, warn });
    const fold = { onSpan: (span: Span) => exporter.add(span), hasContent: options["--content"] };
    if (program !== undefined) {
      reserveStdout();
      const record = () => traceRecorder({ ...fold, onEnd: () => atMost(exporter.end(), endLimitMs) });
      const code = await tap({ program, record, terminal, name: "trace" });
      if (exporter.lost > 0) warn(`${exporter.lost} spans were not sent`);
      return code;
    }
    const { rows, text } = await readTapeFile(tape ?? "");
    const spans = new SpanFold({ ...fold, seed: text.slice(0, maxSeedChars) });
    for (const row of rows) spans.row(row);
    spans.end();
    await exporter.end();
    if (exporter.lost > 0) throw new CommandFailure(`${exporter.lost} spans were not sent`);
    return 0;

    function writer(): (spans: readonly Span[]) => Promise<number> {
      if (url !== undefined) return (spans) => post(url, otlpRequest(spans, service), terminal);
      if (file !== undefined) createFile(file);
      return async (spans) => {
        const line = `${otlpRequest(spans, service)}\n`;
        if (file === undefined) printJson(stdout, line);
        else appendFileSync(file, line);
        return Promise.resolve(200);
      };
    }
  },
});

/** The beginning of a tape distinguishes it from other tapes. */
const maxSeedChars = 4096;

function createFile(path: string): void {
  try {
    writeFileSync(path, "", { mode: 0o600 });
  } catch (cause) {
    throw new CommandFailure(`${path} cannot be written (${codeOf(cause)})`, { cause });
  }
}

async function post(url: string, body: string, { env }: ProgramStreams): Promise<number> {
  const headers = { ...readHeaders(env["OTEL_EXPORTER_OTLP_HEADERS"]), "content-type": "application/json" };
  const signal = AbortSignal.timeout(sendLimitMs);
  const response = await fetch(url, { method: "POST", headers, body, signal, redirect: "error" });
  await response.body?.cancel();
  return response.status;
}

async function atMost(work: Promise<void>, limitMs: number): Promise<void> {
  const limit = new Promise<void>((resolve) => setTimeout(resolve, limitMs).unref());
  await Promise.race([work, limit]);
}
