/** Whose tree things are in. */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { prepared } from "../../platform/db/prepared.ts";
import { createOwners, ownerNames } from "../../links/link/owners.repository.ts";

export type OwnersRepository = ReturnType<typeof createOwnersRepository>;

export function createOwnersRepository({ read }: Database) {
  const owners = createOwners({ read });
  return {
    idOf: owners.idOf,
    reachedBy: owners.reachedBy,

    /** The name of an account or team that exists, otherwise its number. */
    nameOf: async (id: number, db: Db = read): Promise<string> =>
      (await ownerNames(db, [id])).get(id) ?? `#${id}`,

    /** The owner of an entry, an upload or a share; null without. */
    async ownerOf(thing: OwnedThing): Promise<number | null> {
      if ("entry" in thing && !Number.isSafeInteger(thing.entry)) return null;
      const [owner] =
        "entry" in thing
          ? await ownersOfEntry(read, thing.entry)
          : "upload" in thing
            ? await ownersOfUpload(read, thing.upload)
            : await ownersOfShare(read, thing.share);
      return owner?.id ?? null;
    },

    /** The entries that decide whether a thing is in a folder: itself, the folder around an upload, what is shared. */
    async placesOf(thing: OwnedThing): Promise<number[]> {
      if ("entry" in thing) return [thing.entry];
      if ("upload" in thing) {
        const uploads = read.selectFrom("uploads").select("folder_id as id").where("id", "=", thing.upload);
        return (await uploads.execute()).map(({ id }) => id);
      }
      const shares = read
        .selectFrom("shares")
        .innerJoin("links", "links.id", "shares.link_id")
        .where("links.code", "=", thing.share);
      const [one, several] = await Promise.all([
        shares.select("shares.entry_id as id").execute(),
        shares
          .innerJoin("share_items", "share_items.link_id", "shares.link_id")
          .select("share_items.entry_id as id")
          .execute(),
      ]);
      return [...one, ...several].map(({ id }) => id);
    },
  };
}

/** `share`: a code. */
export type OwnedThing = { entry: number } | { upload: string } | { share: string };

const ownersOfEntry = prepared((db, id: number) =>
  db.selectFrom("entries").select("account_id as id").where("id", "=", id),
);
const ownersOfUpload = prepared((db, id: string) =>
  db.selectFrom("uploads").select("account_id as id").where("id", "=", id),
);
const ownersOfShare = prepared((db, code: string) =>
  db
    .selectFrom("shares")
    .innerJoin("links", "links.id", "shares.link_id")
    .select("shares.account_id as id")
    .where("links.code", "=", code),
);
