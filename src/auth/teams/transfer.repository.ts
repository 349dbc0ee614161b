/** Everything that an account or team owns, for another owner: links with their tags, deleted links, domains. */
import type { Database } from "../../platform/db/database.ts";
import type { Db } from "../../platform/db/dialect.ts";
import { ownerIds } from "../../platform/db/owner-ids.ts";
import { appError } from "../../lib/errors.ts";

const CHUNK = 1_000;

export type TransferOwned = ReturnType<typeof createOwnerTransfer>;

export function createOwnerTransfer({ dialect }: Pick<Database, "dialect">) {
  /** It stays until the transaction ends. @throws BadRequest for an unknown one */
  async function idOf(tx: Db, text: string): Promise<number> {
    const id = (await ownerIds(tx, [text], dialect.forShare)).get(text);
    if (id !== undefined) return id;
    throw appError("BadRequest", `transfer_to: there is no account or team '${text}'.`, {
      field: "transfer_to",
    });
  }

  /** Counts of tags; links come and go meanwhile only with locked tags. */
  async function moveTags(tx: Db, from: number, to: number): Promise<void> {
    const rows = await tx.selectFrom("owner_tags").selectAll().where("owner_id", "=", from).execute();
    for (let at = 0; at < rows.length; at += CHUNK) {
      const ids = rows.slice(at, at + CHUNK).map((row) => row.tag_id);
      const tags = tx.selectFrom("tags").select("id").where("id", "in", ids).orderBy("id");
      await tags.$call(dialect.forUpdate).execute();
    }
    const counted = await tx.selectFrom("owner_tags").selectAll().where("owner_id", "=", from).execute();
    const upsert = { table: "owner_tags", keys: ["owner_id", "tag_id"], add: ["links"] } as const;
    const moved = counted.map((row) => ({ ...row, owner_id: to }));
    await dialect.upsert(tx, upsert, moved);
    await tx.deleteFrom("owner_tags").where("owner_id", "=", from).execute();
  }

  /** But for files. Returns the new owner. @throws BadRequest for an unknown owner or the same one */
  return async (tx: Db, from: number, name: string): Promise<number> => {
    const to = await idOf(tx, name);
    if (to === from) {
      throw appError("BadRequest", "transfer_to: name another owner than the one that is deleted.", {
        field: "transfer_to",
      });
    }
    await tx.updateTable("links").set({ owner_id: to }).where("owner_id", "=", from).execute();
    await moveTags(tx, from, to);
    await tx.updateTable("deleted_links").set({ owner_id: to }).where("owner_id", "=", from).execute();
    await tx.updateTable("domains").set({ owner_id: to }).where("owner_id", "=", from).execute();
    return to;
  };
}
