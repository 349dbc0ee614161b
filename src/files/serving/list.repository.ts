import { type SelectQueryBuilder, sql, type Expression, type ExpressionBuilder, type SqlBool } from "kysely";
import type { Queries } from "../../platform/db/database.ts";
import type { Db, Dialect } from "../../platform/db/dialect.ts";
import { countRows } from "../../platform/db/queries.ts";
import type { Schema } from "../../platform/db/schema.ts";
import { ownerNames } from "../../links/link/owners.repository.ts";
import type { ShownLink } from "../../links/link/link.ts";
import { HUMAN_CLICKS, linksIn } from "../../links/link/query.repository.ts";
import { createTagging } from "../../links/tags/tagging.repository.ts";
import { createRecipientsRepository } from "../recipients/repository.ts";
import { MOST_LEVELS, ROOT } from "../tree/entry.ts";
import { foldersInside } from "../tree/paths.repository.ts";
import { marksIn, servesAny } from "./entries.repository.ts";
import {
  isDropBox,
  type ShareRecord,
  type ShareFilter,
  type ShareOrder,
  type SHARE_KINDS,
  type SHARE_STATES,
  type DropLimits,
} from "./served.ts";

export const SHARE_COLUMNS = [
  "shares.account_id as accountId",
  "shares.entry_id as entryId",
  "shares.max_downloads as maxDownloads",
  "shares.max_bytes as maxBytes",
  "shares.max_files as maxFiles",
  "shares.max_file_size as maxFileSize",
  "shares.two_way as twoWay",
  "shares.requires",
  "shares.sender_folders as senderFolders",
  "shares.types",
  "shares.message",
  "shares.verify",
  "shares.several",
] as const;

/** What visitors see of a share or drop box, and who gets or shares the files. */
export const VISITED_COLUMNS = [
  "links.code",
  "links.title",
  "links.created_at as createdAt",
  "links.expires_at as expiresAt",
  "links.password_hash as passwordHash",
  "shares.message",
  "users.disabled",
  "users.username",
  "teams.name as team",
] as const;

export type LimitColumns = {
  maxBytes: number | null;
  maxFiles: number | null;
  maxFileSize: number | null;
  twoWay: number;
  requires: string | null;
  senderFolders: number;
  types: string | null;
};

/** The limits of what takes files; null for other shares. */
export const dropLimitsIn = ({ maxFiles, ...row }: LimitColumns): DropLimits | null =>
  maxFiles === null
    ? null
    : {
        maxBytes: row.maxBytes ?? 0,
        maxFiles,
        maxFileSize: row.maxFileSize,
        isTwoWay: row.twoWay !== 0,
        requires: row.requires === "name" || row.requires === "email" ? row.requires : null,
        senderFolders: row.senderFolders !== 0,
        types: row.types?.split(" ") ?? [],
      };

const withLimits = <Row extends LimitColumns>(row: Row) => {
  const { maxBytes, maxFiles, maxFileSize, twoWay, requires, senderFolders, types, ...rest } = row;
  const columns = { maxBytes, maxFiles, maxFileSize, twoWay, requires, senderFolders, types };
  return { ...rest, limits: dropLimitsIn(columns) };
};

const NEWEST: ShareOrder = { by: "created_at", isDescending: true };

export type SharePage = {
  /** Id of a link; null: from the newest. */
  after: number | null;
  offset: number;
  limit: number;
};

/** `asOf`: the time at which states are computed. */
type DatedFilter = ShareFilter & { asOf: number };

export type ShareListRepository = ReturnType<typeof createShareListRepository>;

export function createShareListRepository(database: Queries) {
  const { read, dialect } = database;
  const { tagsOf } = createTagging(dialect);
  const recipients = createRecipientsRepository(database);

  const ownedBy = (db: Db, { accountId }: ShareFilter) =>
    db
      .selectFrom("shares")
      .$if(accountId !== null, (query) => query.where("shares.account_id", "=", accountId!));

  const within = (db: Db, filter: DatedFilter) =>
    ownedBy(db, filter)
      .innerJoin("links", "links.id", "shares.link_id")
      .innerJoin("entries", "entries.id", "shares.entry_id")
      .leftJoin("blobs", "blobs.id", "entries.blob_id")
      .where(shareConditions(filter, dialect));

  /** Links with what they serve, without those that serve nothing. At most 1,000. */
  async function describe(links: readonly ShownLink[], db: Db = read): Promise<ShareRecord[]> {
    if (links.length === 0) return [];
    const linkIds = links.map(({ id }) => id);
    const found = await db
      .selectFrom("shares")
      .innerJoin("entries", "entries.id", "shares.entry_id")
      .leftJoin("trash", "trash.entry_id", "entries.id")
      .leftJoin("blobs", "blobs.id", "entries.blob_id")
      .select(["shares.link_id as id", "shares.downloads", "shares.bytes", "shares.files"])
      .select([...SHARE_COLUMNS, "entries.kind", "blobs.state"])
      .select((eb) => eb.fn.coalesce("trash.name", "entries.name").as("name"))
      .where("shares.link_id", "in", linkIds)
      .execute();
    const shares = new Map(found.map((row) => [row.id, row]));
    const rows = links.flatMap((link) => {
      const row = shares.get(link.id);
      return row === undefined ? [] : { ...link, ...row };
    });
    const reached = await reachable(db, linkIds);
    const emails = await recipients.ofLinks(linkIds, db);
    const items = rows.some(({ several }) => several !== 0) ? await countItems(db, linkIds) : null;
    const owners = rows.map(({ accountId }) => accountId);
    const names = await ownerNames(db, owners);
    return rows.map(({ kind, name, accountId, entryId, state, ...row }) => {
      const { limits, ...rest } = withLimits(row);
      const { several, bytes, files, verify, ...share } = rest;
      const isOne = several === 0;
      const kindOfOne = kind === "folder" ? "folder" : "file";
      return {
        ...share,
        verify: verify !== 0,
        recipients: emails.get(row.id) ?? [],
        kind: !isOne ? "items" : isDropBox(limits) ? "drop" : kindOfOne,
        items: isOne ? null : (items?.get(row.id) ?? 0),
        entry: { id: entryId, name },
        owner: { id: accountId, username: names.get(accountId) ?? null },
        drop: limits && { ...limits, bytes, files },
        inTrash: isOne && !reached.has(row.id),
        isDamaged: isOne && state === "damaged",
      };
    });
  }

  /** Shares in the order of the ids of their links. At most 1,000. */
  async function load(linkIds: readonly number[], db: Db = read): Promise<ShareRecord[]> {
    if (linkIds.length === 0) return [];
    const rows = await linksIn(db).where("links.id", "in", linkIds).execute();
    const links = new Map(rows.map((link) => [link.id, link]));
    const tags = await tagsOf(db, linkIds);
    return describe(
      linkIds.flatMap((id) => {
        const link = links.get(id);
        return link === undefined ? [] : { ...link, tags: tags.get(id) ?? [] };
      }),
      db,
    );
  }

  return {
    describe,
    load,

    total: (filter: DatedFilter): Promise<number> =>
      isFiltered(filter) ? countRows(within(read, filter)) : countRows(ownedBy(read, filter)),

    /** Ids of links. `after` goes with the newest first. */
    async page(
      filter: DatedFilter,
      { after, offset, limit }: SharePage,
      { by, isDescending }: ShareOrder = NEWEST,
    ): Promise<number[]> {
      const direction = isDescending ? "desc" : "asc";
      const isByAge = by === "created_at";
      // Newer links have larger ids.
      const shares = (isByAge && !isFiltered(filter) ? ownedBy(read, filter) : within(read, filter))
        .select("shares.link_id")
        .$if(after !== null, (query) => query.where("shares.link_id", "<", after!))
        .limit(limit)
        .offset(offset);
      const sorted = isByAge ? shares.orderBy("shares.link_id", direction) : sortedBy(shares, by, direction);
      return (await sorted.execute()).map((row) => row.link_id);
    },

    marks: (folder: Parameters<typeof marksIn>[1]) => marksIn(read, folder),

    /** Shares of the entry or, with `isDrop`, its drop boxes; newest first. */
    async ofEntry(entryId: number, { isDrop }: { isDrop: boolean }, limit: number): Promise<ShareRecord[]> {
      const rows = await read
        .selectFrom("shares")
        .select("link_id")
        .where("entry_id", "=", entryId)
        .where("several", "=", 0)
        .where((eb) => (isDrop ? whereDropBox(eb) : eb.not(whereDropBox(eb))))
        .orderBy("link_id", "desc")
        .limit(limit)
        .execute();
      return load(rows.map((row) => row.link_id));
    },
  };
}

async function countItems(db: Db, linkIds: readonly number[]): Promise<Map<number, number>> {
  const rows = await db
    .selectFrom("share_items")
    .select((eb) => ["link_id as id", eb.fn.countAll<number>().as("items")])
    .where("link_id", "in", linkIds)
    .groupBy("link_id")
    .execute();
  return new Map(rows.map(({ id, items }) => [id, Number(items)]));
}

/** Links to entries that a path from the account's root reaches. */
async function reachable(db: Db, linkIds: readonly number[]): Promise<Set<number>> {
  const rows = await db
    .withRecursive("line", (query) =>
      query
        .selectFrom("shares")
        .innerJoin("entries", "entries.id", "shares.entry_id")
        .whereRef("entries.account_id", "=", "shares.account_id")
        .where("shares.link_id", "in", linkIds)
        .select(["shares.link_id", "entries.account_id", "entries.parent_id", sql<number>`0`.as("level")])
        .unionAll(
          query
            .selectFrom("entries")
            .innerJoin("line", "line.parent_id", "entries.id")
            .whereRef("entries.account_id", "=", "line.account_id")
            .where("line.level", "<", MOST_LEVELS)
            .select([
              "line.link_id",
              "entries.account_id",
              "entries.parent_id",
              sql<number>`line.level + 1`.as("level"),
            ]),
        ),
    )
    .selectFrom("line")
    .select("link_id")
    .where("parent_id", "=", ROOT)
    .execute();
  return new Set(rows.map((row) => row.link_id));
}

type Sorted = SelectQueryBuilder<Schema, "shares" | "links", { link_id: number }>;

function sortedBy(shares: Sorted, by: ShareOrder["by"], direction: "asc" | "desc"): Sorted {
  const sorted = shares.orderBy((eb): Expression<unknown> => {
    if (by === "code") return eb.ref("links.code");
    if (by === "expires_at") return eb.fn.coalesce("links.expires_at", eb.lit(MOST));
    const counted = by === "human_clicks" ? HUMAN_CLICKS : sql.ref<number>("link_clicks.clicks");
    const clicks = eb.selectFrom("link_clicks").select(counted.as("counted"));
    return eb.fn.coalesce(clicks.whereRef("link_clicks.link_id", "=", "shares.link_id"), eb.lit(0));
  }, direction);
  return sorted.orderBy("shares.link_id", "desc");
}

type Tables = ExpressionBuilder<Schema, "shares" | "links" | "entries" | "blobs">;

/** Besides the account. */
const isFiltered = ({ search, kind, state, within, entries }: ShareFilter): boolean =>
  Boolean(search || kind || state || within || entries);

/** Besides the account. */
const shareConditions =
  ({ accountId, search, kind, state, within, entries, asOf }: DatedFilter, dialect: Dialect) =>
  (eb: Tables): Expression<SqlBool> =>
    eb.and([
      ...(search
        ? [eb.or([dialect.linkContains(search), dialect.nameContains(search), hasItem(eb, search, dialect)])]
        : []),
      ...(kind ? [ofKind(eb, kind)] : []),
      ...(state ? [inState(eb, state, asOf)] : []),
      ...(entries ? [servesAny(eb, accountId!, entries)] : []),
      ...(within ? [isWithin(eb, accountId!, within)] : []),
    ]);

/** All that is served is the folder, or in it. */
function isWithin(eb: Tables, accountId: number, folderId: number): Expression<SqlBool> {
  const folders = foldersInside(accountId, folderId);
  const outside = eb
    .selectFrom("share_items")
    .innerJoin("entries as items", "items.id", "share_items.entry_id")
    .where("items.id", "not in", folders)
    .where("items.parent_id", "not in", folders)
    .select("share_items.link_id");
  return eb.and([
    eb.or([eb("entries.id", "in", folders), eb("entries.parent_id", "in", folders)]),
    eb.or([eb("shares.several", "=", 0), eb("shares.link_id", "not in", outside)]),
  ]);
}

/** One of several items has the text in its name. */
const hasItem = (eb: Tables, search: string, dialect: Dialect): Expression<SqlBool> =>
  eb(
    "shares.link_id",
    "in",
    eb
      .selectFrom("share_items")
      .innerJoin("entries", "entries.id", "share_items.entry_id")
      .where(dialect.nameContains(search))
      .select("share_items.link_id"),
  );

const ofKind = (eb: Tables, kind: (typeof SHARE_KINDS)[number]): Expression<SqlBool> =>
  kind === "drop"
    ? whereDropBox(eb)
    : kind === "items"
      ? eb("shares.several", "=", 1)
      : eb.and([eb.not(whereDropBox(eb)), eb("entries.kind", "=", kind), eb("shares.several", "=", 0)]);

/** Visitors see nothing of its folder. */
export const whereDropBox = (eb: ExpressionBuilder<Schema, "shares">): Expression<SqlBool> =>
  eb.and([eb("shares.max_files", "is not", null), eb("shares.two_way", "=", 0)]);

function inState(eb: Tables, is: (typeof SHARE_STATES)[number], asOf: number): Expression<SqlBool> {
  const isSound = eb.or([
    eb("blobs.state", "is", null),
    eb("blobs.state", "!=", "damaged"),
    eb("shares.several", "=", 1),
  ]);
  if (is === "damaged") return eb.and([eb("blobs.state", "=", "damaged"), eb("shares.several", "=", 0)]);
  if (is === "expired") return eb.and([isSound, eb("links.expires_at", "<=", asOf)]);
  const isOpen = eb.or([eb("links.expires_at", "is", null), eb("links.expires_at", ">", asOf)]);
  // Coalesced, because a comparison with null is neither true nor false.
  const full = [
    eb("shares.files", ">=", eb.fn.coalesce("shares.max_files", eb.lit(MOST))),
    eb("shares.bytes", ">=", eb.fn.coalesce("shares.max_bytes", eb.lit(MOST))),
  ];
  const uses = [
    eb("shares.downloads", ">=", eb.fn.coalesce("shares.max_downloads", eb.lit(MOST))),
    // What a full folder with two ways has is still shared.
    eb.and([eb("shares.two_way", "=", 0), eb.or(full)]),
  ];
  const isUsedUp = eb.or(uses);
  return eb.and([isSound, isOpen, is === "used_up" ? isUsedUp : eb.not(isUsedUp)]);
}

const MOST = Number.MAX_SAFE_INTEGER;
