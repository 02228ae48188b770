/**
 * The specs that start Chromium. `npm run test:browser` runs them: together they take
 * about as long as a third of all others.
 */
export const browserSpecs: readonly string[] = [
  "spec/program/inspect/inspect.spec.ts",
  "spec/serve/page/page-access.spec.ts",
  "spec/serve/page/page-features.spec.ts",
  "spec/serve/page/page-sessions.spec.ts",
  "spec/serve/page/page.spec.ts",
];
