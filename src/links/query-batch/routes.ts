import { actorOf, type Endpoint, endpoint } from "../../http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import {
  type QueryBatchInput,
  type QueryBatchResult,
  queryBatchResult,
  queryBatchSchema,
} from "./query-batch.ts";

type Run = (input: QueryBatchInput, signal?: AbortSignal) => Promise<QueryBatchResult>;

/** Relative to {admin}/v1. Only POST: other methods reach a link with the code `batch/query`. */
export const queryBatchEndpoint = (runAs: (actor: Actor) => Run): Endpoint =>
  endpoint({
    method: "POST",
    path: "/links/batch/query",
    access: "editor",
    scope: "links",
    tag: "links",
    summary: "Delete or change all links that a filter finds, or count them",
    body: queryBatchSchema,
    answer: queryBatchResult,
    handle({ c, body, account }) {
      c.env.liftIdleTimeout();
      return runAs(actorOf(account))(body, c.req.raw.signal);
    },
  });
