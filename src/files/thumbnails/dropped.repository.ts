import type { Database } from "../../platform/db/database.ts";

export function createDroppedFiles({ read }: Database) {
  return {
    /** Whether a visitor put the file into a drop box or shared folder. */
    async isDropped(fileId: number): Promise<boolean> {
      const query = read.selectFrom("drop_files").select("entry_id").where("entry_id", "=", fileId);
      return (await query.executeTakeFirst()) !== undefined;
    },
  };
}
