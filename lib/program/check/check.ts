/**
 * Runs the rules of `bowline check` on an agent, one after the other.
 */
import { RuleViolation, type Level, RuleSkipped, type Rule } from "./rule.ts";
import { inOrder } from "./rules.ts";
import { CheckContext, type CheckContextOptions } from "./check-context.ts";
import { recordOf } from "./schema-check.ts";

export interface Finding {
  readonly id: string;
  readonly level: Level;
  readonly status: "pass" | "fail" | "not run";
  /** The reason; missing when the rule passed. */
  readonly why?: string;
}

export interface CheckOptions extends CheckContextOptions {
  readonly rules: readonly Rule[];
  /** Called before each rule. */
  readonly onRule?: ((rule: Rule) => void) | undefined;
}

export interface Report {
  /** The agent's `agentInfo`; undefined when it sent none. */
  readonly agent: unknown;
  /** In the order of the groups. */
  readonly findings: readonly Finding[];
}

export async function check({ rules, onRule, ...options }: CheckOptions): Promise<Report> {
  const context = new CheckContext(options);
  const findings: Finding[] = [];
  for (const rule of rules) {
    onRule?.(rule);
    findings.push({ id: rule.id, level: rule.level, ...(await outcome(rule, context)) });
  }
  const agent = context.log.agentRows.flatMap(({ message }) => {
    return message.kind === "response" ? [recordOf(message.result)["agentInfo"]] : [];
  });
  await context.close();
  return { agent: agent.find((one) => one !== undefined), findings: inOrder(findings) };
}

async function outcome(rule: Rule, context: CheckContext): Promise<Pick<Finding, "status" | "why">> {
  try {
    await rule.probe(context);
    return { status: "pass" };
  } catch (cause) {
    if (cause instanceof RuleViolation) return { status: "fail", why: cause.message };
    if (cause instanceof RuleSkipped) return { status: "not run", why: cause.message };
    throw cause;
  }
}
