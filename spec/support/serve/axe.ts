/**
 * The accessibility rules of axe-core, run in a page.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import type { Page } from "playwright-core";

/** WCAG 2.0 to 2.2, levels A and AA, and the rules that axe calls best practice. */
const tags = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

let source: string | undefined;

/** What the rules find, as `rule: selector: why`; empty when nothing is wrong. */
export async function accessibilityFindings(page: Page): Promise<readonly string[]> {
  source ??= readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
  await page.evaluate(`${source}; 0`);
  return page.evaluate<
    readonly string[]
  >(`axe.run(document, { runOnly: ${JSON.stringify(tags)} }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) =>
      nodes.map(({ target, failureSummary }) => id + ": " + target.join(" ") + ": " + failureSummary)))`);
}
