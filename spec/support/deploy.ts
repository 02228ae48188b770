/**
 * The container command of docs/deploy.
 */
import { readText } from "./files.ts";

/** The arguments of the container in the Kubernetes manifest. */
export function containerArgs(): readonly string[] {
  const [, list = "[]"] = /^ +args: (\[.*\])$/m.exec(readText("docs/deploy/kubernetes.yaml")) ?? [];
  // The list is written in YAML's flow style, which for strings in double quotes is JSON.
  return JSON.parse(list) as readonly string[];
}
