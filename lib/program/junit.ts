/**
 * Formats results as JUnit XML, which CI services show as tests.
 */
export interface JunitCase {
  readonly name: string;
  /** What the test belongs to, e.g. a group of rules. */
  readonly group: string;
  readonly status: "pass" | "fail" | "not run";
  readonly why?: string | undefined;
}

export function junitXml(suite: string, cases: readonly JunitCase[]): string {
  const count = (status: JunitCase["status"]): number => cases.filter((one) => one.status === status).length;
  const totals = `tests="${cases.length}" failures="${count("fail")}" skipped="${count("not run")}"`;
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites ${totals}>`,
    `  <testsuite name="${escaped(suite)}" ${totals}>`,
    ...cases.map(caseElement),
    "  </testsuite>",
    "</testsuites>",
    "",
  ].join("\n");
}

function caseElement({ name, group, status, why = "" }: JunitCase): string {
  const start = `    <testcase classname="${escaped(group)}" name="${escaped(name)}"`;
  if (status === "pass") return `${start}/>`;
  const tag = status === "fail" ? "failure" : "skipped";
  return `${start}><${tag} message="${escaped(why)}"/></testcase>`;
}

/** Text for an attribute; characters that XML 1.0 does not allow are replaced. */
function escaped(text: string): string {
  return (
    text
      // oxlint-disable-next-line no-control-regex
      .replaceAll(/[\0-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]|\p{Surrogate}/gu, "\ufffd")
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      .replaceAll(/[\t\n\r]/g, " ")
  );
}
