import { chunked, foundInChunks } from "../../lib/chunked.ts";
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { prepared } from "../../platform/db/prepared.ts";
import type { Link } from "../link/link.ts";
import { isInternal } from "../link/internal-target.ts";
import { createAliasRepository, createLinkRows, lockLinks } from "./rows.repository.ts";
import { ownerNames } from "../link/owners.repository.ts";
import { findLink, linksIn, readTotals } from "../link/query.repository.ts";
import { createTagging } from "../tags/tagging.repository.ts";
import { countRows } from "../../platform/db/queries.ts";

export type { NewLink } from "./rows.repository.ts";

export type ExistingLink = Omit<Link, "clickCount" | "automatedClicks" | "ownerName"> & {
  /** See internal-target.ts. */
  isInternal: boolean;
};

export type LinkRepository = ReturnType<typeof createLinkRepository>;

const CHUNK = 1000;
/** Has no row. */
const BUILT_IN_ADMIN = 0;

/** Arrays may have any length; statements take 1,000 items. Codes within one call are distinct. */
export function createLinkRepository(database: Database, { mostCounted = 10_000 } = {}) {
  const { read, dialect } = database;
  const { tagsOf, retag } = createTagging(dialect);
  const aliases = createAliasRepository(database);
  const { idsOf, ...writing } = createLinkRows(database);

  async function lockBy<K extends "id" | "code">(
    tx: Db,
    key: K,
    values: readonly { id: number; code: string }[K][],
  ): Promise<ExistingLink[]> {
    const found: ExistingLink[] = [];
    // One order of locks prevents deadlocks.
    for (const chunk of chunked([...values].sort(), CHUNK)) {
      const rows = await lockLinks(dialect)[key](tx, chunk);
      const ids = rows.map(({ id }) => id);
      const tags = await tagsOf(tx, ids);
      for (const row of rows) {
        found.push({ ...row, tags: tags.get(row.id) ?? [], isInternal: isInternal(row.target) });
      }
    }
    return found;
  }

  return {
    tagsOf,
    retag,
    aliases,
    ...writing,
    ...passwordQueries(database),
    shown: shownIn(read),
    stats: createLinkStats(database, mostCounted),

    find: (code: string, db: Db = read): Promise<Link | null> => findLink(db, dialect, code),

    /** Finds aliases, too. */
    async findByAnyCode(code: string): Promise<Omit<Link, "tags"> | null> {
      const [link] = await linksByAnyCode(read, code, code);
      return link ?? null;
    },

    /** Owners of shares and drop boxes by code or alias. Other codes are absent. */
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

    async administratorsAmong(ids: readonly number[], db: Db = read): Promise<Set<number>> {
      const query = db.selectFrom("users").select("id").where("role", "=", "admin");
      const found = await foundInChunks(ids, CHUNK, (chunk) => query.where("id", "in", chunk).execute());
      return new Set([BUILT_IN_ADMIN, ...found.map(({ id }) => id)]);
    },

    /** Whose files links serve, by the ids of the links. Others are absent. */
    async filesOwners(ids: readonly number[], db: Db = read): Promise<Map<number, number>> {
      const query = db.selectFrom("shares").select(["link_id", "account_id"]);
      const rows = await foundInChunks(ids, CHUNK, (chunk) => query.where("link_id", "in", chunk).execute());
      return new Map(rows.map((row) => [row.link_id, row.account_id]));
    },

    /** Which of at most 1,000 codes are taken, also by aliases. */
    taken: async (codes: readonly string[], db: Db = read): Promise<Set<string>> =>
      new Set([...(await idsOf(db, codes)).keys(), ...(await aliases.among(codes, db)).keys()]),

    /** Locks links until the transaction ends. Returns them by code. */
    async lock(tx: Db, codes: readonly string[]): Promise<Map<string, ExistingLink>> {
      const found = await lockBy(tx, "code", codes);
      return new Map(found.map((link) => [link.code, link]));
    },

    /** Locks links until the transaction ends. Returns them by id. */
    async lockIds(tx: Db, ids: readonly number[]): Promise<Map<number, ExistingLink>> {
      const found = await lockBy(tx, "id", ids);
      return new Map(found.map((link) => [link.id, link]));
    },

    /** Codes by id. */
    async codesOf(ids: readonly number[]): Promise<Map<number, string>> {
      const found = await read.selectFrom("links").select(["id", "code"]).where("id", "in", ids).execute();
      return new Map(found.map(({ id, code }) => [id, code]));
    },
  };
}

const linksByAnyCode = prepared((db, code: string, alias: string) =>
  linksIn(db).where((eb) =>
    eb.or([
      eb("links.code", "=", code),
      eb("links.id", "in", eb.selectFrom("link_aliases").select("link_id").where("code", "=", alias)),
    ]),
  ),
);

function passwordQueries({ read, write }: Database) {
  return {
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

    /** Unless the link has another one meanwhile. */
    async replaceHash(linkId: number, from: string, to: string): Promise<void> {
      const query = write.updateTable("links").set({ password_hash: to }).where("id", "=", linkId);
      await query.where("password_hash", "=", from).execute();
    },
  };
}

const MINUTE_MS = 60_000;

function createLinkStats({ read }: Database, mostCounted = 10_000) {
  let manyExpired: { at: number; links: Promise<number> } | undefined;

  /** More than 10,000 are counted once a minute. */
  async function countExpired(now: number): Promise<number> {
    const expired = read.selectFrom("links").where("expires_at", "<=", now);
    const some = expired.select("id").limit(mostCounted + 1);
    const few = await countRows(read.selectFrom(some.as("some")));
    if (few <= mostCounted) return few;
    if (manyExpired === undefined || Math.abs(now - manyExpired.at) >= MINUTE_MS)
      manyExpired = { at: now, links: countRows(expired) };
    const { links } = manyExpired;
    return links.catch((error: unknown) => {
      if (manyExpired?.links === links) manyExpired = undefined;
      throw error;
    });
  }

  return async function stats(now: number) {
    const [totals, expired] = await Promise.all([readTotals(read), countExpired(now)]);
    return {
      totalLinks: totals.links,
      totalClicks: totals.clicks,
      automatedClicks: totals.automated,
      importedClicks: totals.imported,
      activeLinks: Math.max(0, totals.links - expired),
    };
  };
}

/** A written link as the API shows it, with the counts that were read before the write; null: a new one. */
const shownIn =
  (read: Db) =>
  async (
    written: Omit<Link, "ownerName" | "clickCount" | "automatedClicks">,
    before: Link | null,
    db = read,
  ): Promise<Link> => {
    const { id, ownerId } = written;
    const isSame = before !== null && id === before.id;
    // Another link that got the code meanwhile is new.
    const { clickCount, automatedClicks } = isSame ? before : { clickCount: 0, automatedClicks: 0 };
    const ownerName =
      isSame && ownerId === before.ownerId
        ? before.ownerName
        : ((await ownerNames(db, [ownerId])).get(ownerId ?? Number.NaN) ?? null);
    return { ...written, ownerName, clickCount, automatedClicks };
  };
