/** Many links by one request. */
import { z } from "zod";
import { actorOf, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import { namedObject } from "../../lib/named-object.ts";
import { strictly } from "../../lib/strict-handling.ts";
import { createSchema, namedSchema, updateItemSchema } from "../link/link.ts";
import { type LinkBatch, MOST_ITEMS } from "./batch.ts";

/** Documented as the schema, accepted as anything: a batch checks its items itself. */
const judgedLater = (schema: z.ZodType) => {
  const { $schema: _, $defs = {}, ...json } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  const item = JSON.parse(JSON.stringify(json), (_name, part) =>
    part?.$ref === undefined ? part : $defs[part.$ref.slice("#/$defs/".length)],
  ) as Record<string, unknown>;
  const items = z.unknown().meta(item);
  strictly.set(items, { later: schema });
  return z.array(items).meta({ maxItems: MOST_ITEMS });
};

const batchResult = namedObject("BatchResult", {
  success: z.array(z.string()),
  failed: z.array(z.object({ code: z.string(), error: z.string(), error_code: z.int() })),
});
export function batchEndpoints(batchOf: (actor: Actor) => LinkBatch): Endpoint[] {
  const ofMany = { access: "editor", scope: "links", tag: "links", response: batchResult } as const;
  return [
    endpoint("POST /links/batch", {
      ...ofMany,
      summary: "Create up to 5000 links",
      body: z.object({ links: judgedLater(createSchema) }),
      list: { field: "links", most: MOST_ITEMS },
      handle({ c, body, account }) {
        // Hashing passwords takes minutes for 5,000.
        c.env.liftIdleTimeout();
        return batchOf(actorOf(account)).create(body.links);
      },
    }),
    endpoint("PUT /links/batch", {
      ...ofMany,
      summary: "Change up to 5000 links",
      body: z.object({ updates: judgedLater(updateItemSchema) }),
      list: { field: "updates", most: MOST_ITEMS },
      handle({ c, body, account }) {
        c.env.liftIdleTimeout();
        return batchOf(actorOf(account)).update(body.updates);
      },
    }),
    endpoint("DELETE /links/batch", {
      ...ofMany,
      summary: "Delete up to 5000 links",
      body: z.object({ codes: judgedLater(z.union([z.string(), namedSchema])) }),
      list: { field: "codes", most: MOST_ITEMS },
      handle: ({ body, account }) => batchOf(actorOf(account)).remove(body.codes),
    }),
  ];
}
