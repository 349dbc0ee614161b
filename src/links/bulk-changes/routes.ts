import { z } from "zod";
import {
  actorOf,
  CursorPage,
  type Endpoint,
  endpoint,
  type HttpContext,
} from "../../platform/http/endpoint.ts";
import { cursorQuery, limitOf, placeOf, timePlace } from "../../lib/cursor.ts";
import { namedObject } from "../../lib/named-object.ts";
import { formatRfc3339 } from "../../lib/rfc3339.ts";
import { type BulkId, bulkText, parseBulkId } from "../bulk-id.ts";
import type { BulkChanges, ShownBulkChange } from "./bulk-changes.ts";

const state = z.record(z.string(), z.unknown()).nullable();

const bulkChange = namedObject("BulkChange", {
  change: z.string().describe("names it, as the response to the change did"),
  at: z.iso.datetime(),
  actor: z.string().describe("an account's name, token:{name} or cli"),
  via: z.string().describe("panel, api, token, cli, import or system"),
  action: z.string().describe("link.update, link.delete, tag.rename or tag.delete"),
  subject: z.string().describe("the code of its first link, or the tag"),
  before: state.describe("its first link, or the tag; secrets are masked"),
  after: state,
  links: z.int().describe("links that it changed or deleted"),
  state: z.enum(["done", "undoing", "undone"]),
  undoable: z.boolean(),
  restored: z.int().describe("links that an undo changed back"),
  failed: z.int().describe("links that the last undo left as they are"),
  refusal: z.string().nullable().describe("why it left the first of them"),
  undone_at: z.iso.datetime().nullable().describe("when its undo was started, or last went on"),
  undone_by: z.string().nullable(),
});

const parsed = (json: string | null) =>
  json === null ? null : (JSON.parse(json) as Record<string, unknown>);

export const viewOfBulkChange = (change: ShownBulkChange): z.output<typeof bulkChange> => ({
  change: bulkText(change),
  at: formatRfc3339(change.at),
  actor: change.actor,
  via: change.via,
  action: change.action,
  subject: change.subject,
  before: parsed(change.before),
  after: parsed(change.after),
  links: change.links,
  state: change.state,
  undoable: change.isUndoable,
  restored: change.restored,
  failed: change.failed,
  refusal: change.refusal,
  undone_at: change.undoneAt === null ? null : formatRfc3339(change.undoneAt),
  undone_by: change.undoneBy,
});

const idIn = (c: HttpContext): BulkId => parseBulkId(c.req.param("change") ?? "");

/** Relative to {admin}/v1. */
export function bulkChangeEndpoints({ bulkChanges }: { bulkChanges: BulkChanges }): Endpoint[] {
  const shared = { access: "editor", scope: "links", tag: "links" } as const;
  const ofChange = { ...shared, response: bulkChange, failures: [404] } as const;
  return [
    endpoint("GET /bulk-changes", {
      ...shared,
      summary: "List bulk changes, newest first: those of the account, of all for administrators",
      query: z.object(cursorQuery),
      response: z.array(bulkChange),
      paged: "cursor",
      async handle({ query, account }) {
        const place = placeOf(timePlace, query.cursor);
        const after = place && { at: place.at, bulk: place.id };
        const { found, next } = await bulkChanges.page(actorOf(account), after, limitOf(query.limit));
        return new CursorPage(found.map(viewOfBulkChange), next && bulkText(next));
      },
    }),
    endpoint("GET /bulk-changes/:change", {
      ...ofChange,
      summary: "Read a bulk change, and how far its undo is",
      handle: async ({ c, account }) => viewOfBulkChange(await bulkChanges.find(actorOf(account), idIn(c))),
    }),
    endpoint("POST /bulk-changes/:change/undo", {
      ...ofChange,
      failures: [404, 409],
      summary: "Undo a bulk change on the server, which goes on until all links are handled; passwords stay",
      handle: async ({ c, account }) => viewOfBulkChange(await bulkChanges.undo(actorOf(account), idIn(c))),
    }),
  ];
}
