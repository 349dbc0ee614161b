import type { Db, Dialect } from "../../platform/db/dialect.ts";
import type { Actor } from "../../lib/actor.ts";
import type { DeletedContent } from "../link/deleted-content.ts";
import { isInternal } from "../link/internal-target.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import { addToTotal, LINK_COLUMNS, totalsOf } from "../link/query.repository.ts";
import { createTagging } from "../tags/tagging.repository.ts";

export type Deletion = {
  dialect: Dialect;
  record: RecordLinkEvents;
  actor: Pick<Actor, "name" | "via">;
  now: number;
  /** See lib/event.ts. */
  bulk?: number | undefined;
};

/**
 * At most 1,000 links, with their counts and shares. `deleted_links` keeps them for analytics and, but for those that
 * serve shares, to be put back. Unknown keys are skipped. Returns the codes that led to them, aliases too.
 */
export async function deleteLinks<K extends "id" | "code">(
  tx: Db,
  key: K,
  values: readonly { id: number; code: string }[K][],
  { dialect, record, actor, now, bulk }: Deletion,
): Promise<string[]> {
  if (values.length === 0) return [];
  const links = await tx
    .selectFrom("links")
    .select(LINK_COLUMNS)
    .where(key, "in", values as never)
    .orderBy("code")
    .$call(dialect.forUpdate)
    .execute();
  if (links.length === 0) return [];
  const ids = links.map(({ id }) => id);
  const counts = await lockCounts(tx, ids, dialect);
  const more = await attachedTo(tx, ids, dialect);
  await dialect.insertMany(
    tx,
    "deleted_links",
    links.map(({ id, code, ...stored }) => ({
      link_id: id,
      code,
      deleted_at: now,
      deleted_by: actor.name,
      owner_id: stored.ownerId,
      content: isInternal(stored.target) ? null : contentOf(stored, more, id),
      clicks: counts.get(id)?.clicks ?? 0,
      automated: counts.get(id)?.automated ?? 0,
    })),
  );
  const doing = { actor, now, verb: "delete", bulk } as const;
  await record(
    tx,
    links.map((link) =>
      linkEvent(doing, { id: link.id, before: { ...link, tags: more.tags.get(link.id) ?? [] }, after: null }),
    ),
  );
  await createTagging(dialect).uncount(tx, ids);
  await tx.deleteFrom("links").where("id", "in", ids).execute();
  const gone = [...counts.values()].map(({ clicks, automated }) => ({
    clickCount: clicks,
    automatedClicks: automated,
  }));
  await addToTotal(tx, { ...totalsOf(gone, -1), links: -links.length });
  return links.flatMap(({ id, code }) => [code, ...(more.aliases.get(id) ?? []).map((alias) => alias.code)]);
}

/** Locked: a flush that waits for them finds the deleted link (clicks/flush/repository.ts). */
async function lockCounts(tx: Db, ids: readonly number[], { forUpdate }: Pick<Dialect, "forUpdate">) {
  const rows = await tx
    .selectFrom("link_clicks")
    .select(["link_id", "clicks", "automated"])
    .where("link_id", "in", ids)
    .orderBy("link_id")
    .$call(forUpdate)
    .execute();
  return new Map(rows.map((row) => [row.link_id, row]));
}

type Attached = Awaited<ReturnType<typeof attachedTo>>;

async function attachedTo(tx: Db, ids: readonly number[], dialect: Dialect) {
  const aliases = await tx
    .selectFrom("link_aliases")
    .select(["link_id", "code"])
    .where("link_id", "in", ids)
    .execute();
  const uses = await tx
    .selectFrom("link_uses")
    .select(["link_id", "uses"])
    .where("link_id", "in", ids)
    .orderBy("link_id")
    .$call(dialect.forUpdate)
    .execute();
  const linkOf = ({ link_id }: { link_id: number }) => link_id;
  return {
    aliases: Map.groupBy(aliases, linkOf),
    tags: await createTagging(dialect).tagsOf(tx, ids),
    uses: Map.groupBy(uses, linkOf),
  };
}

function contentOf(
  stored: Omit<DeletedContent, "tags">,
  { aliases, tags, uses }: Attached,
  id: number,
): string {
  const content: DeletedContent = {
    ...stored,
    ...(aliases.has(id) && { aliases: aliases.get(id)!.map(({ code }) => code) }),
    tags: tags.get(id) ?? [],
    ...(uses.has(id) && { uses: uses.get(id)![0]!.uses }),
  };
  return JSON.stringify(content);
}
