/**
 * Defines `Schema`: one definition of what a value may be, usable in three ways.
 *
 * `read` checks a value at run time, `Static` is its TypeScript type, and `node`
 * is plain data that specs print or compare. Depends on no protocol.
 */
import type { Fault } from "./fault.ts";

export interface Schema<T> {
  readonly node: Node;
  /**
   * Returns the same object when the value is right, a repaired copy when a lenient
   * part was wrong, or a `Fault`. Allocates nothing when the value is right.
   */
  readonly read: (value: unknown) => T | Fault;
}

/** A schema whose node is made at its first use. Only specs use nodes. */
export function schema<T>(read: Schema<T>["read"], makeNode: () => Node): Schema<T> {
  return new LazySchema(read, makeNode);
}

/**
 * A class, so that all schemas share one getter. With a getter for each schema, defining
 * those of ACP and Claude takes 6.3 ms of the start instead of 5.0 ms.
 */
export class LazySchema<T> implements Schema<T> {
  readonly read: Schema<T>["read"];
  readonly #makeNode: () => Node;
  #node: Node | undefined;

  constructor(read: Schema<T>["read"], makeNode: () => Node) {
    this.read = read;
    this.#makeNode = makeNode;
  }

  get node(): Node {
    return (this.#node ??= this.#makeNode());
  }
}

/** The TypeScript type a schema reads. */
export type Static<S> = S extends Schema<infer T> ? T : never;

/** How an object treats one of its keys. */
export interface Field {
  readonly node: Node;
  readonly required: boolean;
  /** Whether a wrong value is dropped, as if the key had been left out. */
  readonly lenient: boolean;
}

/** A schema as plain data. */
export type Node =
  | { readonly kind: "unknown" }
  | { readonly kind: "string"; readonly minLength: number }
  | { readonly kind: "boolean" }
  | { readonly kind: "number" }
  | { readonly kind: "integer"; readonly min: number; readonly max: number }
  | { readonly kind: "literal"; readonly value: string }
  | { readonly kind: "enum"; readonly values: readonly string[]; readonly open: boolean }
  | { readonly kind: "refined"; readonly inner: Node; readonly expected: string }
  | { readonly kind: "nullable"; readonly inner: Node }
  | { readonly kind: "nullTo"; readonly inner: Node }
  | { readonly kind: "errorTo"; readonly inner: Node }
  | { readonly kind: "array"; readonly items: Node; readonly skipInvalid: boolean }
  | { readonly kind: "record"; readonly values: Node }
  | { readonly kind: "object"; readonly fields: Readonly<Record<string, Field>> }
  | {
      readonly kind: "tagged";
      readonly tag: string;
      readonly variants: Readonly<Record<string, Node>>;
      readonly otherwise: Node | undefined;
    }
  | { readonly kind: "either"; readonly options: readonly Node[] };
