import { sql } from "kysely";
import type { Database } from "../../platform/db/database.ts";
import { VISITED_COLUMNS, whereDropBox } from "../serving/list.repository.ts";
import { ENTRY_COLUMNS, toEntry } from "../tree/entries.repository.ts";
import { ROOT, TRASH } from "../tree/entry.ts";
import { ITEMS, type SharedEntry } from "./share.ts";
import { prepared } from "../../platform/db/prepared.ts";
import { finds } from "../../platform/db/queries.ts";

export type SharesRepository = ReturnType<typeof createSharesRepository>;

/** The row may move from one table to the other between two statements. */
const TRIES = 2;

export function createSharesRepository({ read, write }: Pick<Database, "read" | "write">) {
  /** If the limit allows it. */
  async function count(linkId: number): Promise<boolean> {
    const result = await write
      .updateTable("shares")
      .set((eb) => ({ downloads: eb("downloads", "+", 1) }))
      .where("link_id", "=", linkId)
      .where((eb) => eb.or([eb("max_downloads", "is", null), eb("downloads", "<", eb.ref("max_downloads"))]))
      .executeTakeFirst();
    return Number(result.numUpdatedRows) === 1;
  }

  /** A link that redirects now keeps its downloads too. */
  async function add(linkId: number, by: 1 | -1): Promise<void> {
    for (let tries = 0; tries < TRIES; tries++) {
      for (const table of ["shares", "link_downloads"] as const) {
        const result = await write
          .updateTable(table)
          .set((eb) => ({ downloads: eb("downloads", "+", by) }))
          .where("link_id", "=", linkId)
          .where("downloads", ">=", by === 1 ? 0 : 1)
          .executeTakeFirst();
        if (Number(result.numUpdatedRows) === 1) return;
      }
    }
  }

  return {
    count,

    /** Whether the share has had all its downloads. */
    isUsedUp: (linkId: number): Promise<boolean> =>
      finds(
        read
          .selectFrom("shares")
          .select("link_id")
          .where("link_id", "=", linkId)
          .whereRef("downloads", ">=", "max_downloads"),
      ),

    /** A finished download of a share without limit. */
    finish: (linkId: number): Promise<void> => add(linkId, 1),

    uncount: (linkId: number): Promise<void> => add(linkId, -1),

    /** Whether its link leads to a URL now, and was not taken down. */
    redirects: (linkId: number): Promise<boolean> =>
      finds(
        read
          .selectFrom("link_downloads")
          .innerJoin("links", "links.id", "link_downloads.link_id")
          .select("links.id")
          .where("link_downloads.link_id", "=", linkId)
          .where("links.held", "is", null),
      ),

    /** A share, not a drop box. Null if it is in the trash, or its account is disabled or gone. */
    async find(linkId: number): Promise<SharedEntry | null> {
      const [row] = await sharedOf(read, linkId);
      if (row === undefined) return null;
      const entry = toEntry(row);
      if (row.sharedBy > 0 && row.disabled !== 0) return null;
      const isOne = row.several === 0;
      return {
        linkId,
        code: row.code,
        title: row.title,
        message: row.message,
        from:
          row.message === null && row.recipient === null
            ? null
            : (row.displayName ?? row.username ?? row.team),
        verify: row.verify !== 0,
        createdAt: row.createdAt,
        expiresAt: row.expiresAt,
        passwordHash: row.passwordHash,
        maxDownloads: row.maxDownloads,
        downloads: row.downloads,
        takesFiles: row.twoWay !== 0,
        entryId: isOne ? entry.id : ITEMS,
        accountId: isOne ? entry.accountId : row.sharedBy,
        kind: isOne ? entry.kind : "items",
        rootFile: isOne && entry.kind === "file" && entry.parentId === ROOT ? entry : null,
      };
    },
  };
}

const sharedOf = prepared((db, linkId: number) =>
  db
    .selectFrom("shares")
    .innerJoin("links", "links.id", "shares.link_id")
    .innerJoin("entries", "entries.id", "shares.entry_id")
    .leftJoin("users", "users.id", "shares.account_id")
    .leftJoin("account_mail", "account_mail.account_id", "shares.account_id")
    // See lib/owner.ts.
    .leftJoin("teams", (join) => join.on("teams.id", "=", sql<number>`-1 - shares.account_id`))
    .select((eb) => [
      ...VISITED_COLUMNS,
      "shares.max_downloads as maxDownloads",
      "shares.downloads",
      "shares.two_way as twoWay",
      "shares.verify",
      "shares.several",
      "shares.account_id as sharedBy",
      "account_mail.display_name as displayName",
      eb
        .selectFrom("share_recipients")
        .select("share_recipients.id")
        .whereRef("share_recipients.link_id", "=", "shares.link_id")
        .limit(1)
        .as("recipient"),
      ...ENTRY_COLUMNS.map((column) => `entries.${column}` as const),
    ])
    .where("shares.link_id", "=", linkId)
    .where((eb) => eb.not(whereDropBox(eb)))
    // Checked before it asks for a password. Entries deeper in the trash are found missing later.
    .where((eb) => eb.or([eb("entries.parent_id", "!=", TRASH), eb("shares.several", "=", 1)])),
);
