/**
 * Schemas of reading and writing text files through the client, unsaved changes included.
 */
import { nullable, optional, type Schema, type Static, string, uint32 } from "../../schema/index.ts";
import { AbsolutePath, emptyResponse, type EmptyResponse, LineNumber, withMeta } from "./common.ts";

const readTextFileRequest = withMeta({
  sessionId: string,
  path: AbsolutePath,
  /** The first line to read; the first line of a file is 1. */
  line: optional(nullable(LineNumber)),
  /** The maximal number of lines to read. */
  limit: optional(nullable(uint32)),
});
export interface ReadTextFileRequest extends Static<typeof readTextFileRequest> {}
export const ReadTextFileRequest: Schema<ReadTextFileRequest> = readTextFileRequest;

const readTextFileResponse = withMeta({ content: string });
export interface ReadTextFileResponse extends Static<typeof readTextFileResponse> {}
export const ReadTextFileResponse: Schema<ReadTextFileResponse> = readTextFileResponse;

const writeTextFileRequest = withMeta({ sessionId: string, path: AbsolutePath, content: string });
export interface WriteTextFileRequest extends Static<typeof writeTextFileRequest> {}
export const WriteTextFileRequest: Schema<WriteTextFileRequest> = writeTextFileRequest;

export interface WriteTextFileResponse extends EmptyResponse {}
export const WriteTextFileResponse: Schema<WriteTextFileResponse> = emptyResponse;
