/**
 * Reads the option `--route` and the variable BOWLINE_ROUTE.
 */
import { type Route, routes } from "../agent/index.ts";
import { WrongUsage } from "./argv.ts";

/** Undefined when neither is given. Throws `WrongUsage` for an unknown engine. */
export function readRoute(
  option: string | undefined,
  env: Readonly<Record<string, string | undefined>>,
): Route | undefined {
  const given = option ?? (env["BOWLINE_ROUTE"] || undefined);
  if (given === undefined) return undefined;
  const route = routes.find((one) => one === given);
  const name = option === undefined ? "BOWLINE_ROUTE" : "--route";
  if (route === undefined) throw new WrongUsage(`${name} must be ${routes.join(" or ")}`);
  return route;
}
