/** The report on codes that lead nowhere. Relative to {admin}/v1. */
import { z } from "zod";
import { type Endpoint, beside, endpoint } from "../../platform/http/endpoint.ts";
import { namedObject } from "../../lib/named-object.ts";
import { visitorsOf } from "../../lib/visitors.ts";
import { createRangeReader, limited } from "../analytics/schemas.routes.ts";
import type { Analytics } from "../analytics/service.ts";
import type { MissingReport } from "./report.ts";

const missingView = namedObject("MissingCode", {
  code: z.string(),
  domain: z.string().nullable().describe("host; null: the default domain"),
  human: z.int().describe("requests of people"),
  automated: z.int(),
  seen_at: z.iso.datetime().describe("the last request"),
});

const FURTHER = {
  further: z
    .object({ human: z.int(), automated: z.int() })
    .describe("requests of codes beyond the first 1,000 of a day"),
};

type Deps = { missing: MissingReport; analytics: Pick<Analytics, "range"> };

export const missingEndpoint = ({ missing, analytics }: Deps): Endpoint =>
  endpoint("GET /analytics/missing", {
    access: "admin",
    scope: "analytics:read",
    tag: "analytics",
    summary: "Codes that were requested but have no link, most requests first; by whole days",
    query: limited(100, 1_000),
    response: z.array(missingView),
    beside: FURTHER,
    async handle({ query }) {
      const { codes, further } = await missing(
        await createRangeReader({ analytics })(query),
        visitorsOf(query),
        query.limit,
      );
      return beside(codes, { further });
    },
  });
