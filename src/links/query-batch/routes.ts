import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import { type BulkId, parseBulkId } from "../bulk-id.ts";
import {
  bulkField,
  type QueryBatchInput,
  type QueryBatchResult,
  queryBatchResult,
  queryBatchSchema,
} from "./query-batch.ts";
import type { RevertedPortion } from "./undo.ts";
import { namedObject } from "../../lib/named-object.ts";

const undoBody = namedObject("LinkBatchUndo", {
  change: bulkField,
  after: z.int().min(0).optional().describe("`next` of the previous response"),
});

const undoResponse = namedObject("LinkBatchUndoResult", {
  restored: z.int().describe("links that were changed back"),
  failed: z
    .array(z.object({ code: z.string(), error: z.string(), error_code: z.int() }))
    .describe(
      "links that stay: changed or deleted since (after a change of a tag: deleted for good, or without a code because they are others' now), or their code is taken",
    ),
  next: z.int().nullable().describe("null when all links are handled"),
});

type ByFilter = {
  queryBatch(input: QueryBatchInput, signal?: AbortSignal): Promise<QueryBatchResult>;
  undoBatch(change: BulkId, after: number): Promise<RevertedPortion>;
};

/** Relative to {admin}/v1. Only POST: other methods reach links with the codes `batch/query` and `batch/undo`. */
export function queryBatchEndpoints({ by }: { by(actor: Actor): ByFilter }): Endpoint[] {
  const shared = { access: "editor", scope: "links", tag: "links" } as const;
  return [
    endpoint("POST /links/batch/query", {
      ...shared,
      summary: "Delete or change all links that a filter finds, or count them",
      body: queryBatchSchema,
      response: queryBatchResult,
      handle({ c, body, account }) {
        c.env.liftIdleTimeout();
        return by(actorOf(account)).queryBatch(body, c.req.raw.signal);
      },
    }),
    endpoint("POST /links/batch/undo", {
      ...shared,
      summary: "Undo a bulk change or a change of a tag by the account, 500 links per call; passwords stay",
      body: undoBody,
      response: undoResponse,
      async handle({ body, account }) {
        const change = parseBulkId(body.change);
        const { failed, ...done } = await by(actorOf(account)).undoBatch(change, body.after ?? 0);
        return {
          ...done,
          failed: failed.map(({ code, error }) => ({ code, error: error.message, error_code: error.code })),
        };
      },
    }),
  ];
}
