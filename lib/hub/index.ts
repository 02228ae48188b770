/**
 * Entry point of the hub module: sessions that several clients share.
 */
export { type DirectoryPolicy, Hub, type HubCounts, type HubOptions } from "./hub.ts";
export type { HubSessionSummary } from "./session/hub-session.ts";
export type { AskedQuestion, HubQuestion } from "./session/questions.ts";
export type { ClientRole } from "./client/role.ts";
export { titleOf } from "./session/session-title.ts";
export type { UpstreamSource } from "./upstream/upstream.ts";
