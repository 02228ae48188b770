/**
 * Compares each of our definitions with the official v1 schema: keys, required keys,
 * values, tags, bounds, null and leniency.
 *
 * A change of the official schema fails here. Deliberate differences are rows of one
 * table, each with its reason; a row that no longer differs fails too.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import * as acp from "../../../lib/acp/index.ts";
import { errorCodes } from "../../../lib/rpc/index.ts";
import type { Node, Schema } from "../../../lib/schema/index.ts";
import { NodeComparison } from "../../support/acp/node-comparison.ts";
import { officialNodes } from "../../support/acp/official-node.ts";
import { type JsonSchema, type OfficialSchema, stable, unstable } from "../../support/acp/official-schema.ts";

/** Official definitions that are not protocol types of their own. */
const leftOut: Readonly<Record<string, string>> = {
  AgentRequest: "an envelope; lib/rpc reads it",
  AgentResponse: "an envelope; lib/rpc reads it",
  AgentNotification: "an envelope; lib/rpc reads it",
  ClientRequest: "an envelope; lib/rpc reads it",
  ClientResponse: "an envelope; lib/rpc reads it",
  ClientNotification: "an envelope; lib/rpc reads it",
  ExtRequest: "any JSON",
  ExtResponse: "any JSON",
  ExtNotification: "any JSON",
  Error: "RpcError reads it however badly it is written",
  ErrorCode: "compared by value below",
};

/** Deliberate differences, with reasons. */
const deliberate: Readonly<Record<string, readonly string[]>> = {
  "paths are absolute, says the protocol's text": [
    "WriteTextFileRequest.path: required string (an absolute path), officially required string",
    "ReadTextFileRequest.path: required string (an absolute path), officially required string",
    "CreateTerminalRequest.cwd: optional null or string (an absolute path), officially optional null or string",
    "NewSessionRequest.cwd: required string (an absolute path), officially required string",
    "NewSessionRequest.additionalDirectories[]: string (an absolute path), officially string",
    "LoadSessionRequest.cwd: required string (an absolute path), officially required string",
    "LoadSessionRequest.additionalDirectories[]: string (an absolute path), officially string",
    "ListSessionsRequest.cwd: optional null or string (an absolute path), officially optional null or string",
    "ResumeSessionRequest.cwd: required string (an absolute path), officially required string",
    "ResumeSessionRequest.additionalDirectories[]: string (an absolute path), officially string",
  ],
  "lines count from 1, says the protocol's text": [
    "ReadTextFileRequest.line: optional null or integer 1..4294967295, officially optional null or integer 0..4294967295",
    "ToolCallLocation.line: optional forgiving null or integer 1..4294967295, officially optional forgiving null or integer 0..4294967295",
  ],
  "a version from far away is still answered with ours": [
    "InitializeRequest.protocolVersion: required integer -Infinity..Infinity, officially required integer 0..65535",
  ],
  "the docs show null where nothing is answered, and peers send it": [
    "AuthenticateResponse: null to default, object, officially object",
    "LogoutResponse: null to default, object, officially object",
    "LoadSessionResponse: null to default, object, officially object",
    "ResumeSessionResponse: null to default, object, officially object",
    "DeleteSessionResponse: null to default, object, officially object",
    "CloseSessionResponse: null to default, object, officially object",
    "SetSessionModeResponse: null to default, object, officially object",
    "WriteTextFileResponse: null to default, object, officially object",
    "ReleaseTerminalResponse: null to default, object, officially object",
    "KillTerminalResponse: null to default, object, officially object",
  ],
  "unstable methods an agent may opt in to": [
    "SessionCapabilities.fork: optional forgiving null or object, officially nothing",
    "SessionCapabilities.status: optional forgiving null or object, officially nothing",
    "SessionCapabilities.title: optional forgiving null or object, officially nothing",
    "SessionCapabilities.systemPrompt: optional forgiving null or object, officially nothing",
  ],
  "unstable: the tokens of a turn": ["PromptResponse.usage: optional forgiving null or object, officially nothing"],
  "every object may carry _meta; a wrong one is dropped here too": [
    "ClientSessionCapabilities.compaction._meta: optional forgiving null or record, officially nothing",
    "ClientSessionCapabilities.notices._meta: optional forgiving null or record, officially nothing",
    "RequestPermissionOutcome.cancelled._meta: optional forgiving null or record, officially nothing",
    "ElicitationPropertySchema.otherwise._meta: optional forgiving null or record, officially nothing",
    "MultiSelectItems.otherwise._meta: optional forgiving null or record, officially nothing",
  ],
  "the official alternatives overlap: titled choices may carry the type of plain ones": [
    "MultiSelectItems.string: one object, officially none",
  ],
  "a JSON integer is a number": [
    "ElicitationContentValue: no integer -9223372036854776000..9223372036854776000, officially one",
  ],
  "the person judges the link, which is shown whole": [
    "CreateElicitationRequest.url.url: required string, officially required string (uri)",
    "CreateElicitationRequest.url.url: required string, officially required string (uri)",
  ],
};

/** Deliberate differences from the unstable definitions that we have. */
const deliberateUnstable: Readonly<Record<string, readonly string[]>> = {
  "paths are absolute, says the protocol's text": [
    "ForkSessionRequest.cwd: required string (an absolute path), officially required string",
    "ForkSessionRequest.additionalDirectories[]: string (an absolute path), officially string",
  ],
  "read by the agent with the other options that a client requests": [
    "ForkSessionRequest.systemPrompt: nothing, officially optional null or object",
  ],
  "not offered": [
    "SessionCapabilities.archive: nothing, officially optional forgiving null or object",
    "ForkSessionRequest.mcpServers[].acp: only officially",
  ],
};

const unstableNames = [
  "PromptResponse",
  "Usage",
  "ForkSessionRequest",
  "ForkSessionResponse",
  "SessionStatus",
  "SessionStatusRequest",
  "SessionStatusResponse",
  "SetSessionTitleRequest",
  "SetSessionTitleResponse",
  "SessionCapabilities",
];

/** Methods of the unstable schema that we do not offer. */
const unofferedMethods =
  "auth/status auth/status_update providers/list providers/set providers/disable session/archive session/unarchive " +
  "mcp/message proxy/initialize proxy/successor";

const ours: ReadonlyMap<string, Schema<unknown>> = new Map(
  Object.entries(acp).flatMap(([name, value]) =>
    typeof value === "object" && "node" in value && "read" in value ? [[name, value]] : [],
  ),
);

const stableRun = compare(stable, Object.keys(stable.$defs));
const unstableRun = compare(unstable, unstableNames);

describe("the definitions and the official schema", () => {
  it("our definitions differ from the official schema only where the table says so", () => {
    assert.deepEqual(stableRun.differences.toSorted(), Object.values(deliberate).flat().toSorted());
  });

  it("our unstable definitions differ from the official schema only where the table says so", () => {
    assert.deepEqual(unstableRun.differences.toSorted(), Object.values(deliberateUnstable).flat().toSorted());
  });

  it("our definitions cover every official definition, or a reason is given", () => {
    const missing = Object.keys(stable.$defs).filter((name) => !stableRun.officialNames.has(name));
    assert.deepEqual(missing.toSorted(), Object.keys(leftOut).toSorted());
  });

  it("every definition of ours is official, except those that were removed from the schema", () => {
    const isCompared = (node: Node): boolean => stableRun.ownNodes.has(node) || unstableRun.ownNodes.has(node);
    const missing = [...ours].filter(([, { node }]) => !isCompared(node)).map(([name]) => name);
    assert.deepEqual(missing, ["ModelInfo", "SessionModelState", "SetSessionModelRequest"]);
  });

  it("our error codes are the official ones and -32001", () => {
    const official = (stable.$defs["ErrorCode"]?.anyOf ?? []).flatMap(({ const: code }) => code ?? []);
    assert.deepEqual(new Set<unknown>(Object.values(errorCodes)), new Set<unknown>([...official, -32001]));
  });
});

describe("the method tables and the official schema", () => {
  const tables = { agent: acp.agentMethods, client: acp.clientMethods } as const;

  for (const [name, definition] of [...methodsOf(stable), ...methodsOf(unstable, unstableNames)]) {
    const { "x-side": side, "x-method": method = "" } = definition;
    if (side === "protocol") continue;
    it(`the method tables use ${name} as the ${name.endsWith("Response") ? "result" : "params"} of ${method}`, () => {
      assert.ok(side === "agent" || side === "client");
      const entry: { readonly params: unknown; readonly result?: unknown } | undefined = new Map(
        Object.entries(tables[side]),
      ).get(method);
      assert.ok(entry !== undefined, `${method} is in the ${side}'s table`);
      assert.equal(name.endsWith("Response") ? entry.result : entry.params, ours.get(name));
      if (name.endsWith("Notification")) assert.equal(entry.result, undefined);
    });
  }

  it("the method tables have no method of their own but session/set_model", () => {
    const official = new Set([...methodsOf(stable), ...methodsOf(unstable)].map(sideAndMethod));
    const all = Object.entries(tables).flatMap(([side, table]) => Object.keys(table).map((name) => `${side} ${name}`));
    assert.deepEqual(
      all.filter((name) => !official.has(name)),
      ["agent session/set_model"],
    );
  });

  it("the method tables list the unstable methods that are not offered", () => {
    const known = new Set<string>([...Object.keys(acp.agentMethods), ...Object.keys(acp.clientMethods)]);
    const methods = new Set(methodsOf(unstable).map(([, definition]) => definition["x-method"] ?? ""));
    const unoffered = [...methods].filter((method) => !known.has(method) && method !== "$/cancel_request");
    assert.deepEqual(unoffered.toSorted(), unofferedMethods.split(" ").toSorted());
  });
});

/** A possible change of the official schema, and the difference it must cause. */
const changes: readonly (readonly [name: string, path: string, change: unknown, line: string])[] = [
  ["a new key", "PlanEntry.properties.id", { type: "string" }, "PlanEntry.id: nothing, officially optional string"],
  ["a key less", "PlanEntry.properties.content", undefined, "PlanEntry.content: required string, officially nothing"],
  ["a new required key", "Diff.required", ["path", "newText", "oldText"], "ToolCallContent.diff.oldText: optional"],
  ["a new value", "StopReason.oneOf.5", { const: "paused" }, "StopReason: values cancelled end_turn"],
  ["an enum opened", "Role.oneOf.2", { type: "string" }, "Role: values assistant user, officially values assistant"],
  ["a wider integer", "UsageUpdate.properties.used.minimum", -1, "SessionUpdate.usage_update.used: required integer 0"],
  ["null allowed", "Cost.properties.amount.type", ["number", "null"], "Cost.amount: required number, officially"],
  ["a field made strict", "Annotations.properties.audience.x-deserialize-default-on-error", false, "Annotations.audi"],
  ["items made strict", "Plan.properties.entries.x-deserialize-skip-invalid-items", false, "SessionUpdate.plan.entri"],
  ["null refused", "McpServerStdio.properties.env.x-deserialize-default-on-null", false, "McpServerStdio.env: requi"],
  ["a new variant", "ContentBlock.oneOf.5", variant("video"), "ContentBlock.video: only officially"],
  ["another tag", "RequestPermissionOutcome.oneOf.0.properties.outcome.const", "withdrawn", "RequestPermissionOut"],
  ["a shorter title", "Notice.properties.title.minLength", 0, "SessionUpdate.notice.title: required string of 1"],
  ["another item", "PromptRequest.properties.prompt.items", { type: "string" }, "PromptRequest.prompt[]: union by ty"],
];

describe("the comparison with the official schema", () => {
  for (const [name, path, change, line] of changes) {
    it(`the comparison notices ${name}`, () => {
      const changed = compare(changedAt(stable, path, change), Object.keys(stable.$defs));
      const known = new Set(stableRun.differences);
      const news = changed.differences.filter((difference) => !known.has(difference));
      assert.ok(
        news.some((difference) => difference.startsWith(line)),
        `${line} among ${JSON.stringify(news)}`,
      );
    });
  }
});

function compare(official: OfficialSchema, names: readonly string[]): NodeComparison {
  const table = new Map<string, Node>();
  for (const name of names) {
    const own = ours.get(name);
    const definition = official.$defs[name];
    if (own !== undefined && definition !== undefined && !hasTagInside(own.node, definition)) table.set(name, own.node);
  }
  const comparison = new NodeComparison(officialNodes(official), table);
  comparison.run();
  return comparison;
}

/** Our variants contain their tag; officially the tag is outside, so these are compared within their union. */
function hasTagInside(own: Node, { properties = {} }: JsonSchema): boolean {
  if (own.kind !== "object") return false;
  return Object.entries(own.fields).some(([key, { node }]) => node.kind === "literal" && properties[key] === undefined);
}

function methodsOf({ $defs }: OfficialSchema, names = Object.keys($defs)): readonly (readonly [string, JsonSchema])[] {
  return names.flatMap((name) => {
    const definition = $defs[name];
    return definition?.["x-method"] === undefined ? [] : [[name, definition] as const];
  });
}

function sideAndMethod([, definition]: readonly [string, JsonSchema]): string {
  return `${definition["x-side"]} ${definition["x-method"]}`;
}

function variant(type: string): JsonSchema {
  return { type: "object", properties: { type: { type: "string", const: type } }, required: ["type"] };
}

/** The schema with one place changed; undefined removes it. */
function changedAt({ $defs }: OfficialSchema, path: string, change: unknown): OfficialSchema {
  return JSON.parse(JSON.stringify({ $defs: withChange($defs, path.split("."), change) }));
}

function withChange(value: unknown, [key, ...rest]: readonly string[], change: unknown): unknown {
  if (key === undefined) return change;
  const copy = Array.isArray(value) ? [...value] : { ...Object(value) };
  copy[key] = withChange(copy[key], rest, change);
  return copy;
}
