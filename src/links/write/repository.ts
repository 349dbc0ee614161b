import type { SelectQueryBuilder } from "kysely";
import { chunked } from "../../lib/chunked.ts";
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import type { Schema } from "../../db/schema.ts";
import { DatabaseError } from "../../db/failures.ts";
import type { Link, LinkContent } from "../link/link.ts";
import { isInternal } from "../link/internal-target.ts";
import { columnsOf, FIELD_COLUMNS } from "../link/field-values.ts";
import { createAliasRepository } from "./aliases.repository.ts";
import { deleteLinks, type Deletion } from "./deletion.repository.ts";
import { addToTotal, LINK_COLUMNS, linksIn, readTotals, totalsOf } from "../link/query.repository.ts";
import { createTagging } from "../tags/tagging.repository.ts";

export type NewLink = Omit<Link, "id">;

export type ExistingLink = Omit<Link, "clickCount" | "automatedClicks"> & {
  /** See internal-target.ts. */
  isInternal: boolean;
};

export type LinkOverwrite = LinkContent & Pick<Link, "code" | "updatedAt">;

export type LinkRepository = ReturnType<typeof createLinkRepository>;

const CHUNK = 1000;
const MINUTE_MS = 60_000;
export const CONTENT_COLUMNS = [
  "target",
  "expires_at",
  "password_hash",
  ...FIELD_COLUMNS,
  "options",
  "updated_at",
] as const;

/** Arrays may have any length; statements take 1,000 items. Codes within one call are distinct. */
export function createLinkRepository(
  { read, dialect }: Pick<Database, "read" | "dialect">,
  { mostCounted = 10_000 } = {},
) {
  const { tagsOf, retag } = createTagging(dialect);
  const aliases = createAliasRepository({ read });

  async function idsOf(db: Db, codes: readonly string[]): Promise<Map<string, number>> {
    if (codes.length === 0) return new Map();
    const asked = dialect.valuesTable(
      "links",
      ["code"],
      codes.map((code) => ({ code })),
    );
    const found = await db
      .selectFrom(asked)
      .innerJoin("links", "links.code", "v.code")
      .select(["links.id", "links.code"])
      .execute();
    return new Map(found.map(({ id, code }) => [code, id]));
  }

  async function lockBy<K extends "id" | "code">(
    tx: Db,
    key: K,
    values: readonly { id: number; code: string }[K][],
  ): Promise<ExistingLink[]> {
    const found: ExistingLink[] = [];
    // One order of locks prevents deadlocks.
    for (const chunk of chunked([...values].sort(), CHUNK)) {
      const rows = await tx
        .selectFrom("links")
        .select(LINK_COLUMNS)
        .where(key, "in", chunk as never)
        .orderBy("code")
        .$call(dialect.forUpdate)
        .execute();
      const tags = await tagsOf(
        tx,
        rows.map(({ id }) => id),
      );
      for (const row of rows) {
        found.push({ ...row, tags: tags.get(row.id) ?? [], isInternal: isInternal(row.target) });
      }
    }
    return found;
  }

  let manyExpired: { at: number; links: Promise<number> } | undefined;

  /** More than 10,000 are counted once a minute. */
  async function countExpired(now: number): Promise<number> {
    const expired = read.selectFrom("links").select("id").where("expires_at", "<=", now);
    const few = await countOf(read, expired.limit(mostCounted + 1));
    if (few <= mostCounted) return few;
    if (manyExpired === undefined || Math.abs(now - manyExpired.at) >= MINUTE_MS)
      manyExpired = { at: now, links: countOf(read, expired) };
    const { links } = manyExpired;
    return links.catch((error: unknown) => {
      if (manyExpired?.links === links) manyExpired = undefined;
      throw error;
    });
  }

  return {
    tagsOf,
    retag,
    aliases,

    async find(code: string, db: Db = read): Promise<Link | null> {
      const [link] = await linksIn(db).where("links.code", "=", code).execute();
      return link === undefined ? null : { ...link, tags: (await tagsOf(db, [link.id])).get(link.id) ?? [] };
    },

    /** What opens a link with a password; null without one. */
    async lockOf(linkId: number) {
      const link = await read
        .selectFrom("links")
        .select(["created_at as createdAt", "password_hash as passwordHash"])
        .where("id", "=", linkId)
        .executeTakeFirst();
      if (link === undefined || link.passwordHash === null) return null;
      return { linkId, createdAt: link.createdAt, passwordHash: link.passwordHash };
    },

    /** Finds aliases, too. */
    async findByAnyCode(code: string): Promise<Omit<Link, "tags"> | null> {
      const [link] = await linksIn(read)
        .where((eb) =>
          eb.or([
            eb("links.code", "=", code),
            eb("links.id", "in", eb.selectFrom("link_aliases").select("link_id").where("code", "=", code)),
          ]),
        )
        .execute();
      return link ?? null;
    },

    /** By the codes of shares and drop boxes, also by aliases. Other codes are absent. */
    async shareOwners(codes: readonly string[], db: Db = read): Promise<Map<string, number | null>> {
      const renamed = await aliases.among(codes, db);
      const owners = new Map<string | number, number | null>();
      for (const [key, values] of [
        ["code", codes],
        ["id", [...new Set(renamed.values())]],
      ] as const) {
        for (const chunk of chunked<string | number>(values, CHUNK)) {
          const rows = await db
            .selectFrom("links")
            .select(["id", "code", "target", "owner_id"])
            .where(key, "in", chunk as never)
            .execute();
          for (const row of rows) if (isInternal(row.target)) owners.set(row[key], row.owner_id);
        }
      }
      return new Map(
        codes.flatMap((code) => {
          const owner = owners.get(renamed.get(code) ?? code);
          return owner === undefined ? [] : [[code, owner]];
        }),
      );
    },

    /** Which of at most 1,000 codes are taken, also by aliases. */
    taken: async (codes: readonly string[], db: Db = read): Promise<Set<string>> =>
      new Set([...(await idsOf(db, codes)).keys(), ...(await aliases.among(codes, db)).keys()]),

    /** By code, locked until the transaction ends. */
    async lock(tx: Db, codes: readonly string[]): Promise<Map<string, ExistingLink>> {
      const found = await lockBy(tx, "code", codes);
      return new Map(found.map((link) => [link.code, link]));
    },

    /** By id, locked until the transaction ends. */
    async lockIds(tx: Db, ids: readonly number[]): Promise<Map<number, ExistingLink>> {
      const found = await lockBy(tx, "id", ids);
      return new Map(found.map((link) => [link.id, link]));
    },

    /** By id. */
    async codesOf(ids: readonly number[]): Promise<Map<number, string>> {
      const found = await read.selectFrom("links").select(["id", "code"]).where("id", "in", ids).execute();
      return new Map(found.map(({ id, code }) => [id, code]));
    },

    /** Returns the ids by code. @throws Conflict for a code that a link or an alias has; then roll back */
    async insertMany(tx: Db, links: readonly NewLink[]): Promise<Map<string, number>> {
      const added = new Map<string, number>();
      const sorted = [...links].sort((a, b) => (a.code < b.code ? -1 : 1));
      for (const chunk of chunked(sorted, CHUNK)) {
        await dialect.insertMany(tx, "links", chunk.map(rowOf));
        const codes = chunk.map(({ code }) => code);
        const ids = await idsOf(tx, codes);
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
        await retag(tx, tagged);
      }
      await addToTotal(tx, totalsOf(links));
      return added;
    },

    /** Links that `lock` returned; others are skipped. */
    async overwriteMany(
      tx: Db,
      links: readonly LinkOverwrite[],
      locked: ReadonlyMap<string, Pick<ExistingLink, "id" | "ownerId" | "tags">>,
    ): Promise<void> {
      const rows = links.map((link) => ({ code: link.code, ...contentOf(link) }));
      await dialect.updateMany(tx, { table: "links", key: "code", set: CONTENT_COLUMNS }, rows);
      const tagged = links.flatMap(({ code, tags }) => {
        const before = locked.get(code);
        return before === undefined ? [] : { ...before, before: before.tags, after: tags };
      });
      await retag(tx, tagged);
    },

    /** False for another link's alias, then roll back. @throws Conflict for a code that another link has */
    async rename(
      tx: Db,
      link: Pick<Link, "id" | "code">,
      { code, keepOld }: { code: string; keepOld: boolean },
      now: number,
    ): Promise<boolean> {
      await tx.updateTable("links").set({ code }).where("id", "=", link.id).execute();
      // After it, like in insertMany.
      const owner = (await aliases.among([code], tx)).get(code);
      if (owner !== undefined && owner !== link.id) return false;
      if (owner !== undefined) await aliases.remove(tx, code);
      if (keepOld) await aliases.add(tx, link.code, link.id, now);
      return true;
    },

    /** @throws Conflict for a key that another link has */
    moveMany: (tx: Db, moved: readonly { id: number; to: string }[]): Promise<void> =>
      dialect.updateMany(
        tx,
        { table: "links", key: "id", set: ["code"] },
        moved.map(({ id, to }) => ({ id, code: to })),
      ),

    /** Unknown codes are skipped. */
    async removeMany(tx: Db, codes: readonly string[], deletion: Omit<Deletion, "dialect">): Promise<void> {
      for (const chunk of chunked(codes, CHUNK))
        await deleteLinks(tx, "code", chunk, { ...deletion, dialect });
    },

    async stats(now: number) {
      const [totals, expired] = await Promise.all([readTotals(read), countExpired(now)]);
      return {
        totalLinks: totals.links,
        totalClicks: totals.clicks,
        automatedClicks: totals.automated,
        activeLinks: Math.max(0, totals.links - expired),
      };
    },
  };
}

async function countOf(
  read: Db,
  links: SelectQueryBuilder<Schema, "links", { id: number }>,
): Promise<number> {
  const counting = read.selectFrom(links.as("some")).select((eb) => eb.fn.countAll<number>().as("n"));
  return Number((await counting.executeTakeFirstOrThrow()).n);
}

export const rowOf = (link: NewLink) => ({
  code: link.code,
  created_at: link.createdAt,
  owner_id: link.ownerId,
  created_by: link.createdBy,
  ...contentOf(link),
});

type Counted = Pick<Link, "id" | "clickCount" | "automatedClicks">;
export const clickRowOf = ({ id, clickCount: clicks, automatedClicks: automated }: Counted) => ({
  link_id: id,
  clicks,
  ranked: clicks,
  automated,
});

export const contentOf = (link: Omit<LinkOverwrite, "code" | "tags">) => ({
  target: link.target,
  expires_at: link.expiresAt,
  password_hash: link.passwordHash,
  ...columnsOf(link),
  options: link.options,
  updated_at: link.updatedAt,
});
