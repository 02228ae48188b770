/**
 * The moves of a random run, as data: what the client sends, what the CLIs send, how
 * much time passes.
 *
 * A run is a list of moves. Each move names its target by a number, which counts modulo
 * the existing targets, so any list can be played and any part of it left out.
 */
import fc from "fast-check";
import { garbage, oddValues } from "./damage.ts";
import { recordedLines } from "./recordings.ts";
import { greetings } from "./random-cli.ts";

const nth = fc.nat(5);
const tool = fc.constantFrom("Bash", "Edit", "Read", "Write", "Task", "TodoWrite", "mcp__x__y", "__proto__", "");
const callId = fc.constantFrom("toolu_1", "toolu_2", "toolu_3", "__proto__");
const odd = fc.constantFrom(...oddValues);

/** Lines of a client that are no requests, or bad ones; how often each is answered, and under which id. */
export const rudeLines: readonly (readonly [line: string, ...answeredIds: readonly unknown[]])[] = [
  [""],
  ["not json", null],
  ["[]", null],
  ['[{"jsonrpc":"2.0","id":"batched","method":"initialize"}]', "batched"],
  [
    '[{"jsonrpc":"2.0","id":"b1","method":"no/such_method"},7,{"jsonrpc":"2.0","method":"session/cancel"},[]]',
    "b1",
    null,
    null,
  ],
  ['[{"jsonrpc":"2.0","id":"b2","method":"session/list","params":{}},{"jsonrpc":"2.0","id":987657,"result":{}}]', "b2"],
  ['[{"jsonrpc":"2.0","method":"session/cancel"}]'],
  ["null", null],
  ["{}", null],
  ['{"jsonrpc":"1.0","id":"old","method":"initialize"}', "old"],
  ['{"jsonrpc":"2.0","id":"nameless"}', "nameless"],
  ['{"jsonrpc":"2.0","id":"who","method":"no/such_method"}', "who"],
  ['{"jsonrpc":"2.0","id":"proto","method":"__proto__"}', "proto"],
  ['{"jsonrpc":"2.0","id":"hop","method":"hasOwnProperty"}', "hop"],
  ['{"jsonrpc":"2.0","id":{"a":1},"method":"session/new"}', null],
  ['{"jsonrpc":"2.0","id":1.5,"method":"session/new"}', null],
  ['{"jsonrpc":"2.0","method":"no/such_notification"}'],
  ['{"jsonrpc":"2.0","method":"session/prompt","params":{}}'],
  ['{"jsonrpc":"2.0","method":"session/update","params":{"sessionId":"x"}}'],
  ['{"jsonrpc":"2.0","id":987654,"result":{}}'],
  ['{"jsonrpc":"2.0","id":null,"result":{}}'],
  ['{"jsonrpc":"2.0","id":"never","error":{"code":-32603,"message":"what"}}'],
  ['{"jsonrpc":"2.0","id":987655,"error":null}'],
  ['{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":987656}}'],
  ['{"jsonrpc":"2.0","method":"$/cancel_request","params":{"requestId":"__proto__"}}'],
  ['{"jsonrpc":"2.0","method":"$/cancel_request","params":null}'],
  ['{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":7}}'],
  ['{"jsonrpc":"2.0","method":"session/cancel","params":{"sessionId":"never"}}'],
  ['{"jsonrpc":"2.0","method":"session/cancel"}'],
  [
    '{"jsonrpc":"2.0","id":"deep","method":"session/prompt","params":'.concat("[".repeat(3000), "]".repeat(3000), "}"),
    "deep",
  ],
];

/** Params of every method, right ones first; `session` is filled in when they are played. */
export const requests: readonly (readonly [method: string, params: readonly object[]])[] = [
  [
    "session/prompt",
    [
      { prompt: [{ type: "text", text: "hi" }] },
      { prompt: [] },
      { prompt: [{ type: "text", text: "" }] },
      { prompt: [{ type: "image", data: "AAAA", mimeType: "image/png" }] },
      { prompt: [{ type: "audio", data: "AAAA", mimeType: "audio/wav" }] },
      { prompt: [{ type: "resource_link", uri: "file:///etc/hostname", name: "hostname" }] },
      { prompt: [{ type: "some_day" }, null] },
      { prompt: "hi" },
    ],
  ],
  ["session/close", [{}]],
  [
    "session/set_mode",
    [{ modeId: "plan" }, { modeId: "default" }, { modeId: "bypassPermissions" }, { modeId: "__proto__" }, {}],
  ],
  [
    "session/set_config_option",
    [
      { configId: "model", value: "haiku" },
      { configId: "effort", value: "low" },
      { configId: "mode", value: "acceptEdits" },
      { configId: "auto_resume", value: "true" },
      { configId: "constructor", value: "x" },
      { configId: "model", value: { a: 1 } },
    ],
  ],
  ["session/set_model", [{ modelId: "haiku" }, { modelId: "nobody" }]],
  [
    "session/load",
    [
      { cwd: "/", mcpServers: [] },
      { cwd: "relative", mcpServers: [] },
    ],
  ],
  ["session/resume", [{ cwd: "/" }, { cwd: "/", mcpServers: [] }]],
  ["session/fork", [{ cwd: "/", mcpServers: [] }]],
  ["session/status", [{}]],
  ["session/set_title", [{ title: "A title" }, { title: " " }]],
  ["session/delete", [{}]],
  ["session/list", [{}, { cursor: "never given" }, { cwd: "/" }]],
  ["_session/steer", [{ prompt: [{ type: "text", text: "also this" }] }, { prompt: 1 }]],
  ["authenticate", [{ methodId: "nobody" }, {}]],
  ["initialize", [{ protocolVersion: 1, clientCapabilities: {} }, { protocolVersion: "1" }]],
];

const ids = fc.option(fc.constantFrom<unknown>(1, 2, 3, "again", 0, -1, null, 2 ** 53 - 1), {
  nil: undefined,
  freq: 6,
});

const clientMove = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("open" as const), isBad: fc.boolean(), id: ids }) },
  {
    weight: 8,
    arbitrary: fc.record({ do: fc.constant("prompt" as const), session: nth, id: ids }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      do: fc.constant("ask" as const),
      method: fc.nat(requests.length - 1),
      params: fc.nat(8),
      session: fc.nat(8),
      id: ids,
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("ask badly" as const),
      method: fc.nat(requests.length - 1),
      value: odd,
      id: ids,
    }),
  },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("cancel" as const), session: nth }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("cancel request" as const), id: fc.nat(20) }) },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("answer" as const),
      ask: nth,
      how: fc.constantFrom(
        "allow",
        "allow_always",
        "reject",
        "cancelled",
        "unoffered",
        "error",
        "nonsense",
        "null",
        "accept",
      ),
    }),
  },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("rude" as const), line: fc.nat(rudeLines.length - 1) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("client pauses", "client resumes") }) },
);

const cliMove = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("takes" as const), cli: nth }) },
  { weight: 4, arbitrary: fc.record({ do: fc.constant("says" as const), cli: nth, message: fc.nat(3) }) },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("streams" as const),
      cli: nth,
      message: fc.nat(3),
      pieces: fc.nat(4),
      isCut: fc.boolean(),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("calls" as const),
      cli: nth,
      tool,
      call: callId,
      isStreamed: fc.boolean(),
      parent: fc.option(callId, { freq: 4 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("returns" as const),
      cli: nth,
      call: callId,
      isError: fc.boolean(),
      isAsync: fc.nat(5).map((n) => n === 0),
    }),
  },
  {
    weight: 5,
    arbitrary: fc.record({
      do: fc.constant("may I" as const),
      cli: nth,
      tool: fc.oneof(tool, fc.constant("AskUserQuestion")),
      call: callId,
      question: fc.nat(3),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("withdraws" as const), cli: nth, question: fc.nat(3) }) },
  { weight: 1, arbitrary: fc.record({ do: fc.constant("elicits" as const), cli: nth, question: fc.nat(3) }) },
  {
    weight: 8,
    arbitrary: fc.record({
      do: fc.constant("ends" as const),
      cli: nth,
      how: fc.constantFrom(
        "well",
        "cancelled",
        "api error",
        "nameless",
        "otherwise named",
        "without rest",
        "only rest",
      ),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("notifies" as const),
      cli: nth,
      what: fc.constantFrom(
        "task started",
        "task over",
        "task failed",
        "busy",
        "background",
        "refused key",
        "cleared",
        "limit",
        "status",
      ),
      call: callId,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      do: fc.constant("answers host" as const),
      cli: nth,
      how: fc.constantFrom("well", "no", "nonsense", "twice"),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ do: fc.constant("recorded" as const), cli: nth, line: fc.nat(recordedLines.length - 1) }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ do: fc.constant("garbage" as const), cli: nth, line: fc.nat(garbage.length - 1) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({ do: fc.constant("dies" as const), cli: nth, code: fc.constantFrom(0, 1, null) }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("next greets" as const),
      greeting: fc.constantFrom(...greetings, "well" as const, "well" as const, "well" as const),
    }),
  },
  { weight: 1, arbitrary: fc.record({ do: fc.constantFrom("cli missing", "cli there") }) },
);

/** Inputs of the tools we serve ourselves; `HERE` becomes the session's directory. */
export const ownInputs: readonly object[] = [
  { file_path: "HERE/a.txt" },
  { file_path: "HERE/a.txt", content: "new text\n" },
  { file_path: "HERE/a.txt", old_string: "text", new_string: "word" },
  { file_path: "HERE/none.txt", old_string: "", new_string: "word" },
  { file_path: "HERE/nb.ipynb", cell_id: "x", new_source: "1" },
  { file_path: "a\0b" },
  { file_path: { a: 1 } },
  { command: "ls" },
  { command: "sleep 1", run_in_background: true },
  { command: "x".repeat(5000), timeout: -1 },
  { bash_id: "1" },
  { shell_id: "__proto__" },
  {},
];

/** Moves that only happen in sessions with the editor options on. */
const ownMove = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({
      do: fc.constant("calls own" as const),
      cli: nth,
      tool: fc.constantFrom(
        "Read",
        "Write",
        "Edit",
        "MultiEdit",
        "NotebookEdit",
        "Bash",
        "BashOutput",
        "KillShell",
        "__proto__",
      ),
      input: fc.nat(ownInputs.length - 1),
      call: callId,
      question: fc.nat(5),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("hook" as const),
      cli: nth,
      tool: fc.constantFrom("Read", "Write", "Bash", "nobody"),
      input: fc.nat(ownInputs.length - 1),
      call: callId,
      question: fc.nat(5),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant("mcp" as const),
      cli: nth,
      method: fc.constantFrom("initialize", "tools/list", "ping", "notifications/cancelled", "__proto__", ""),
      question: fc.nat(5),
    }),
  },
);

const timeMove = fc.oneof(
  { weight: 6, arbitrary: fc.record({ do: fc.constant("breathe" as const) }) },
  {
    weight: 2,
    arbitrary: fc.record({
      do: fc.constant("wait" as const),
      ms: fc.constantFrom(16, 300, 1500, 3000, 15_000, 60_000, 600_000, 86_400_000),
    }),
  },
);

export type RandomMove =
  | (typeof clientMove extends fc.Arbitrary<infer M> ? M : never)
  | (typeof cliMove extends fc.Arbitrary<infer M> ? M : never)
  | (typeof ownMove extends fc.Arbitrary<infer M> ? M : never)
  | (typeof timeMove extends fc.Arbitrary<infer M> ? M : never);

export interface Scenario {
  /** The session uses the editor's files and terminals. */
  readonly throughEditor: boolean;
  readonly moves: readonly RandomMove[];
}

const moves = fc.array(
  fc.oneof({ weight: 3, arbitrary: clientMove }, { weight: 4, arbitrary: cliMove }, { weight: 4, arbitrary: timeMove }),
  { minLength: 1, maxLength: 120, size: "max" },
);
const editorMoves = fc.array(
  fc.oneof(
    { weight: 3, arbitrary: clientMove },
    { weight: 3, arbitrary: cliMove },
    { weight: 3, arbitrary: ownMove },
    { weight: 4, arbitrary: timeMove },
  ),
  { minLength: 1, maxLength: 120, size: "max" },
);

export const scenarios: fc.Arbitrary<Scenario> = fc.oneof(
  { weight: 3, arbitrary: fc.record({ throughEditor: fc.constant(false), moves }) },
  { weight: 1, arbitrary: fc.record({ throughEditor: fc.constant(true), moves: editorMoves }) },
);
