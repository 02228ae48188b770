/**
 * Describes the differences between our schema nodes and the official ones.
 *
 * Each difference is one line that names the place and both sides. A part that is a
 * definition of its own on both sides is not descended into; it is compared separately.
 */
import type { Field, Node } from "../../../lib/schema/index.ts";
import type { OfficialNodes } from "./official-node.ts";

export class NodeComparison {
  /** Official definitions that were compared, as themselves or as a part. */
  readonly officialNames = new Set<string>();
  /** Our nodes that were compared. */
  readonly ownNodes = new Set<Node>();
  readonly differences: string[] = [];
  readonly #official: OfficialNodes;
  readonly #table: ReadonlyMap<string, Node>;

  /** `table` maps each official definition to our node, where there is one. */
  constructor(official: OfficialNodes, table: ReadonlyMap<string, Node>) {
    this.#official = official;
    this.#table = table;
  }

  /** Compares every definition of the table. */
  run(): void {
    for (const [name, own] of this.#table) {
      const official = this.#official.node(name);
      this.#mark(official, own);
      this.#compareParts(official, own, name, this.differences);
    }
  }

  #compare(official: Node, own: Node, at: string, found: string[]): void {
    const names = this.#mark(official, own);
    if (names.some((name) => this.#table.get(name) === own)) return;
    this.#compareParts(official, own, at, found);
  }

  #mark(official: Node, own: Node): readonly string[] {
    const names = this.#official.namesOf(official);
    for (const name of names) this.officialNames.add(name);
    this.ownNodes.add(own);
    return names;
  }

  #compareParts(official: Node, own: Node, at: string, found: string[]): void {
    const there = describeNode(official);
    const here = describeNode(own);
    if (own.kind === "either" && official.kind !== "either") {
      return this.#compareOptions([official], own.options, at, found);
    }
    if (there !== here) {
      found.push(`${at}: ${here}, officially ${there}`);
      return;
    }
    const a = core(official);
    const b = core(own);
    if (a !== official || b !== own) return this.#compare(a, b, at, found);
    if (a.kind === "array" && b.kind === "array") this.#compare(a.items, b.items, `${at}[]`, found);
    if (a.kind === "record" && b.kind === "record") this.#compare(a.values, b.values, `${at}{}`, found);
    if (a.kind === "object" && b.kind === "object") this.#compareFields(a.fields, b.fields, at, found);
    if (a.kind === "either" && b.kind === "either") this.#compareOptions(a.options, b.options, at, found);
    if (a.kind === "tagged" && b.kind === "tagged") {
      this.#comparePairs(a.variants, b.variants, at, found);
      if (a.otherwise && b.otherwise) this.#compare(a.otherwise, b.otherwise, `${at}.otherwise`, found);
    }
  }

  #compareFields(
    official: Readonly<Record<string, Field>>,
    own: Readonly<Record<string, Field>>,
    at: string,
    found: string[],
  ): void {
    for (const key of keysOf(official, own)) {
      const a = official[key];
      const b = own[key];
      const there = a === undefined ? "nothing" : describeField(a);
      const here = b === undefined ? "nothing" : describeField(b);
      if (there !== here) found.push(`${at}.${key}: ${here}, officially ${there}`);
      else if (a !== undefined && b !== undefined) this.#compare(inField(a), inField(b), `${at}.${key}`, found);
    }
  }

  #comparePairs(
    official: Readonly<Record<string, Node>>,
    own: Readonly<Record<string, Node>>,
    at: string,
    found: string[],
  ): void {
    for (const key of keysOf(official, own)) {
      const a = official[key];
      const b = own[key];
      if (a === undefined || b === undefined)
        found.push(`${at}.${key}: only ${a === undefined ? "here" : "officially"}`);
      else this.#compare(a, b, `${at}.${key}`, found);
    }
  }

  /** Options have no names and no order: equal ones are paired first, the others in their order. */
  #compareOptions(official: readonly Node[], own: readonly Node[], at: string, found: string[]): void {
    const left = [...own];
    const unlike = official.filter((option) => {
      const like = left.findIndex((candidate) => this.#faults(option, candidate, at).length === 0);
      if (like !== -1) left.splice(like, 1);
      return like === -1;
    });
    for (const option of unlike) {
      const candidate = left.shift();
      if (candidate === undefined) found.push(`${at}: no ${describeNode(option)}, officially one`);
      else found.push(...this.#faults(option, candidate, at));
    }
    for (const option of left) found.push(`${at}: one ${describeNode(option)}, officially none`);
  }

  #faults(official: Node, own: Node, at: string): readonly string[] {
    const faults: string[] = [];
    this.#compare(official, own, at, faults);
    return faults;
  }
}

/** Describes a node without its parts. */
function describeNode(node: Node): string {
  switch (node.kind) {
    case "nullable":
      return `null or ${describeNode(node.inner)}`;
    case "nullTo":
      return `null to default, ${describeNode(node.inner)}`;
    case "errorTo":
      return `error to default, ${describeNode(node.inner)}`;
    case "refined":
      return `${describeNode(node.inner)} (${node.expected})`;
    case "string":
      return node.minLength === 0 ? "string" : `string of ${node.minLength} or more`;
    case "integer":
      return `integer ${node.min}..${node.max}`;
    case "literal":
      return `values ${node.value}`;
    case "enum":
      return `values ${[...node.values].sort().join(" ")}${node.open ? " and others" : ""}`;
    case "array":
      return node.skipInvalid ? "array without its wrong items" : "array";
    case "tagged":
      return `union by ${node.tag}${node.otherwise === undefined ? "" : " with a rest"}`;
    case "object":
    case "record":
    case "either":
    case "unknown":
    case "boolean":
    case "number":
      return node.kind;
  }
}

function describeField(field: Field): string {
  const isForgiving = field.lenient || field.node.kind === "errorTo";
  return `${field.required ? "required" : "optional"}${isForgiving ? " forgiving" : ""} ${describeNode(inField(field))}`;
}

/** A field's node without the leniency that `describeField` has reported. */
function inField({ node }: Field): Node {
  return node.kind === "errorTo" ? node.inner : node;
}

/** The node without one level of wrapping, where there is one. */
function core(node: Node): Node {
  return "inner" in node ? node.inner : node;
}

function keysOf(a: object, b: object): ReadonlySet<string> {
  return new Set([...Object.keys(a), ...Object.keys(b)]);
}
