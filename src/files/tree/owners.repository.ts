/** Whose tree things are in. */
import type { Database } from "../../db/database.ts";
import type { Db } from "../../db/dialect.ts";
import { ownerIds } from "../../db/owner-ids.ts";
import { ADMIN_NAME, ownerOfTeam, TEAM_MARK } from "../../lib/owner.ts";

export type OwnersRepository = ReturnType<typeof createOwnersRepository>;

export function createOwnersRepository({ read }: Pick<Database, "read">) {
  return {
    /** Undefined for an unknown name. */
    idOf: async (name: string): Promise<number | undefined> => (await ownerIds(read, [name])).get(name),

    /** Of an account or team that exists, or a number. */
    async nameOf(id: number, db: Db = read): Promise<string> {
      if (id === 0) return ADMIN_NAME;
      const found = await (id > 0
        ? db.selectFrom("users").select("username as name").where("id", "=", id)
        : db.selectFrom("teams").select("name").where("id", "=", ownerOfTeam(id))
      ).executeTakeFirst();
      if (found === undefined) return `#${id}`;
      return id > 0 ? found.name : TEAM_MARK + found.name;
    },

    /** The owner of an entry, an upload or a share; null without. */
    async ownerOf(thing: OwnedThing): Promise<number | null> {
      if ("entry" in thing && !Number.isSafeInteger(thing.entry)) return null;
      const query =
        "entry" in thing
          ? read.selectFrom("entries").select("account_id as id").where("id", "=", thing.entry)
          : "upload" in thing
            ? read.selectFrom("uploads").select("account_id as id").where("id", "=", thing.upload)
            : read
                .selectFrom("shares")
                .innerJoin("links", "links.id", "shares.link_id")
                .select("shares.account_id as id")
                .where("links.code", "=", thing.share);
      return (await query.executeTakeFirst())?.id ?? null;
    },
  };
}

/** `share`: a code. */
export type OwnedThing = { entry: number } | { upload: string } | { share: string };
