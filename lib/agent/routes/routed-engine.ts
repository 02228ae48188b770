/**
 * Combines two engines into one: each session goes to Claude, to Codex, or to both.
 *
 * The list of saved conversations contains only those of the engines of the default route,
 * because asking Codex for a list starts its process. A conversation id that the first engine
 * does not know is looked up in the other engine too, whatever the route is.
 */
import type { ConversationPage, ConversationStore, Engine } from "../../engine/index.ts";
import type { Environment } from "../../process/index.ts";
import { type EngineId, engineIds, otherEngine, type Route, routes } from "../route.ts";
import { SharedDirectories } from "./directory-consent.ts";
import type { AllSessions } from "./engine-configuration.ts";
import type { EngineTrack } from "./engine-track.ts";
import type { RouteSettings } from "./route-options.ts";
import { RoutedConversation } from "./routed-conversation.ts";
import type { SessionIndex } from "./session-index.ts";
import { RoutedRecord } from "./routed-record.ts";

export interface RoutedEngineOptions {
  readonly engines: { readonly [E in EngineId]: Engine };
  /** The settings of new sessions. */
  readonly settings: RouteSettings;
  readonly index: SessionIndex;
  /** Names the user's own directories. */
  readonly env?: Environment | undefined;
  /** The time of day. Without it, the configurations of the engines are read anew each time. */
  readonly now?: (() => number) | undefined;
  /** What the sessions of the program know of each other. Without it, those of other agents of the program are not known. */
  readonly all?: AllSessions | undefined;
}

/** What the sessions of one program know of each other. */
export function allSessions(): AllSessions {
  const tracks = new Set<EngineTrack>();
  return { tracks, configurations: new Set(), shared: new SharedDirectories(tracks), hasLoadedShared: false };
}

export function routedEngine({
  engines,
  settings,
  index,
  env = {},
  now = () => 0,
  all = allSessions(),
}: RoutedEngineOptions): Engine {
  const first = settings.route === "duet" ? settings.primary : settings.route;
  const ids: readonly EngineId[] = settings.route === "duet" ? [first, otherEngine(first)] : [first];
  /** The engine of each conversation that was found; `open` needs it at once. */
  const owners = new Map<string, EngineId>();
  const ownerOf = async (id: string): Promise<EngineId> => {
    const known = owners.get(id);
    if (known !== undefined) return known;
    for (const engine of [first, otherEngine(first)]) {
      // A failing engine has no conversations.
      if (await engines[engine].conversations.has(id).catch(() => false)) {
        owners.set(id, engine);
        return engine;
      }
    }
    return first;
  };
  const storeOf = async (id: string): Promise<ConversationStore> => engines[await ownerOf(id)].conversations;

  return {
    ...engines[first],
    id: "routed",
    name: `${engines.claude.name} and ${engines.codex.name}`,
    refusalOf: (prompt) => engines[first].refusalOf(prompt),
    conversations: {
      list: (cwd, cursor) =>
        mergedPage(
          ids.map((id) => engines[id].conversations),
          cwd,
          cursor,
        ),
      has: async (id) => (await storeOf(id)).has(id),
      directoryOf: async (id) => (await storeOf(id)).directoryOf(id),
      latest: async (cwd) => {
        const id = await engines[first].conversations.latest(cwd);
        if (id !== undefined) owners.set(id, first);
        return id;
      },
      forkPoint: async (id, messageId) => (await (await storeOf(id)).forkPoint?.(id, messageId)) ?? { kind: "unknown" },
      rename: async (id, title) => (await storeOf(id)).rename(id, title),
      remove: async (id) => {
        const entry = index.find(id);
        await (await storeOf(id)).remove(id);
        const owner = await ownerOf(id);
        for (const engine of ["claude", "codex"] as const) {
          const saved = entry?.[engine];
          if (engine !== owner && saved !== undefined) await engines[engine].conversations.remove(saved);
        }
        index.remove(id);
        owners.delete(id);
      },
    },
    open: (request, host) => {
      const { start } = request;
      const owner = start.kind === "new" ? first : (owners.get(start.id) ?? first);
      const record = new RoutedRecord({ index, request, owner });
      all.hasLoadedShared ||= engineIds.some(
        (id) => engines[id].capabilities.reloadsConfiguration && record.accepted[id] !== undefined,
      );
      return new RoutedConversation({
        engines,
        request,
        host,
        owner,
        all,
        settings: {
          ...settings,
          route: routeOf(request.settings["route"]) ?? (owner === first ? settings.route : owner),
        },
        record,
        env,
        now,
      });
    },
    // A CLI that nobody has asked for must not run hooks that another engine writes.
    mayPrewarm: () =>
      !all.hasLoadedShared &&
      all.shared.workers.every(({ engine }) =>
        engineIds.some((id) => id === engine.id && engines[id].capabilities.reloadsConfiguration),
      ),
    configFingerprint: (cwd) => ids.map((id) => engines[id].configFingerprint(cwd)).join(" "),
    close: async (reason) => {
      await Promise.all(Object.values(engines).map((engine) => engine.close(reason)));
    },
  };
}

function routeOf(value: string | undefined): Route | undefined {
  return routes.find((one) => one === value);
}

/** One page of all stores, newest first. The cursor holds one cursor for each store. */
async function mergedPage(
  stores: readonly ConversationStore[],
  cwd: string | undefined,
  cursor: string | undefined,
): Promise<ConversationPage> {
  const [only, ...more] = stores;
  if (only !== undefined && more.length === 0) return only.list(cwd, cursor);
  const cursors = cursor === undefined ? stores.map(() => "") : readCursors(cursor, stores.length);
  if (cursors === undefined) return { kind: "bad-cursor" };
  const pages = await Promise.all(
    stores.map(async (store, i) => {
      const one = cursors[i];
      // `null` marks a store that has no further page.
      return one === null || one === undefined ? emptyPage : store.list(cwd, one === "" ? undefined : one);
    }),
  );
  if (pages.some(({ kind }) => kind === "bad-cursor")) return { kind: "bad-cursor" };
  const read = pages.flatMap((page) => (page.kind === "page" ? [page] : []));
  const sessions = read
    .flatMap((page) => page.sessions)
    .toSorted((left, right) => right.updatedAt.localeCompare(left.updatedAt));
  const next = read.map(({ nextCursor }) => nextCursor ?? null);
  return {
    kind: "page",
    sessions,
    nextCursor: next.every((one) => one === null) ? undefined : JSON.stringify(next),
    unreadableCount: read.reduce((sum, page) => sum + page.unreadableCount, 0),
  };
}

const emptyPage: ConversationPage = { kind: "page", sessions: [], nextCursor: undefined, unreadableCount: 0 };

function readCursors(cursor: string, count: number): readonly (string | null)[] | undefined {
  try {
    const read: unknown = JSON.parse(cursor);
    const isCursors = Array.isArray(read) && read.length === count;
    return isCursors && read.every((one) => one === null || typeof one === "string") ? read : undefined;
  } catch {
    return undefined;
  }
}
