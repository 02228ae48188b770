/**
 * Specs of the TypeScript types of schemas. `tsc --noEmit` checks the lines under `@ts-
 * expect-error`; at run time the specs only check that the entry point exports
 * everything.
 */
import assert from "node:assert/strict";
import { describe, it } from "node:test";
import {
  array,
  byKey,
  either,
  Fault,
  integer,
  lenient,
  literal,
  nullable,
  object,
  oneOf,
  open,
  optional,
  record,
  type Schema,
  type Static,
  string,
  tagged,
  unknown,
} from "../../lib/schema/index.ts";

const toolCall = object({
  toolCallId: string,
  kind: lenient(oneOf("read", "edit")),
  locations: optional(array(object({ path: string, line: optional(nullable(integer())) }))),
  rawInput: optional(unknown),
});
interface ToolCall extends Static<typeof toolCall> {}
const ToolCall: Schema<ToolCall> = toolCall;

const text = object({ type: literal("text"), text: string });
const image = object({ type: literal("image"), data: string });
const content = tagged("type", { text, image });
type Content = Static<typeof content>;

/** Compiles only when both types are the same. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
function same<A, B>(_proof: Same<A, B>): void {}

describe("Static", () => {
  it("Static has the required and optional keys of the shape", () => {
    const whole: ToolCall = { toolCallId: "1", kind: "read", locations: [{ path: "p", line: null }] };
    const short: ToolCall = { toolCallId: "1", kind: undefined };
    assert.equal(ToolCall.read(whole), whole);
    assert.equal(ToolCall.read(short), short);
    const nameless = { kind: "read" } as const;
    // @ts-expect-error toolCallId is required
    const wrong: ToolCall = nameless;
    assert.ok(ToolCall.read(wrong) instanceof Fault);
  });

  it("Static knows the values of an enumeration", () => {
    const dream = { toolCallId: "1", kind: "dream" } as const;
    // @ts-expect-error kind is read or edit
    const wrong: ToolCall = dream;
    assert.deepEqual(ToolCall.read(wrong), { toolCallId: "1" });
    same<Static<ReturnType<typeof oneOf<"a" | "b">>>, "a" | "b">(true);
    const anyKind: Static<ReturnType<typeof open<"a">>> = "from the future";
    assert.equal(open("a").read(anyKind), anyKind);
  });

  it("Static is readonly at every level", () => {
    const call: ToolCall = { toolCallId: "1", locations: [{ path: "p" }] };
    // @ts-expect-error a value that was read is readonly
    const rename = (): string => (call.toolCallId = "2");
    // @ts-expect-error and so are its arrays
    const add = (): number => call.locations.push({ path: "q" });
    assert.ok(typeof rename === "function" && typeof add === "function");
    same<Static<ReturnType<typeof record<string>>>, Readonly<Record<string, string>>>(true);
  });

  it("Static narrows a union by its tag", () => {
    const say = (given: Content): string => {
      switch (given.type) {
        case "text":
          return given.text;
        case "image":
          return given.data;
      }
    };
    const got = content.read({ type: "image", data: "d" });
    assert.ok(!(got instanceof Fault));
    assert.equal(say(got), "d");
    const crossed = { type: "text", data: "d" } as const;
    // @ts-expect-error data belongs to the other variant
    const wrong: Content = crossed;
    assert.ok(content.read(wrong) instanceof Fault);
  });

  it("Static is the union of what either, byKey and tagged may read", () => {
    const id = either("an id", string, integer(), nullable(string));
    same<Static<typeof id>, string | number | null>(true);
    const shapes = byKey({ text: object({ text: string }), blob: object({ blob: string }) });
    const blob: Static<typeof shapes> = { blob: "b" };
    assert.equal(shapes.read(blob), blob);
    const loose = tagged("type", { text }, unknown);
    same<Static<typeof loose>, unknown>(true);
  });

  it("the result of read does not compile without a check for a fault", () => {
    const got = string.read("x");
    // @ts-expect-error the result may be a fault
    const wrong: string = got;
    assert.equal(wrong, "x");
  });
});
