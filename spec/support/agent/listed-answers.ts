/**
 * A client's answers in sessions of two engines: both may work in one directory, and every
 * other question gets the next answer of a list.
 */
import assert from "node:assert/strict";
import type { RequestPermissionRequest, RequestPermissionResponse } from "../../../lib/acp/index.ts";

export interface ListedAnswers {
  readonly permit: (request: RequestPermissionRequest) => RequestPermissionResponse;
  readonly answers: string[];
  /** The questions that were answered from the list. */
  readonly asked: RequestPermissionRequest[];
  /** What happens while such a question is open, one entry for each question. */
  readonly whileAsked: (() => unknown)[];
  /** The questions whether both engines may work in a directory. */
  readonly askedToShare: RequestPermissionRequest[];
}

export function listedAnswers(): ListedAnswers {
  const answers: string[] = [];
  const asked: RequestPermissionRequest[] = [];
  const whileAsked: (() => unknown)[] = [];
  const askedToShare: RequestPermissionRequest[] = [];
  const permit = (request: RequestPermissionRequest): RequestPermissionResponse => {
    const share = request.options.find(({ optionId }) => optionId === "share_directory");
    (share === undefined ? asked : askedToShare).push(request);
    if (share === undefined) whileAsked.shift()?.();
    const optionId = share?.optionId ?? answers.shift() ?? assert.fail("an unexpected question");
    return { outcome: { outcome: "selected", optionId } };
  };
  return { permit, answers, asked, whileAsked, askedToShare };
}
