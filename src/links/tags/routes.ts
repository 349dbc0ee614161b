import { z } from "zod";
import { actorOf, type Endpoint, endpoint, type HttpContext } from "../../platform/http/endpoint.ts";
import type { Actor } from "../../lib/actor.ts";
import { tagText } from "./tag.ts";
import type { TagService } from "./service.ts";
import { namedObject } from "../../lib/named-object.ts";

const tagCount = namedObject("TagCount", { tag: z.string(), links: z.int() });
const tagChanged = tagCount.extend({
  change: z.string().optional().describe("for POST /links/batch/undo; absent if nothing changed"),
});
tagChanged.register(z.globalRegistry, { id: "TagChangeResult" });
const params = { tag: tagText };
const tagIn = (c: HttpContext): string => c.req.param("tag") ?? "";

/** Relative to {admin}/v1. */
export function tagEndpoints({ by }: { by(actor: Actor): { tags: TagService } }): Endpoint[] {
  const shared = { access: "editor", scope: "links", tag: "links" } as const;
  return [
    endpoint("GET /tags", {
      ...shared,
      summary: "List the 10,000 tags that most links have, with the number of links",
      response: z.array(tagCount),
      handle: ({ account }) => by(actorOf(account)).tags.list(),
    }),
    endpoint("PATCH /tags/:tag{.+}", {
      ...shared,
      params,
      summary: "Rename a tag; onto another tag it merges them",
      body: z.object({ tag: tagText }),
      response: tagChanged,
      handle({ c, body, account }) {
        c.env.liftIdleTimeout();
        return by(actorOf(account)).tags.rename(tagIn(c), body.tag);
      },
    }),
    endpoint("DELETE /tags/:tag{.+}", {
      ...shared,
      params,
      summary: "Remove a tag from all links",
      response: tagChanged,
      handle({ c, account }) {
        c.env.liftIdleTimeout();
        return by(actorOf(account)).tags.remove(tagIn(c));
      },
    }),
  ];
}
