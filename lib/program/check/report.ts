/**
 * Formats the findings of `bowline check` as a table or as JSON.
 */
import type { TextStyle } from "../ansi.ts";
import { junitXml } from "../junit.ts";
import { oneLine } from "../print.ts";
import { recordOf } from "./schema-check.ts";
import { type Level, type Rule, sourceUrl } from "./rule.ts";
import type { Finding, Report } from "./check.ts";
import { groupOf } from "./rules.ts";

/** The findings by group, and their totals. */
export function table({ agent, findings }: Report, rules: readonly Rule[], paint: TextStyle): string {
  const { name = "the agent", version = "" } = recordOf(agent);
  let page = `${oneLine([name, version].join(" ")).trim()}\n`;
  let group = "";
  const width = Math.max(...findings.map(({ id }) => id.length));
  for (const { id, level, status, why: reason = "" } of findings) {
    const why = oneLine(reason);
    const rule = rules.find((one) => one.id === id);
    if (groupOf(id) !== group) page += `\n${paint.bold((group = groupOf(id)))}\n`;
    const says = `${level.padEnd(6)}  ${id.padEnd(width)}  ${rule?.says ?? ""}`;
    page += `  ${marks[status](paint)}  ${status === "not run" ? paint.dim(`${says} (${why})`) : says}\n`;
    if (status === "fail") page += `        ${why}\n        ${paint.dim(`see ${sourceUrl(rule?.source ?? "")}`)}\n`;
  }
  return `${page}\n${(["MUST", "SHOULD"] as const).map((level) => `${totals(findings, level)}\n`).join("")}`;
}

export function json({ agent, findings }: Report, rules: readonly Rule[]): string {
  const rows = findings.map(({ id, level, status, why }) => {
    const { says, source } = rules.find((one) => one.id === id) ?? { says: "", source: "" };
    return { id, level, status, ...(why !== undefined && { why }), says, source: sourceUrl(source) };
  });
  return `${JSON.stringify({ agent, isConformant: isConformant(findings), rules: rows }, null, 2)}\n`;
}

/** A broken SHOULD is reported as not run, because it does not make the check fail. */
export function junit({ findings }: Report, rules: readonly Rule[]): string {
  const cases = findings.map(({ id, level, status, why }) => ({
    group: `${level} ${groupOf(id)}`,
    name: `${id}: ${rules.find((one) => one.id === id)?.says ?? ""}`,
    status: level === "SHOULD" && status === "fail" ? ("not run" as const) : status,
    why,
  }));
  return junitXml("bowline check", cases);
}

/** The rules alone, for `--list`. */
export function list(rules: readonly Rule[]): string {
  return rules.map(({ id, level, says }) => `${level.padEnd(6)}  ${id.padEnd(24)}  ${says}\n`).join("");
}

export function isConformant(findings: readonly Finding[]): boolean {
  return !findings.some(({ level, status }) => level === "MUST" && status === "fail");
}

const marks = {
  pass: (paint: TextStyle) => paint.green("ok  "),
  fail: (paint: TextStyle) => paint.red("FAIL"),
  "not run": (paint: TextStyle) => paint.dim("-   "),
} as const;

function totals(findings: readonly Finding[], level: Level): string {
  const of = findings.filter((one) => one.level === level);
  const count = (status: Finding["status"]): number => of.filter((one) => one.status === status).length;
  return `${level.padEnd(6)}  ${count("pass")} kept, ${count("fail")} broken, ${count("not run")} not run`;
}
