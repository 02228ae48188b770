/**
 * Entry point of the hub module: sessions that several clients share.
 */
export { type DirectoryPolicy, Hub, type HubConnectionOptions, type HubCounts, type HubOptions } from "./hub.ts";
export type { HubSessionSummary } from "./hub-session.ts";
export type { AskedQuestion, HubQuestion } from "./questions.ts";
export type { ClientRole } from "./role.ts";
export { titleOf } from "./session-title.ts";
export type { UpstreamSource, StartedAgent } from "./upstream.ts";
