import { z } from "zod";
import { actorOf, CursorPage, type Endpoint, endpoint } from "../../platform/http/endpoint.ts";
import { idParameter } from "../../lib/id-parameter.ts";
import { cursorQuery, cursorText, limitOf, placeOf, timePlace } from "../../lib/cursor.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { type DeletedLink, type HostOf, linkViewSchema, newCode, viewOfLink } from "../link/link.ts";
import { type FoundLinks, viewIn } from "../link/routes.ts";
import { filterQuery, ownersIn } from "../list/filter.ts";
import type { DeletedLinks } from "./deleted.ts";
import { namedObject } from "../../lib/named-object.ts";

const MOST_SEARCHED = 1_000;
const NO_SUCH_LINK = "There is no deleted link with this id that can be put back.";

const deletedView = linkViewSchema.omit({ short_url: true }).extend({
  id: z.int(),
  deleted_at: z.iso.datetime(),
  deleted_by: z.string().nullable(),
});
deletedView.register(z.globalRegistry, { id: "DeletedLink" });

const restoreBody = namedObject("LinkRestore", {
  code: newCode.nullish().describe("another code; default: the old one"),
});

function viewOfDeleted(link: DeletedLink, hostOf: HostOf) {
  const { short_url: _, ...view } = viewOfLink({ ...link, ownerName: link.ownerName ?? null }, "", hostOf);
  return {
    ...view,
    deleted_at: formatRfc3339(link.deletedAt),
    deleted_by: link.deletedBy,
  };
}

type Deps = FoundLinks & {
  deleted: DeletedLinks;
  owners: { resolved<Q extends Parameters<typeof ownersIn>[0]>(query: Q): Promise<Q> };
};

/** Relative to {admin}/v1. */
export function deletedEndpoints(links: Deps): Endpoint[] {
  const { deleted, owners, by, domains } = links;
  const shared = { access: "editor", scope: "links", tag: "links" } as const;
  return [
    endpoint("GET /links/deleted", {
      ...shared,
      summary:
        "List deleted links that can be put back, newest first; those of shares can't. Without parameters, or with domain alone, it reads the link `deleted` if there is one",
      query: z.object({
        ...cursorQuery,
        search: z
          .string()
          .max(MOST_SEARCHED)
          .optional()
          .describe("in code, target, title and note; a page may be short although more follow"),
        owner: filterQuery.shape.owner,
        team: filterQuery.shape.team,
        domain: z.string().optional().describe("host of the link `deleted`; default: none"),
      }),
      async yields({ query: { domain, ...filters }, account }) {
        if (Object.values(filters).some((given) => given !== undefined)) return false;
        return (await by(actorOf(account)).find(domains.key("deleted", domain))) !== null;
      },
      response: z.array(deletedView),
      paged: "cursor",
      async handle({ query, account }) {
        const after = placeOf(timePlace, query.cursor);
        const limit = limitOf(query.limit);
        const { links: found, next } = await deleted.page(actorOf(account), after, limit, {
          search: query.search,
          owners: ownersIn(await owners.resolved(query)),
        });
        return new CursorPage(
          found.map((link) => viewOfDeleted(link, domains.hostOf)),
          next && cursorText(next),
        );
      },
    }),
    endpoint("POST /links/deleted/:id/restore", {
      ...shared,
      tagged: true,
      summary: "Put a deleted link back with its counts",
      body: restoreBody,
      optionalBody: true,
      failures: [404, 409],
      response: linkViewSchema,
      async handle({ c, body, account }) {
        const actor = actorOf(account);
        const id = idParameter(c, "LinkNotFound", NO_SUCH_LINK);
        const key = await deleted.restore(actor, id, body.code || null);
        return viewIn(links, c, await by(actor).get(key));
      },
    }),
  ];
}
