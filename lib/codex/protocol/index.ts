/**
 * The protocol of `codex app-server`: schemas of what it says, types of what it is told.
 */
export * from "./host-data.ts";
export * from "./notification.ts";
export * from "./server-request.ts";
export * from "./thread.ts";
export * from "./thread-item.ts";
export * from "./turn.ts";
export * from "./user-input.ts";
export type { UnknownMessage, UnknownPart } from "../unknown.ts";
