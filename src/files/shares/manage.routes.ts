/** Shares and drop boxes of an account. */
import { z } from "zod";
import {
  actorOf,
  type Caller,
  CursorPage,
  type Endpoint,
  endpoint,
  type HttpContext,
  page,
  requireScope,
} from "../../platform/http/endpoint.ts";
import { reachesRole } from "../../lib/access.ts";
import { appError } from "../../lib/errors.ts";
import { namedObject } from "../../lib/named-object.ts";
import { pageOf } from "../../lib/page-query.ts";
import { CODE_FORM } from "../../links/link/code.ts";
import type { ShareChanges } from "../serving/changes.ts";
import { idsOfItems } from "../serving/plan.ts";
import { type SharePolicy, sharePolicyView } from "../serving/policy.ts";
import { treeEndpoint } from "../tree/entry-id.ts";
import type { Asking, Trees } from "../tree/trees.ts";
import { refuseOwnCode, shareIn } from "./routes.ts";
import type { Shares } from "./service.ts";
import type { ShareRecord } from "../serving/served.ts";
import {
  itemsShareSchema,
  shareChangeSchema,
  shareListQuery,
  shareView,
  viewOfShare,
} from "../serving/schemas.ts";

const common = treeEndpoint("shares");
const params = { code: z.string().meta(CODE_FORM) };

type Deps = { shares: Shares; trees: Trees; changes: ShareChanges; policy: Pick<SharePolicy, "of"> };

export function manageEndpoints({ shares, trees, changes, policy }: Deps): Endpoint[] {
  const placed = (asking: Asking & { c: HttpContext }) => shareIn(trees, asking);
  const changed = {
    locked: async (asking: Asking & { c: HttpContext }, tx: never) =>
      viewOfShare(await changes.locked(...(await placed(asking)), tx), asking.c.env.origin()),
  };
  return [
    endpoint("GET /files/share-policy", {
      ...common,
      summary: "The limits of your shares and drop boxes, which the settings files.share_policy set",
      response: sharePolicyView,
      handle: async ({ account }) => policy.of(account.role),
    }),
    endpoint("GET /shares", {
      ...common,
      summary: "List your shares and drop boxes or those of a team; administrators also list those of all",
      query: shareListQuery,
      failures: [403],
      response: z.array(shareView),
      paged: "either",
      async handle({ c, query, account }) {
        const ofAll = query.all === "true";
        if (ofAll && account.role !== "admin") {
          throw appError("Forbidden", "Only administrators list the shares of all accounts.");
        }
        const accountId = ofAll ? null : await trees.named({ c, account }, query);
        const { search, kind, state } = query;
        const filter = { accountId, search, kind, state };
        const origin = c.env.origin();
        const view = (share: ShareRecord) => ({
          ...viewOfShare(share, origin),
          ...(ofAll && share.owner !== null && { owner: share.owner }),
        });
        const at = pageOf(query);
        if (query.cursor === undefined) {
          const order = { by: query.sort || "created_at", isDescending: query.order !== "asc" } as const;
          const { shares: found, total } = await shares.page(filter, at, order);
          return page(found.map(view), { ...at, total });
        }
        if (query.sort || query.order) {
          throw appError("BadRequest", "With cursor the order is newest first; leave out sort and order.");
        }
        if (query.page) throw appError("BadRequest", "cursor and page exclude each other; give one of them.");
        const { shares: found, next } = await shares.after(filter, query.cursor, at.pageSize);
        return new CursorPage(found.map(view), next);
      },
    }),
    endpoint("GET /shares/:code{.+}", {
      ...common,
      params,
      tagged: true,
      summary: "Read a share or drop box",
      failures: [404],
      response: shareView,
      handle: async ({ c, account }) =>
        viewOfShare(await shares.get(...(await placed({ c, account }))), c.env.origin()),
    }),
    endpoint("PATCH /shares/:code{.+}", {
      ...common,
      ...changed,
      tagged: true,
      params,
      summary: "Change the given fields of a share or drop box, including what its code serves",
      body: shareChangeSchema,
      failures: [403, 404, 409],
      response: shareView,
      async handle({ c, body, account }) {
        if (body.target !== undefined) requireLinks(account);
        const share = await changes.patch(...(await placed({ c, account })), body, actorOf(account));
        return viewOfShare(share, c.env.origin());
      },
    }),
    endpoint("DELETE /shares/:code{.+}", {
      ...common,
      ...changed,
      params,
      summary: "End a share or drop box and free its code",
      failures: [404],
      done: "Share revoked",
      handle: async ({ c, account }) => shares.end(...(await placed({ c, account })), actorOf(account)),
    }),
  ];
}

/** A code that redirects is a link. */
function requireLinks(caller: Caller): void {
  if (!reachesRole(caller.role, "editor")) {
    throw appError("Forbidden", "Only editors and administrators make links to URLs.");
  }
  requireScope(caller, "links:write");
}

const itemView = namedObject("SharedItem", {
  id: z.int(),
  kind: z.enum(["file", "folder"]),
  name: z.string(),
});

/** Mount them before those of a share, whose codes have slashes. */
export const itemEndpoints = ({ shares, trees }: Pick<Deps, "shares" | "trees">): Endpoint[] => [
  endpoint("POST /shares", {
    ...common,
    tagged: true,
    summary: "Share several files and folders by one short link",
    body: itemsShareSchema,
    failures: [403, 404, 409],
    status: 201,
    response: shareView,
    async handle({ c, body, account }) {
      refuseOwnCode(account, body.code);
      const { items, ...given } = body;
      const ids = idsOfItems(items);
      const tree = await trees.with({ c, account }, { entry: ids[0]! });
      const made = await shares.createOfItems(tree, ids, given, actorOf(account));
      return viewOfShare(made, c.env.origin());
    },
  }),
  endpoint("GET /shares/:code{.+}/items", {
    ...common,
    params,
    summary: "The files and folders that are one share; without those in the trash",
    failures: [404],
    response: z.array(itemView),
    async handle({ c, account }) {
      const found = await shares.itemsByCode(...(await shareIn(trees, { c, account })));
      return found.map(({ id, kind, name }) => ({ id, kind, name }));
    },
  }),
];
