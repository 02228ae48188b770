/**
 * Removes everything machine-specific from a recording.
 *
 * Paths become /home/dev and /home/dev/project, uuids count up in order of appearance
 * (so that two recordings differ only where the CLI did), process ids, ports and the key
 * become fixed ones, and the CLI's long texts are cut. A pure function of the recording
 * and of the names to hide.
 */
import { at, isObject, textAt, type JsonObject } from "../json.ts";

export interface Machine {
  readonly cwd: string;
  readonly home: string;
  readonly root: string;
  readonly port: number;
  readonly key: string;
  readonly pid: number;
  readonly hostname: string;
  readonly uid: number;
}

const maxProse = 48;
const maxCommands = 12;
/** Lists of the CLI's own catalogue, whose entries explain themselves at length. */
const catalogues = new Set(["commands", "agents", "models", "skills"]);

/** Returns a function that anonymizes values and remembers the ids it has numbered. */
export function anonymizer(machine: Machine): (value: unknown) => unknown {
  const replace = replacer(machine);
  const walk = (value: unknown, key: string): unknown => {
    if (typeof value === "string") return replace(value);
    if (typeof value === "number" && key === "pid") return 1000;
    if (Array.isArray(value)) {
      const isCatalogue = catalogues.has(key) && value.some(isObject);
      const kept = isCatalogue && key === "commands" ? value.slice(0, maxCommands) : value;
      return kept.map((item: unknown) => walk(isCatalogue && isObject(item) ? shortened(item) : item, ""));
    }
    if (!isObject(value)) return value;
    const walked: Record<string, unknown> = {};
    for (const [name, inner] of Object.entries(value)) walked[replace(name)] = walk(inner, name);
    return walked;
  };
  return (value) => walk(value, "");
}

/**
 * Anonymizes the lines of a tape. A tool's input arrives in pieces that may cut a
 * path in two, so the pieces of one block are joined, anonymized and cut again.
 */
export function anonymizeTape(lines: readonly object[], machine: Machine): readonly unknown[] {
  const anonymize = anonymizer(machine);
  const clean = lines.map((line) => anonymize(line));
  const pieces: { piece: string; put: (text: string) => void }[] = [];
  const flush = (): void => {
    const whole = String(anonymize(pieces.map(({ piece }) => piece).join("")));
    const size = Math.ceil(whole.length / Math.max(1, pieces.length));
    pieces.forEach(({ put }, index) => put(whole.slice(index * size, (index + 1) * size)));
    pieces.length = 0;
  };
  lines.forEach((line, index) => {
    // Only the main conversation is streamed, one block after another.
    const event = at(line, "msg.event");
    if (textAt(event, "type") === "content_block_stop") flush();
    const piece = at(event, "delta.partial_json");
    const delta = at(clean[index], "msg.event.delta");
    if (typeof piece === "string" && isObject(delta)) {
      pieces.push({ piece, put: (text) => Object.assign(delta, { partial_json: text }) });
    }
  });
  flush();
  return clean;
}

function replacer({ cwd, home, root, port, key, pid, hostname, uid }: Machine): (text: string) => string {
  const names: readonly (readonly [from: string, to: string])[] = [
    [cwd, "/home/dev/project"],
    [`${home}/tmp`, "/tmp"],
    [home, "/home/dev"],
    [root, "/home/dev/root"],
    [slug(cwd), "-home-dev-project"],
    [slug(home), "-home-dev"],
    [slug(root), "-home-dev-root"],
    [`127.0.0.1:${port}`, "127.0.0.1:8080"],
    [key, "sk-ant-fake"],
    [`/claude-${uid}/`, "/claude-1000/"],
    [`/${pid}.sock`, "/1000.sock"],
  ];
  const uuids = new Map<string, string>();
  const numbered = (uuid: string): string => {
    const known = uuids.get(uuid) ?? `00000000-0000-4000-8000-${String(uuids.size + 1).padStart(12, "0")}`;
    uuids.set(uuid, known);
    return known;
  };
  return (text) => {
    let clean = text;
    for (const [from, to] of names) clean = clean.replaceAll(from, to);
    // A short name such as "dev" would be found inside other words.
    if (hostname.length > 6) clean = clean.replaceAll(hostname, "dev-machine");
    return clean.replaceAll(/[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}/g, numbered);
  };
}

/** The CLI's own name for a directory. */
function slug(path: string): string {
  return path.replaceAll(/[^a-zA-Z0-9]/g, "-");
}

function shortened(item: JsonObject): JsonObject {
  const short: Record<string, unknown> = {};
  for (const [key, value] of Object.entries(item)) {
    const isLong = key === "description" && typeof value === "string" && value.length > maxProse;
    short[key] = isLong ? `${value.slice(0, maxProse - 1)}…` : value;
  }
  return short;
}
