import type { Selectable } from "kysely";
import type { Db } from "../platform/db/dialect.ts";
import { explainViolations } from "../platform/db/failures.ts";
import { finds } from "../platform/db/queries.ts";
import type { Schema } from "../platform/db/schema.ts";
import { appError } from "../lib/errors.ts";

type Row = Selectable<Schema["account_mail"]>;
type Fields = Pick<Row, "email" | "proved_at" | "language"> & Partial<Pick<Row, "choices">>;

/**
 * Creates or updates the account's row. No upsert: with two unique keys it may find the row of whoever has the
 * address. @throws Conflict when another account has the address
 */
export async function writeAccountMail(tx: Db, accountId: number, fields: Fields): Promise<void> {
  const own = tx.selectFrom("account_mail").select("account_id").where("account_id", "=", accountId);
  const isThere = await finds(own);
  const write = async (): Promise<unknown> =>
    isThere
      ? tx.updateTable("account_mail").set(fields).where("account_id", "=", accountId).execute()
      : tx
          .insertInto("account_mail")
          .values({ account_id: accountId, choices: "{}", ...fields })
          .execute();
  await explainViolations(write, {
    unique: (cause) =>
      appError("Conflict", "Another account has this e-mail address.", { cause, field: "email" }),
  });
}
