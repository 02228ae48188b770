/**
 * A document with the few methods that the page's Markdown uses, for specs without a
 * browser.
 */

export class SmallNode {
  parent: SmallNode | undefined;
  readonly childNodes: SmallNode[] = [];
  readonly tag: string;
  readonly #text: string;

  constructor(tag: string, text = "") {
    this.tag = tag;
    this.#text = text;
  }

  get lastChild(): SmallNode | undefined {
    return this.childNodes.at(-1);
  }

  get textContent(): string {
    const parts: string[] = [];
    // Without recursion: the document may be deep.
    const left: SmallNode[] = [this];
    for (let node = left.pop(); node !== undefined; node = left.pop()) {
      parts.push(node.#text);
      for (let i = node.childNodes.length - 1; i >= 0; i--) left.push(node.childNodes[i] ?? node);
    }
    return parts.join("");
  }

  /** The depth of the element tree. */
  get depth(): number {
    let deepest = 0;
    const left: (readonly [SmallNode, number])[] = [[this, 0]];
    for (let next = left.pop(); next !== undefined; next = left.pop()) {
      const [node, depth] = next;
      deepest = Math.max(deepest, depth);
      for (const child of node.childNodes) left.push([child, depth + 1]);
    }
    return deepest;
  }

  append(...children: readonly (SmallNode | string)[]): void {
    for (const child of children) {
      const node = typeof child === "string" ? new SmallNode("", child) : child;
      node.remove();
      node.parent = this;
      this.childNodes.push(node);
    }
  }

  replaceChild(node: SmallNode, old: SmallNode): void {
    this.childNodes[this.childNodes.indexOf(old)] = node;
    old.parent = undefined;
    node.parent = this;
  }

  remove(): void {
    const siblings = this.parent?.childNodes ?? [];
    if (siblings.at(-1) === this) siblings.pop();
    else if (siblings.includes(this)) siblings.splice(siblings.indexOf(this), 1);
    this.parent = undefined;
  }

  setAttribute(): void {}
}

export const smallDocument = {
  createElement: (tag: string) => new SmallNode(tag),
  createTextNode: (text: string) => new SmallNode("", text),
};
