/**
 * Changes the paths in ACP messages that pass between an editor and a remote agent.
 *
 * A request with a path outside the map is refused. In what is only shown (locations,
 * diffs, links to files), a path outside the map is left out, so that the editor does not
 * open another file of the same name. Messages without paths are returned as they are.
 */
import { isRecord } from "../../schema/index.ts";
import type { PathMap } from "./path-map.ts";

export type Message = Readonly<Record<string, unknown>>;

/** The path that is outside the map; thrown to the caller of this module only. */
export class OutsideMap extends Error {
  override readonly name = "OutsideMap";
}

/** A request or notification of the editor, for the agent. Throws `OutsideMap`. */
export function forAgent(message: Message, { toRemote }: PathMap): Message {
  const { params } = message;
  if (!isRecord(params)) return message;
  const path = required(toRemote);
  const changed: Record<string, unknown> = { ...params };
  if (typeof params["cwd"] === "string") changed["cwd"] = path(params["cwd"]);
  if (Array.isArray(params["additionalDirectories"]))
    changed["additionalDirectories"] = params["additionalDirectories"].map((one) =>
      typeof one === "string" ? path(one) : one,
    );
  if (Array.isArray(params["prompt"])) changed["prompt"] = params["prompt"].map((block) => mappedBlock(block, path));
  return { ...message, params: changed };
}

/** A request or notification of the agent, for the editor. Throws `OutsideMap`. */
export function forEditor(message: Message, { toLocal }: PathMap): Message {
  const { params, method } = message;
  if (!isRecord(params)) return message;
  const path = required(toLocal);
  const changed: Record<string, unknown> = { ...params };
  if (typeof params["path"] === "string") changed["path"] = path(params["path"]);
  if (typeof params["cwd"] === "string") changed["cwd"] = path(params["cwd"]);
  if (method === "session/update") changed["update"] = shownUpdate(params["update"], toLocal);
  if (method === "session/request_permission") changed["toolCall"] = shownCall(params["toolCall"], toLocal);
  return { ...message, params: changed };
}

/** The result of `session/list`: sessions outside the map cannot be opened and are left out. */
export function listForEditor(result: unknown, { toLocal }: PathMap): unknown {
  if (!isRecord(result) || !Array.isArray(result["sessions"])) return result;
  const sessions = result["sessions"].flatMap((one: unknown) => {
    const cwd = isRecord(one) && typeof one["cwd"] === "string" ? toLocal(one["cwd"]) : undefined;
    return isRecord(one) && cwd !== undefined ? [{ ...one, cwd }] : [];
  });
  return { ...result, sessions };
}

function required(map: (path: string) => string | undefined): (path: string) => string {
  return (path) => {
    const found = map(path);
    if (found === undefined) throw new OutsideMap("the path is outside the directories of --map");
    return found;
  };
}

/** Links, resources and images name files by URL. */
function mappedBlock(block: unknown, path: (path: string) => string): unknown {
  if (!isRecord(block)) return block;
  const { type, uri, resource } = block;
  if ((type === "resource_link" || type === "image") && typeof uri === "string")
    return { ...block, uri: mappedUri(uri, path) };
  if (type === "resource" && isRecord(resource) && typeof resource["uri"] === "string")
    return { ...block, resource: { ...resource, uri: mappedUri(resource["uri"], path) } };
  return block;
}

/** A content block as the editor shows it. */
function shownBlock(block: unknown, toLocal: PathMap["toLocal"]): unknown {
  try {
    return mappedBlock(block, required(toLocal));
  } catch (cause) {
    if (!(cause instanceof OutsideMap) || !isRecord(block)) throw cause;
    const { uri: _outside, name, ...rest } = block;
    if (block["type"] === "image") return rest;
    const what = typeof name === "string" ? name : "A file";
    return { type: "text", text: `${what}, which is outside the directories of --map, is not shown here.` };
  }
}

function mappedUri(uri: string, path: (path: string) => string): string {
  const [, file, rest = ""] = /^file:\/\/(\/[^?#]*)(.*)$/s.exec(uri) ?? [];
  if (file === undefined) return uri;
  const [, drive] = /^\/([A-Za-z]:\/.*)$/s.exec(decoded(file)) ?? [];
  const mapped = path(drive?.replaceAll("/", "\\") ?? decoded(file));
  const isWindows = /^[A-Za-z]:/.test(mapped);
  const segments = (isWindows ? `/${mapped.replaceAll("\\", "/")}` : mapped).split("/");
  return `file://${segments.map((one, i) => (isWindows && i === 1 ? one : encodeURIComponent(one))).join("/")}${rest}`;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    throw new OutsideMap("the address of a file cannot be read");
  }
}

/** The content of a message is one block, that of a tool call is a list. */
function shownUpdate(update: unknown, toLocal: PathMap["toLocal"]): unknown {
  if (!isRecord(update) || !isRecord(update["content"])) return shownCall(update, toLocal);
  return { ...update, content: shownBlock(update["content"], toLocal) };
}

/** A tool call with the paths of the editor's machine. */
function shownCall(call: unknown, toLocal: PathMap["toLocal"]): unknown {
  if (!isRecord(call)) return call;
  const { locations, content } = call;
  if (!Array.isArray(locations) && !Array.isArray(content)) return call;
  return {
    ...call,
    ...(Array.isArray(locations) && { locations: locations.flatMap((one) => withPath(one, toLocal) ?? []) }),
    ...(Array.isArray(content) && { content: content.map((one) => shownContent(one, toLocal)) }),
  };
}

function shownContent(content: unknown, toLocal: PathMap["toLocal"]): unknown {
  if (!isRecord(content)) return content;
  if (content["type"] === "content") return { ...content, content: shownBlock(content["content"], toLocal) };
  if (content["type"] !== "diff") return content;
  const shown = withPath(content, toLocal);
  if (shown !== undefined) return shown;
  const text = `A change of ${String(content["path"])}, which is outside the directories of --map, is not shown here.`;
  return { type: "content", content: { type: "text", text } };
}

function withPath(value: unknown, toLocal: PathMap["toLocal"]): object | undefined {
  if (!isRecord(value) || typeof value["path"] !== "string") return undefined;
  const path = toLocal(value["path"]);
  return path === undefined ? undefined : { ...value, path };
}
