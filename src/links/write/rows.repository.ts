import { chunked, foundInChunks } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import { isHttpUrl } from "../../lib/target-url.ts";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { oncePer, prepared, preparedWrite } from "../../platform/db/prepared.ts";
import { DatabaseError } from "../../platform/db/failures.ts";
import { columnsOf, FIELD_COLUMNS, readOptions } from "../link/field-values.ts";
import type { DeletedContent, Link, LinkContent } from "../link/link.ts";
import { addToTotal, LINK_COLUMNS, totalsOf } from "../link/query.repository.ts";
import { createTagging, recount } from "../tags/tagging.repository.ts";
import type { Actor } from "../../lib/actor.ts";
import { isInternal } from "../link/internal-target.ts";
import { linkEvent, type RecordLinkEvents } from "../link/events.ts";
import { targetHash } from "../link/target-hash.ts";

export type NewLink = Omit<Link, "id" | "ownerName">;

type LinkOverwrite = LinkContent & Pick<Link, "code" | "updatedAt"> & { ownerId?: number | null };

type Owned = Pick<Link, "id" | "ownerId" | "tags">;
type LockedLink = Owned & LinkOverwrite;

const CHUNK = 1000;
/** So many links are worth a statement of their own, without the columns whose indexes stay as they are. */
const MANY = 100;
export const CONTENT_COLUMNS = [
  "target",
  "expires_at",
  "password_hash",
  ...FIELD_COLUMNS,
  "options",
  "held",
  "dead_since",
  "target_hash",
  "updated_at",
] as const;

const aliasesAmong = prepared((db, codes: readonly string[]) =>
  db.selectFrom("link_aliases").select(["code", "link_id"]).where("code", "in", codes),
);
const aliasesOfLinks = prepared((db, ids: readonly number[]) =>
  db.selectFrom("link_aliases").select(["code", "link_id"]).where("link_id", "in", ids),
);

/** Arrays may have any length. Codes within one call are distinct. */
export function createLinkRows({ read, dialect }: Pick<Database, "read" | "dialect">) {
  const tagging = createTagging(dialect);
  const aliases = createAliasRepository({ read });

  async function idsOf(db: Db, codes: readonly string[]): Promise<Map<string, number>> {
    if (codes.length === 0) return new Map();
    const rows = codes.map((code) => ({ code }));
    const requested = dialect.valuesTable("links", ["code"], rows);
    const found = await db
      .selectFrom(requested)
      .innerJoin("links", "links.code", "v.code")
      .select(["links.id", "links.code"])
      .execute();
    return new Map(found.map(({ id, code }) => [code, id]));
  }

  async function insertRows(tx: Db, links: readonly NewLink[]): Promise<Map<string, number>> {
    const [only, ...others] = links;
    if (only !== undefined && others.length === 0)
      return new Map([[only.code, await dialect.insertReturningId(tx, "links", rowOf(only))]]);
    await dialect.insertMany(tx, "links", links.map(rowOf));
    return idsOf(
      tx,
      links.map(({ code }) => code),
    );
  }

  /** To another owner, with the counts of their tags. Of at most 1,000 locked links. */
  async function give(tx: Db, ownerId: number | null, links: readonly Owned[]): Promise<void> {
    const ids = links.map(({ id }) => id);
    await tx.updateTable("links").set({ owner_id: ownerId }).where("id", "in", ids).execute();
    await recount(tagging, tx, links, ownerId);
  }

  return {
    idsOf,
    give,

    /** Returns the ids by code. @throws Conflict for a code that a link or an alias has; then roll back */
    async insertMany(tx: Db, links: readonly NewLink[]): Promise<Map<string, number>> {
      const added = new Map<string, number>();
      const sorted = [...links].sort((a, b) => (a.code < b.code ? -1 : 1));
      for (const chunk of chunked(sorted, CHUNK)) {
        const codes = chunk.map(({ code }) => code);
        const ids = await insertRows(tx, chunk);
        const rows = chunk.flatMap((link) => {
          const id = ids.get(link.code);
          if (id === undefined) return [];
          added.set(link.code, id);
          return clickRowOf({ ...link, id });
        });
        await dialect.insertMany(tx, "link_clicks", rows);
        // A rename holds the old code in the unique index until its alias is committed, so here it is visible.
        if ((await aliases.among(codes, tx)).size > 0) throw new DatabaseError("unique", null);
        const tagged = chunk.flatMap(({ code, ownerId, tags }) => {
          const id = ids.get(code);
          return id === undefined || tags.length === 0 ? [] : { id, ownerId, before: [], after: tags };
        });
        await tagging.retag(tx, tagged);
      }
      await addToTotal(tx, totalsOf(links));
      return added;
    },

    /** Those without a title get that of their target's page later (links/titles/). `ids`: by key. */
    async awaitTitles(tx: Db, links: readonly NewLink[], ids: ReadonlyMap<string, number>): Promise<void> {
      const rows = links.flatMap(({ code, title, target }) =>
        title === null && isHttpUrl(target) ? { link_id: ids.get(code)! } : [],
      );
      if (rows.length > 0) await dialect.insertMany(tx, "title_fetches", rows);
    },

    /** Links that `lock` returned; others are skipped. */
    async overwriteMany(
      tx: Db,
      links: readonly LinkOverwrite[],
      locked: ReadonlyMap<string, LockedLink>,
    ): Promise<void> {
      const rows = links.map((link) => ({ code: link.code, ...contentOf(link) }));
      const set = rows.length < MANY ? CONTENT_COLUMNS : differingColumns(rows, locked);
      await dialect.updateMany(tx, { table: "links", key: "code", set }, rows);
      const given = links.flatMap(({ code, ownerId }) => {
        const before = locked.get(code);
        return ownerId === undefined || before === undefined || before.ownerId === ownerId
          ? []
          : { ownerId, before };
      });
      for (const [ownerId, those] of Map.groupBy(given, (one) => one.ownerId)) {
        for (const chunk of chunked(those, CHUNK))
          await give(
            tx,
            ownerId,
            chunk.map(({ before }) => before),
          );
      }
      const tagged = links.flatMap(({ code, tags, ownerId }) => {
        const before = locked.get(code);
        if (before === undefined) return [];
        return { ...before, ...(ownerId !== undefined && { ownerId }), before: before.tags, after: tags };
      });
      await tagging.retag(tx, tagged);
    },

    /** @throws Conflict for a key that another link has */
    moveMany: (tx: Db, moved: readonly (LinkContent & { id: number; to: string })[]): Promise<void> =>
      dialect.updateMany(
        tx,
        { table: "links", key: "id", set: ["code", "target_hash"] },
        moved.map((link) => ({ id: link.id, code: link.to, target_hash: targetHash(link.to, link) })),
      ),

    /** Unknown codes are skipped. */
    async removeMany(tx: Db, codes: readonly string[], deletion: Omit<Deletion, "dialect">): Promise<void> {
      for (const chunk of chunked(codes, CHUNK))
        await deleteLinks(tx, "code", chunk, { ...deletion, dialect });
    },
  };
}

export const rowOf = (link: NewLink) => ({
  code: link.code,
  created_at: link.createdAt,
  owner_id: link.ownerId,
  created_by: link.createdBy,
  ...contentOf(link),
});

/** The columns that one of the rows changes, and the time. */
function differingColumns(
  rows: readonly ({ code: string } & ReturnType<typeof contentOf>)[],
  locked: ReadonlyMap<string, LockedLink>,
) {
  const equal = new Set(CONTENT_COLUMNS);
  equal.delete("updated_at");
  for (const row of rows) {
    const link = locked.get(row.code);
    if (link === undefined) continue;
    const before = contentOf(link);
    for (const column of equal) if (row[column] !== before[column]) equal.delete(column);
  }
  return CONTENT_COLUMNS.filter((column) => !equal.has(column));
}

type Counted = Pick<Link, "id" | "clickCount" | "automatedClicks">;
export const clickRowOf = ({ id, clickCount: clicks, automatedClicks: automated }: Counted) => ({
  link_id: id,
  clicks,
  ranked: clicks,
  automated,
  ranked_human: clicks - automated,
});

export const contentOf = (link: LinkOverwrite) => ({
  target: link.target,
  expires_at: link.expiresAt,
  password_hash: link.passwordHash,
  ...columnsOf(link),
  options: link.options,
  held: readOptions(link.options).held?.state ?? null,
  dead_since: link.deadSince ?? null,
  target_hash: targetHash(link.code, link),
  updated_at: link.updatedAt,
});

/** Other codes of links, kept by renames. No link has one as its code; the link's deletion frees them. */
export function createAliasRepository({ read }: Pick<Database, "read">) {
  const rowsOf = (ids: readonly number[], db: Db) =>
    foundInChunks(ids, CHUNK, (chunk) => aliasesOfLinks(db, chunk));

  return {
    /** The codes that are aliases, with the ids of their links. */
    async among(codes: readonly string[], db: Db = read): Promise<Map<string, number>> {
      const rows = await foundInChunks(codes, CHUNK, (chunk) => aliasesAmong(db, chunk));
      return new Map(rows.map((row) => [row.code, row.link_id]));
    },

    ofLinks: async (ids: readonly number[], db: Db): Promise<string[]> =>
      (await rowsOf(ids, db)).map(({ code }) => code),

    async byLink(ids: readonly number[], db: Db = read): Promise<Map<number, string[]>> {
      const found = Map.groupBy(await rowsOf(ids, db), (row) => row.link_id);
      return new Map([...found].map(([id, rows]) => [id, rows.map(({ code }) => code)]));
    },

    async add(tx: Db, code: string, linkId: number, now: number): Promise<void> {
      await tx.insertInto("link_aliases").values({ code, link_id: linkId, created_at: now }).execute();
    },

    async remove(tx: Db, code: string): Promise<void> {
      await tx.deleteFrom("link_aliases").where("code", "=", code).execute();
    },
  };
}

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
  const links = await lockLinks(dialect)[key](tx, values);
  if (links.length === 0) return [];
  const ids = links.map(({ id }) => id);
  const counts = new Map((await lockCounts(dialect)(tx, ids)).map((row) => [row.link_id, row]));
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
      content: isInternal(stored.target) ? null : deletedContent(stored, more, id),
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
  await deleteRows(tx, ids);
  const gone = [...counts.values()].map(({ clicks, automated }) => ({
    clickCount: clicks,
    automatedClicks: automated,
  }));
  await addToTotal(tx, { ...totalsOf(gone, -1), links: -links.length });
  return links.flatMap(({ id, code }) => [code, ...(more.aliases.get(id) ?? []).map((alias) => alias.code)]);
}

const deleteRows = preparedWrite((db, ids: readonly number[]) =>
  db.deleteFrom("links").where("id", "in", ids),
);

/** Links by their ids or codes, in the order of their codes; locked until the transaction ends. */
export const lockLinks = oncePer(({ forUpdate }: Dialect) => {
  const locking = (key: "id" | "code") =>
    prepared((db, values: readonly (number | string)[]) =>
      db
        .selectFrom("links")
        .select(LINK_COLUMNS)
        .where(key, "in", values as never)
        .orderBy("code")
        .$call(forUpdate),
    );
  return { id: locking("id"), code: locking("code") };
});

/** Locked: a flush that waits for them finds the deleted link (clicks/flush/repository.ts). */
const lockCounts = oncePer(({ forUpdate }: Dialect) =>
  prepared((db, ids: readonly number[]) =>
    db
      .selectFrom("link_clicks")
      .select(["link_id", "clicks", "automated"])
      .where("link_id", "in", ids)
      .orderBy("link_id")
      .$call(forUpdate),
  ),
);

const lockUses = oncePer(({ forUpdate }: Dialect) =>
  prepared((db, ids: readonly number[]) =>
    db
      .selectFrom("link_uses")
      .select(["link_id", "uses"])
      .where("link_id", "in", ids)
      .orderBy("link_id")
      .$call(forUpdate),
  ),
);

type Attached = Awaited<ReturnType<typeof attachedTo>>;

async function attachedTo(tx: Db, ids: readonly number[], dialect: Dialect) {
  const aliases = await aliasesOfLinks(tx, ids);
  const uses = await lockUses(dialect)(tx, ids);
  const linkOf = ({ link_id }: { link_id: number }) => link_id;
  return {
    aliases: Map.groupBy(aliases, linkOf),
    tags: await createTagging(dialect).tagsOf(tx, ids),
    uses: Map.groupBy(uses, linkOf),
  };
}

function deletedContent(
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
