import { z } from "zod";
import {
  actorOf,
  type Caller,
  CursorPage,
  type Endpoint,
  endpoint,
  page,
  requireScope,
  withStatus,
} from "../platform/http/endpoint.ts";
import { bothCounts, countOf, viewOfBoth, visitorsOf, visitorsQuery } from "../lib/visitors.ts";
import { CODE_FORM, isCodeText, linkNotFound } from "./link/code.ts";
import { bulkChangeEndpoints } from "./bulk-changes/routes.ts";
import { deletedEndpoints } from "./deleted/routes.ts";
import {
  availabilitySchema,
  createSchema,
  domainQuery,
  linkViewSchema,
  namedSchema,
  type PatchInput,
  patchSchema,
  type ShownLink,
  updateItemSchema,
  updateSchema,
  usesSchema,
} from "./link/link.ts";
import { asksForTotal, isCounted, linkCursor, linkQueryOf, listQuery, placedQueryOf } from "./list/query.ts";
import { isWholeCode, keyOfPath, lockedLink, EXISTING_LINK, respondToWrite, viewIn } from "./link/routes.ts";
import type { LinkService } from "./links.service.ts";
import { presetEndpoints } from "./presets/routes.ts";
import { qrEndpoint } from "./qr/routes.ts";
import { queryBatchEndpoints } from "./query-batch/routes.ts";
import { safetyEndpoints } from "./safety/routes.ts";
import { tagEndpoints } from "./tags/routes.ts";
import { namedObject } from "../lib/named-object.ts";
import type { Actor } from "../lib/actor.ts";
import { strictly } from "../lib/strict-handling.ts";
import { MOST_ITEMS } from "./write/batch.ts";

const USES = usesSchema.keyof().options;
const stats = namedObject("Totals", {
  total_links: z.int(),
  total_clicks: z.int(),
  imported_clicks: z
    .int()
    .describe("imported from other products and not reverted, including those of deleted links"),
  active_links: z.int(),
  ...bothCounts,
});

const revertBody = namedObject("LinkHistoryRestore", {
  state: z.enum(["before", "after"]).nullish().describe("the state before the event, or after it (default)"),
});

type Deps = { links: LinkService; editing?: LinkEditing; now(): number };

/** Relative to {admin}/v1. */
export function linkEndpoints({ links, editing = editingWithoutShares(links), now }: Deps): Endpoint[] {
  return [
    ...batchEndpoints(links),
    ...queryBatchEndpoints(links),
    ...bulkChangeEndpoints(links),
    ...presetEndpoints(links),
    ...tagEndpoints(links),
    ...deletedEndpoints(links),
    ...collectionEndpoints(links, now),
    ...safetyEndpoints(links),
    qrEndpoint(links),
    ...itemEndpoints(links, editing),
  ];
}

const shared = { access: "editor", scope: "links", tag: "links" } as const;

const collectionEndpoints = (links: LinkService, now: () => number): Endpoint[] => [
  endpoint("GET /stats", {
    ...shared,
    access: "admin",
    summary: "Totals of links and clicks",
    query: z.object(visitorsQuery),
    response: stats,
    async handle({ query }) {
      const { totalLinks, totalClicks, automatedClicks, importedClicks, activeLinks } = await links.stats();
      const sum = { clicks: totalClicks, automated: automatedClicks };
      return {
        total_links: totalLinks,
        total_clicks: countOf(sum, visitorsOf(query)),
        imported_clicks: importedClicks,
        active_links: activeLinks,
        ...viewOfBoth(sum),
      };
    },
  }),
  endpoint("GET /links", {
    ...shared,
    summary: "List links, newest first",
    query: listQuery,
    response: z.array(linkViewSchema),
    paged: "either",
    beside: { total: z.int().optional() },
    async handle({ c, query, account }) {
      const view = (link: ShownLink) => viewIn(links, c, link);
      const own = links.by(actorOf(account));
      const resolved = await links.owners.resolved(query);
      const placed = placedQueryOf(resolved, now(), links.domains.filterOf);
      const at = linkQueryOf(resolved, now(), links.domains.filterOf);
      if (placed !== null || !isCounted(query)) {
        const [{ links: found, next }, total] = await Promise.all([
          placed === null ? own.rows(at) : own.after(placed),
          asksForTotal(query) ? own.count(at.filter) : undefined,
        ]);
        return new CursorPage(found.map(view), next && linkCursor(at.order, next), { total });
      }
      const found = await own.list(at);
      return page(found.links.map(view), { ...at, total: found.total });
    },
  }),
  endpoint("POST /links", {
    ...shared,
    summary: "Create a link",
    tagged: true,
    body: createSchema,
    failures: [409],
    status: 201,
    found: "With `reuse`: a link that exists",
    response: linkViewSchema,
    beside: EXISTING_LINK,
    /** The link that has the code, which `force` overwrites. */
    async locked({ c, body, account }, tx) {
      if (!body.code) return undefined;
      const key = links.domains.key(body.code, body.domain);
      await links.lock(tx, [key]);
      const link = await links.by(actorOf(account)).find(key, tx);
      return link === null ? undefined : viewIn(links, c, link);
    },
    async handle({ c, body, account }) {
      const actor = actorOf(account);
      const link = await links.by(actor).create(body);
      const response = await respondToWrite(links, c, actor, link);
      return link.isReused ? withStatus(200, response) : response;
    },
  }),
  endpoint("GET /links/available", {
    ...shared,
    summary: "Whether a new link may have a code",
    query: domainQuery.extend({
      code: z.string().optional().describe("absent: reads the link `available`"),
    }),
    failures: [404],
    response: availabilitySchema,
    async handle({ c, query, account }) {
      const own = links.by(actorOf(account));
      if (query.code !== undefined) return own.available(query.code, query.domain);
      return viewIn(links, c, await own.get(links.domains.key("available", query.domain)));
    },
  }),
];

function itemEndpoints(links: LinkService, editing: LinkEditing): Endpoint[] {
  const ofCode = {
    ...shared,
    params: { code: z.string().meta(CODE_FORM) },
    query: domainQuery,
    response: linkViewSchema,
  } as const;
  const changed = lockedLink(links);
  return [
    endpoint("GET /links/:code{.+}", {
      ...ofCode,
      tagged: true,
      summary: "Read a link",
      handle: async ({ c, query, account }) =>
        viewIn(links, c, await links.by(actorOf(account)).get(keyOfPath(links, c, query))),
    }),
    endpoint(`POST /links/:code{.+}/history/:id/restore`, {
      tagged: true,
      ...ofCode,
      ...changed,
      params: { ...ofCode.params, id: z.int().min(1) },
      summary:
        "Go back to a state in the history of a link or share; code and password stay, and the owner unless the event changed it",
      body: revertBody,
      optionalBody: true,
      failures: [404, 409],
      async handle({ c, query, body, account }) {
        const key = keyOfPath(links, c, query);
        const id = Number(c.req.param("id"));
        if (!Number.isSafeInteger(id)) throw linkNotFound(c.req.param("code"));
        const [actor, state] = [actorOf(account), body.state ?? "after"];
        const by = {
          actor,
          mayShare: () => requireScope(account, "files:write"),
          mayReport: () => requireScope(account, "analytics:read"),
        };
        return viewIn(links, c, await editing.revertLink(account.id, key, { eventId: id, state }, by));
      },
    }),
    endpoint("PUT /links/:code{.+}", {
      ...ofCode,
      ...changed,
      tagged: true,
      summary: "Change a link",
      body: updateSchema,
      failures: [409],
      beside: EXISTING_LINK,
      async handle({ c, query, body, account }) {
        const actor = actorOf(account);
        return respondToWrite(
          links,
          c,
          actor,
          await links.by(actor).update(keyOfPath(links, c, query), body),
        );
      },
    }),
    endpoint("PATCH /links/:code{.+}", {
      ...ofCode,
      ...changed,
      tagged: true,
      summary: "Change the given fields of a link, including its code and what it serves",
      body: patchSchema,
      failures: [409],
      beside: EXISTING_LINK,
      async handle({ c, query, body, account }) {
        const [key, actor] = [keyOfPath(links, c, query), actorOf(account)];
        if (USES.some((use) => body[use] !== undefined)) requireScope(account, "files:write");
        if (body.report !== undefined) requireScope(account, "analytics:read");
        return respondToWrite(links, c, actor, await editing.patchLink(account.id, key, body, actor));
      },
    }),
    endpoint("DELETE /links/:code{.+}", {
      ...ofCode,
      ...changed,
      summary: "Delete a link",
      done: "The link was deleted.",
      handle: ({ c, query, account }) => links.by(actorOf(account)).remove(keyOfPath(links, c, query)),
    }),
  ];
}

/** Links of an installation without files. */
const editingWithoutShares = ({ by }: LinkService): LinkEditing => ({
  patchLink: (_, key, input, actor) => by(actor).patch(key, input),
  revertLink: (_, key, { eventId, state }, { actor }) => by(actor).revert(key, eventId, state),
});

/** What another room needs for the history of a link. */
export const historyLinks = (links: LinkService) => ({
  async idOf(caller: Caller, code: string, domain: string | undefined): Promise<number> {
    if (!isCodeText(code)) throw linkNotFound(code);
    return (await links.by(actorOf(caller)).get(links.domains.key(code, domain))).id;
  },
  isWholeCode: (asking: Parameters<typeof isWholeCode>[1], below: string) =>
    isWholeCode(links, asking, below),
});

/** How the API changes one link, whatever its code serves before and after. */
export type LinkEditing = {
  patchLink(accountId: number, key: string, input: PatchInput, actor: Actor): Promise<ShownLink>;
  /** @param by `mayShare` throws for callers that may make no shares, `mayReport` for those that may make no reports */
  revertLink(
    accountId: number,
    key: string,
    which: { eventId: number; state: "before" | "after" },
    by: { actor: Actor; mayShare(): void; mayReport(): void },
  ): Promise<ShownLink>;
};

/** Documented as the schema, accepted as anything: a batch checks its items itself. */
const validatedLater = (schema: z.ZodType) => {
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

function batchEndpoints({ by }: LinkService): Endpoint[] {
  const ofMany = { access: "editor", scope: "links", tag: "links", response: batchResult } as const;
  return [
    endpoint("POST /links/batch", {
      ...ofMany,
      summary: "Create up to 5000 links",
      body: z.object({ links: validatedLater(createSchema) }),
      list: { field: "links", most: MOST_ITEMS },
      handle({ c, body, account }) {
        // Hashing passwords takes minutes for 5,000.
        c.env.liftIdleTimeout();
        return by(actorOf(account)).batch.create(body.links);
      },
    }),
    endpoint("PUT /links/batch", {
      ...ofMany,
      summary: "Change up to 5000 links",
      body: z.object({ updates: validatedLater(updateItemSchema) }),
      list: { field: "updates", most: MOST_ITEMS },
      handle({ c, body, account }) {
        c.env.liftIdleTimeout();
        return by(actorOf(account)).batch.update(body.updates);
      },
    }),
    endpoint("DELETE /links/batch", {
      ...ofMany,
      summary: "Delete up to 5000 links",
      body: z.object({ codes: validatedLater(z.union([z.string(), namedSchema])) }),
      list: { field: "codes", most: MOST_ITEMS },
      handle: ({ body, account }) => by(actorOf(account)).batch.remove(body.codes),
    }),
  ];
}
