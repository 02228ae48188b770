/**
 * Makes every picture of the documentation anew: `npm run docs:pictures`, or with names of
 * pictures (`-- page chat`) only those.
 */
import { execFileSync } from "node:child_process";
import { readdirSync } from "node:fs";
import { fileURLToPath } from "node:url";

const directory = new URL("./", import.meta.url);
const wanted = process.argv.slice(2);
const names = readdirSync(directory).filter((name) => name.endsWith("-picture.ts"));
for (const name of names) {
  if (wanted.length > 0 && !wanted.some((word) => name.startsWith(word))) continue;
  execFileSync(process.execPath, ["--import", "tsx", fileURLToPath(new URL(name, directory))], { stdio: "inherit" });
}
